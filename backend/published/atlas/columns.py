"""The 136 columns of the Atlas' file: what each measures, on how many items, and which of our rates is the same one.

`items` in columns.csv is the smallest number of items of which every rate of the column is a whole share; where there
is none up to 60,000 it is that of the original release if all models but one agree with it (EqBen), else empty: a mean
over parts.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

TABLE: Final = Path(__file__).resolve().parent / "columns.csv"
Group = Literal["compositionality", "retrieval", "zero-shot"]

#: As the file calls them, as they are written.
NAMES: Final = {
    "aro": "ARO",
    "colorswap": "ColorSwap",
    "crepe": "CREPE",
    "eqben": "EqBen",
    "imagecode": "ImageCoDe",
    "mmvp_vlm": "MMVP-VLM",
    "sugarcrepe": "SugarCrepe",
    "svo_probes": "SVO-Probes",
    "valse": "VALSE",
    "vl_checklist": "VL-CheckList",
    "whatsup": "What'sUp",
    "winoground": "Winoground",
    "coco_karpathy": "COCO",
    "flickr30k": "Flickr30k",
    "elevator": "zero-shot",
}
COMPOSITIONALITY: Final = tuple(NAMES)[:12]
RETRIEVAL: Final = ("coco_karpathy", "flickr30k")
ZERO_SHOT: Final = "elevator"


@dataclass(frozen=True, slots=True)
class Same:
    """Our rate with the same benchmark, subset, split and metric. split: "" for all of it."""

    benchmark: str
    subset: str
    split: str
    metric: str


@dataclass(frozen=True, slots=True)
class Column:
    """key: as in the file's header. items: behind the rate, None where that cannot be told. same: our counterpart."""

    key: str
    items: int | None
    same: Same | None

    @property
    def benchmark(self) -> str:
        return self.key.partition("::")[0]

    @property
    def part(self) -> str:
        return self.key.partition("::")[2]

    @property
    def title(self) -> str:
        """In words.

        >>> columns()[-1].title, columns()[-33].title
        ('zero-shot: voc2007classification', 'COCO: i2t R@1')
        """
        words = self.part.replace("::", ", ").replace("/", " ").replace("_", " ").removeprefix("eqben")
        return f"{NAMES[self.benchmark]}: {words}"

    @property
    def group(self) -> Group:
        if self.benchmark in RETRIEVAL:
            return "retrieval"
        return "zero-shot" if self.benchmark == ZERO_SHOT else "compositionality"


@cache
def columns() -> tuple[Column, ...]:
    """All of them, in the file's order.

    >>> len(columns()), columns()[0].key
    (136, 'aro::VG_Relation')
    """
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Column(
                row["column"],
                int(row["items"]) if row["items"] else None,
                Same(row["benchmark"], row["subset"], row["split"], row["metric"]) if row["benchmark"] else None,
            )
            for row in csv.DictReader(file)
        )


@cache
def of(benchmark: str) -> tuple[Column, ...]:
    """The columns of one benchmark, as the file calls it."""
    return tuple(each for each in columns() if each.benchmark == benchmark)
