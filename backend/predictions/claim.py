"""One statement of a system about one item, as its file makes it, before anybody has looked at the items."""

from dataclasses import dataclass
from enum import StrEnum

from backend.benchmarks.reading.guard import shown
from backend.items import Kind


class GivenScale(StrEnum):
    """What a number from 0 to 1 of kind itm or vqa would mean."""

    PROBABILITY = "probability"
    LOG_ODDS = "log-odds"


@dataclass(frozen=True, slots=True)
class Said:
    """The scale that a file itself tells. by: what tells it, as it stands in a sentence."""

    scale: GivenScale
    by: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands. key: the line (int), or the record's own key or number (str)."""

    file: str
    key: int | str

    def __str__(self) -> str:
        return f"{self.file}:{self.key}"


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A statement that belongs to no item, or says nothing that can be stored, and why."""

    place: Place
    reason: str

    def __post_init__(self) -> None:
        # It quotes the file, whose cells may be of any length, or steer the terminal that they are printed to.
        object.__setattr__(self, "reason", shown(self.reason))

    def document(self) -> dict[str, str | int]:
        """As `add-predictions --json` lists it."""
        where: dict[str, str | int] = {"line" if isinstance(self.place.key, int) else "item": self.place.key}
        return {"file": self.place.file, **where, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class About:
    """Which item is meant. ids: spellings of its id, the likeliest first; without any, image and caption say it.

    position: where neither is said, the item's place in the benchmark, from 0; -1 for none. of: how many items the file
    counts so; -1 where that is not known. task, texts, captions: what else stands beside a place: the name of the part
    that it is of, texts of the item, and those of them that are said to be captions.
    caption: for scores the text that is scored, for verdicts the true caption; negatives: false captions of the item.
    """

    ids: tuple[str, ...] = ()
    image: str = ""
    caption: str = ""
    negatives: tuple[str, ...] = ()
    position: int = -1
    of: int = -1
    task: str = ""
    texts: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A number. kind: "" where the file does not say. Indices as in `export --what scores`; -1 where there is none, and
    for a score that is known by its image and caption. said: the scale that the file tells, None for none. order: of
    asking, where a column names one, which is of verdicts alone."""

    about: About
    place: Place
    value: float
    kind: str = ""
    image_index: int = -1
    text_index: int = -1
    text_index_b: int = -1
    sample: int = -1
    n_tokens: int = -1
    said: Said | None = None
    order: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A choice between the captions of an item.

    right: whether it was the true one, None where the file does not say. chosen: the caption that was chosen, its
    position among the item's texts, "" where none was, None where the file does not say. order: which way of asking
    this was ("positive-first"), "" where there is one. image_index: of a quad's image, -1 for the item as a whole.
    side: "" or the score of a quad that the verdict is.
    """

    about: About
    place: Place
    right: bool | None = None
    chosen: str | int | None = None
    order: str = ""
    image_index: int = -1
    side: str = ""


Claim = Score | Verdict

#: The kind of scores that say none: a number for each image and caption that only ranks.
UNNAMED = Kind.ITC
