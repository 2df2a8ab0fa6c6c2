"""The committed table of Winoground's score files: whose scores each one holds, and what is made of them."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from backend.kinds import Kind

TABLE: Final = Path(__file__).resolve().parent / "winoground.csv"
REPOSITORY: Final = "https://github.com/juletx/spatial-reasoning"
COMMIT: Final = "85f6c2a33fe58e6fddb4945d723d0ba10ca80521"
FOLDER: Final = "winoground/results"

#: What is done with a file's numbers before they are stored; the order of an item's four scores is the file's own.
Transformation = Literal["none", "logit / 100", "log-odds"]

#: The two folders of the repository: what a name is told apart by, who made the scores, and on which terms.
SETS: Final = {
    "baseline_scores": (
        "Winoground",
        "the scores behind Winoground's own table",
        "terms of these scores are not stated; they come from the gated data set's own statistics",
    ),
    "scores": ("Etxaniz", "further models scored by J. Etxaniz", "MIT, as their repository says"),
}


@dataclass(frozen=True, slots=True)
class ScoreFile:
    """One file. path: in the repository's results. name: on the screen. system: the model, head: which of its outputs.
    repeats: the name of the file that holds the same head, "" for none; how: how far their values agree."""

    path: str
    name: str
    spec: str
    system: str
    head: str
    kind: Kind
    transformation: Transformation
    repeats: str
    how: str
    size: int
    sha256: str

    @property
    def address(self) -> str:
        return f"https://raw.githubusercontent.com/juletx/spatial-reasoning/{COMMIT}/{FOLDER}/{self.path}"

    @property
    def source(self) -> str:
        """What the name is told apart by, where two files have it."""
        return SETS[self.path.partition("/")[0]][0]

    @property
    def terms(self) -> str:
        return SETS[self.path.partition("/")[0]][2]

    @property
    def other_heads(self) -> tuple[str, ...]:
        """The names of the files with another head of the same model."""
        mine = (self.system, self.head)
        return tuple(each.spec for each in score_files() if each.system == mine[0] and each.head != mine[1])

    def described(self) -> dict[str, Any]:
        """What the run's record says of where its scores are from (`model.public`)."""
        return {
            "name": self.name,
            "source": self.source,
            "system": self.system,
            "head": self.head,
            "other_heads": [f"predictions:{spec}" for spec in self.other_heads],
            "repeats": f"predictions:{self.repeats}" if self.repeats else None,
            "how_it_repeats": self.how or None,
            "transformation": self.transformation,
            "address": self.address,
            "commit": COMMIT,
            "terms": self.terms,
            "sharing": "verdicts",
        }


@cache
def score_files() -> tuple[ScoreFile, ...]:
    """All 58, in the table's order.

    >>> len(score_files()), score_files()[0].name, score_files()[0].kind
    (58, 'clip', <Kind.ITC: 'itc'>)
    """
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(
            ScoreFile(
                row["file"], row["name"], row["spec"], row["model"], row["head"], Kind(row["kind"]),
                row["transformation"], row["repeats"], row["how"], int(row["bytes"]), row["sha256"],  # type: ignore[arg-type]
            )
            for row in csv.DictReader(file)
        )  # fmt: skip
