"""Model specs: `<prefix>:<name>`, where a local folder may stand for a hub name, and `#option` may follow the name."""

import difflib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from backend import plugins
from backend.errors import UsageError
from backend.models import question
from backend.paths import bundled_models_dir

#: Prefixes whose model says in its own config which family it belongs to, and those that name the family.
PREFIXES = {
    "bundled": "bundled:<name>, a small model that ships with Flipside",
    "hf": "hf:<hub name or folder>, any transformers model, recognised by its config",
    "openclip": "openclip:<architecture>/<tag, checkpoint file, or none>, or openclip:<hub name or folder>",
    "st": "st:<hub name or folder>, a sentence encoder",
    "lm": "lm:<hub name or folder>, a language model that sees no image",
    "endpoint": "endpoint:<address of an OpenAI-compatible server>#<model>, as in endpoint:http://127.0.0.1:8000/v1#llava",
    "py": "py:<module or file.py>:<class, function or object>, a model of your own code",
    "predictions": "predictions:<name>, what another system said (flipside add-predictions)",
    "fake": "fake:<ok, constant, nan, raise, slow>, scripted scores for tests",
}

#: prefix -> option -> what it changes: `st:FOLDER#cls`. Part of the model's record, and so of its runs' ids.
OPTIONS = {
    "st": {
        "mean": "a plain encoder's vector is the mean of its tokens' (the default)",
        "cls": "a plain encoder's vector is its first token's",
        "last": "a plain encoder's vector is its last token's",
    },
    "lm": {
        "l2r": "a masked model hides the rest of a word with each of its tokens",
        "empty": "a sequence-to-sequence model's encoder sees an empty text",
        "mask": "a sequence-to-sequence model's encoder sees its sign for missing text",
    },
}


#: Prefixes after whose names `#question=…` may stand: those under which chat models are.
QUESTIONED = ("hf", "bundled", "endpoint")


@dataclass(frozen=True, slots=True)
class Spec:
    """A parsed spec; `str(spec)` is what the user typed. question: as written behind `#question=`."""

    prefix: str
    name: str
    option: str = ""
    question: str = ""

    def __str__(self) -> str:
        option = f"#{self.option}" if self.option else ""
        return f"{self.prefix}:{self.name}{option}" + (f"{question.MARK}{self.question}" if self.question else "")


def prefix_within(name: str) -> str:
    """The prefix of a spec that stands in a model's name, "" for none: such a name would pass for another model.

    >>> prefix_within("bundled:clip"), prefix_within("my (HF: a/b)"), prefix_within("first: MiniLM")
    ('bundled', 'hf', '')
    """
    known = "|".join(map(re.escape, [*PREFIXES, *plugins.named("families")]))
    found = re.search(rf"\b({known})\s*:", unicodedata.normalize("NFKC", name), re.IGNORECASE)
    return found[1].lower() if found else ""


def refuse_as_name(name: str, spec: str) -> None:
    """UsageError, without a place, for a name that reads as the spec of another model than `spec`."""
    if name != spec and (prefix := prefix_within(name)):
        raise UsageError(
            f"the name {name!r} reads as the spec of a model that {prefix}: loads, and every page would show "
            f"{spec} as that model. Give a name without '{prefix}:'."
        )


def parse(text: str) -> Spec:
    """The prefix, the name and the option of a model spec.

    >>> parse("openclip:RN50/none")
    Spec(prefix='openclip', name='RN50/none', option='', question='')
    >>> parse("st:BAAI/bge-base-en#cls").option
    'cls'
    >>> parse("hf:llava-hf/llava-1.5-7b-hf#question=vqascore").question
    'vqascore'
    """
    prefix, colon, name = text.strip().partition(":")
    brought = plugins.named("families")  # of other installed packages: each is a prefix of its own
    if prefix in brought and prefix not in PREFIXES and name:
        return Spec(prefix, name)
    if prefix in PREFIXES and name:
        return _with_option(prefix, name)
    prefixes = list(dict.fromkeys([*PREFIXES, *brought]))
    known = ", ".join(f"{p}:" for p in prefixes)
    if prefix in PREFIXES:
        raise UsageError(f"Model spec {text!r} names no model: write {PREFIXES[prefix]}.")
    if not colon:
        raise UsageError(f"Model spec {text!r} has no prefix: write one of {known} before the name{_as_in(prefix)}.")
    raise UsageError(
        f"Model spec {text!r}: there is no family {prefix!r}.{did_you_mean(prefix, prefixes)} Known: {known}."
    )


def _with_option(prefix: str, name: str) -> Spec:
    """The spec of a name that may end in `#option`, or in `#question=…`, where its prefix knows any."""
    if prefix in QUESTIONED:
        bare, mark, written = name.partition(question.MARK)
        if mark:
            question.question_of(f"{prefix}:{bare}", written)
            return Spec(prefix, bare, question=written)
    options = OPTIONS.get(prefix, {})
    bare, mark, option = name.rpartition("#")
    if not options or not mark or "/" in option:
        return Spec(prefix, name)
    if option not in options or not bare:
        known = "; ".join(f"#{word}: {what}" for word, what in options.items())
        raise UsageError(f"Model spec {prefix}:{name}: there is no option #{option}. Known for {prefix}: are {known}.")
    return Spec(prefix, bare, option)


def _as_in(name: str) -> str:
    """A spec to try for a name without a prefix: a bundled model's, else the hub's.

    >>> _as_in("clip"), _as_in("openai/clip-vit-base-patch32")
    (', as in bundled:clip', ', as in hf:openai/clip-vit-base-patch32')
    """
    root = bundled_models_dir()
    bundled = sorted(path.name for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    near = difflib.get_close_matches(name.lower(), bundled, n=1, cutoff=0.75)
    if near:
        return f", as in bundled:{near[0]}"
    return f", as in hf:{name}" if name else ", as in bundled:clip"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ " Did you mean …?" for the nearest of the known words, or nothing."""
    near = difflib.get_close_matches(word, list(known), n=3)
    return f" Did you mean {' or '.join(near)}?" if near else ""
