"""What a library's refusal of a model folder means, in one sentence that says what to do. No torch in here."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from backend.errors import FlipsideError, UsageError

#: Names of errors, and parts of messages, of files that end too early or hold something else than they should.
DAMAGED_ERRORS: tuple[str, ...] = ("SafetensorError", "UnpicklingError", "EOFError", "BadZipFile")
DAMAGED = ("PytorchStreamReader", "unexpected EOF", "might be corrupted", "Invalid magic number", "invalid load key")
#: What torch's restricted unpickler says when it meets anything but tensors, which it then does not run.
FOREIGN = ("Unsupported global", "Unsupported operand", "Unsupported class", "Trying to instantiate", "Can only build")
#: Raised by libraries for a folder that they cannot make a model, a tokenizer or a processor of.
REFUSALS = (OSError, ValueError, RuntimeError, KeyError, TypeError, ImportError, AttributeError, EOFError)
ANSI = re.compile(r"\x1b\[[0-9;]*m")
#: Where transformers begins to speak of the hub, which a folder has nothing to do with.
HUB_ADVICE = " If you were trying to load it from"
#: A tokenizer with fewer words than this besides its special tokens has been made up from its class.
FEWEST_WORDS = 8


def refused(error: Exception) -> bool:
    """Whether a library raised this because of the folder's files; anything else is a fault of the program."""
    strict_config = type(error).__module__.startswith("huggingface_hub")  # a value of the wrong type in config.json
    return isinstance(error, REFUSALS) or type(error).__name__ in DAMAGED_ERRORS or strict_config


def cannot_load(spec: str, folder: Path, error: Exception) -> FlipsideError:
    """The error to raise in place of the library's."""
    said = str(error)
    if "ignore_mismatched_sizes" in said:
        return FlipsideError(
            f"{spec}: the weights in {folder} have other shapes than its config.json says: one of the two is another "
            "model's."
        )
    if any(mark in said for mark in FOREIGN):
        return FlipsideError(
            f"{spec}: a weight file in {folder} is a pickle that holds more than tensors, and loading that could run "
            "code; it was refused. Use the model's safetensors."
        )
    if type(error).__name__ in DAMAGED_ERRORS or any(mark in said for mark in DAMAGED):
        return FlipsideError(
            f"{spec}: the weights in {folder} are damaged or cut short ({first_line(error)}). Download them again."
        )
    return FlipsideError(f"{spec}: {folder} cannot be loaded ({first_line(error)}).")


def first_line(error: Exception) -> str:
    """What an error says, short enough for one sentence."""
    lines = [line.strip() for line in ANSI.sub("", str(error)).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).partition(HUB_ADVICE)[0][:200].rstrip(".:")


def refuse_wordless(spec: str, folder: Path, tokenizer: Any) -> None:
    """UsageError for a tokenizer without words: transformers 5 makes one of its class alone where the folder lacks
    tokenizer.json and vocabulary, and every text is then nothing but unknown tokens."""
    if not hasattr(tokenizer, "get_vocab"):
        return
    if len(set(tokenizer.get_vocab()) - set(getattr(tokenizer, "all_special_tokens", ()))) < FEWEST_WORDS:
        raise UsageError(
            f"{spec}: {folder} has no usable tokenizer: it lacks tokenizer.json, or the vocabulary file that its "
            f"{type(tokenizer).__name__} reads. Download the model again."
        )


def refuse_unknown(spec: str, tokenizer: Any, rows: Iterable[Sequence[int]], size: int | None) -> None:
    """FlipsideError for a token without a row in the model's embedding of `size` rows (None: not known): the tokenizer
    is another model's. Asked of numbers, because a GPU would stop the whole process at such a token."""
    highest = max((max(row) for row in rows if row), default=-1)
    if size is not None and highest >= size:
        word = tokenizer.convert_ids_to_tokens([highest])[0]
        raise FlipsideError(
            f"{spec}: its tokenizer made token {highest} ({word!r}) of a text, but the model knows {size} tokens: the "
            "tokenizer's files are another model's."
        )


def refuse_surplus(spec: str, folder: Path, unexpected: Iterable[str], known: Iterable[str]) -> None:
    """FlipsideError where the files hold layers behind the config's last one: the library leaves them out and computes
    something else with what remains. Heads and buffers that a model has no use for are common, and no fault.

    unexpected: names in the files that the model lacks. known: names of the model's own parameters.
    """
    own = set(known)
    for name in sorted(unexpected):
        parts = name.split(".")
        for at, part in enumerate(parts):
            if part.isdecimal() and int(part) and ".".join([*parts[:at], "0", *parts[at + 1 :]]) in own:
                raise FlipsideError(
                    f"{spec}: the weights in {folder} hold more layers than its config.json says ({name}): one of the "
                    "two is another model's."
                )
