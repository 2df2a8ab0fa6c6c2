"""What a page asks of `flipside teach`, as words, and which words a job may hold.

A page teaches into a folder of `<cache>/taught` and reads no file but a job's own inputs; it names no server and no
code. A job's record is read with the same suspicion: whatever stands in it is checked again before it is started.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final

from backend.errors import FlipsideError
from backend.live.scoring import pool
from backend.live.uploads.model_folders import taught_dir
from backend.teach.training.recipes import RECIPES, Recipe

#: A training's name, which names its folder, its series and its model.
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
#: How it is put to people.
NAME_HAS: Final = "1 to 60 letters, digits, points, hyphens and underscores, the first a letter or a digit"
#: Where a word stands for a file of the job's inputs (`jobs.INPUT`), and what the file of captions is called there.
INPUT: Final = "{input}/"
#: How often held-out items are judged between the beginning and the end, about; the longest way between checkpoints.
JUDGED, FAR = 8, 50
#: Steps for which the estimate is asked: its time is one step's, times these.
MEASURED: Final = 100

_WHOLE, _NUMBER = r"\d{1,9}", r"\d{0,9}\.?\d{1,12}(e-?\d{1,3})?"
_NAMES = r"[\w][\w ,.~@:()+/&'-]{0,400}"
_CHANGED = "|".join(each.name for each in fields(Recipe) if each.name not in ("name", "what"))
#: Option -> what its value may be.
_VALUES: Final = {
    "--recipe": "|".join(RECIPES),
    "--benchmark": _NAMES,
    "--split": _NAMES,
    "--subset": _NAMES,
    "--sample": _WHOLE,
    "--fresh": _WHOLE,
    "--concepts": r"[a-z]+(,[a-z]+)*",
    "--held-out": _NUMBER,
    "--set": rf"({_CHANGED})=[a-z0-9.-]{{1,20}}(,({_CHANGED})=[a-z0-9.-]{{1,20}})*",
    "--steps": _WHOLE,
    "--batch": _WHOLE,
    "--rank": _WHOLE,
    "--learning-rate": _NUMBER,
    "--checkpoint-every": _WHOLE,
    "--judge-every": _WHOLE,
    "--seed": _WHOLE,
    "--series": NAME.pattern,
}
#: Prefixes of models that are taught.
_TAUGHT: Final = ("bundled:", "hf:", "openclip:")
#: What every training names.
_NEEDED: Final = {"--model", "--recipe", "--out", "--steps"}
#: What may differ between a training and the baseline that it is compared with.
_OWN: Final = {"--recipe", "--set", "--out", "--series"}


@dataclass(frozen=True)
class Wish:
    """A training as it was chosen. fresh: minimal pairs of the bundled world, None where a benchmark is named; data:
    the benchmark's folder, "" for none. sample: of its items, None for all. numbers: of the recipe, where they differ
    from its own. held_out: share of a benchmark's items to judge by; of fresh pairs anything above 0 says that they
    are judged by the world's own items."""

    model: str
    recipe: str
    fresh: int | None = None
    concepts: tuple[str, ...] = ()
    benchmark: str = ""
    data: str = ""
    split: str = ""
    subsets: tuple[str, ...] = ()
    sample: int | None = None
    numbers: Mapping[str, str] = field(default_factory=dict)
    held_out: float = 0.2
    steps: int = 60
    batch: int = 32
    rank: int = 4
    learning_rate: float = 1e-4
    seed: int = 0

    def material(self) -> list[str]:
        """The words that say what is trained on."""
        if self.fresh is not None:
            words = ["--fresh", str(self.fresh), "--concepts", ",".join(self.concepts)]
        else:
            words = ["--benchmark", self.benchmark]
            words += ["--data", self.data] if self.data else []
            words += ["--split", self.split] if self.split else []
            words += ["--subset", ",".join(self.subsets)] if self.subsets else []
            words += ["--sample", str(self.sample)] if self.sample else []
        return [*words, "--seed", str(self.seed)]

    def training(self, out: Path, captions: str = "", steps: int = 0) -> list[str]:
        """All words after `teach`. captions: the file of generated captions, "" for none. steps: other ones."""
        n = steps or self.steps
        words = ["--model", self.model, "--recipe", self.recipe, *self.material(), "--held-out", f"{self.held_out:g}"]
        words += ["--captions", captions] if captions else []
        if self.numbers:
            words += ["--set", ",".join(f"{name}={value}" for name, value in self.numbers.items())]
        words += ["--steps", str(n), "--batch", str(self.batch), "--rank", str(self.rank)]
        words += ["--learning-rate", f"{self.learning_rate:g}", "--checkpoint-every", str(min(FAR, every(n)))]
        return [*words, "--judge-every", str(every(n)), "--out", str(out), "--json"]


def every(steps: int) -> int:
    """After how many steps held-out items are judged.

    >>> every(5), every(12), every(60), every(1000)
    (1, 2, 8, 125)
    """
    return -(-steps // JUDGED)


def read(words: Sequence[str]) -> dict[str, str]:
    """Option -> value of a training's words; {} where they are no pairs of options and values, or name one twice."""
    pairs = words[:-1] if words and words[-1] == "--json" else words
    names, values = pairs[::2], pairs[1::2]
    sound = len(names) == len(values) == len(set(names)) and all(name.startswith("--") for name in names)
    return dict(zip(names, values, strict=True)) if sound else {}


def compared(options: Mapping[str, str]) -> dict[str, str]:
    """What has to be equal between a training and its baseline. Captions count by their file's name, which has their
    digest."""
    kept = {name: value for name, value in options.items() if name not in _OWN}
    return kept | ({"--captions": Path(kept["--captions"]).name} if "--captions" in kept else {})


def is_allowed(words: Sequence[str], inputs: Path | None = None) -> bool:
    """Whether a page may teach with these words after `teach`. inputs: the folder in which the job's files lie; None
    before it has one, when they are called `{input}/NAME`."""
    options = read(words)
    if not options or words[-1] != "--json" or not options.keys() >= _NEEDED:
        return False
    if ("--fresh" in options) == ("--benchmark" in options):
        return False
    return all(_fits(name, value, inputs) for name, value in options.items())


def _fits(name: str, value: str, inputs: Path | None) -> bool:
    if value.startswith("-") or not value.isprintable():
        return False
    if name in _VALUES:
        return re.fullmatch(_VALUES[name], value) is not None
    if name == "--model":
        return _may_be_taught(value)
    if name == "--out":
        return _is_ours(Path(value))
    if name == "--captions":
        return _is_input(value, inputs)
    return name == "--data"  # as for `run`: which folder a page offers, its pickers say


def _may_be_taught(spec: str) -> bool:
    try:
        pool.guard(spec)
    except FlipsideError:
        return False
    return spec.startswith(_TAUGHT) or spec in pool.available()


def _is_ours(folder: Path) -> bool:
    """Whether it lies directly in the folder of trainings, under a plain name, and leads nowhere else."""
    root = taught_dir().resolve()
    return folder.parent == root and NAME.fullmatch(folder.name) is not None and not folder.is_symlink()


def _is_input(value: str, inputs: Path | None) -> bool:
    name = value.removeprefix(INPUT) if inputs is None else Path(value).name
    plain = re.fullmatch(r"[\w-]{1,60}\.jsonl", name) is not None
    return plain and value == (f"{INPUT}{name}" if inputs is None else str(inputs / name))
