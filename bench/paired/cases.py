"""Which comparisons there are, how large, and what each has to reach."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.paired import made
from bench.paired.made import Asked

#: The share of the bare forward pass that `run` has to reach, whatever is compared.
SHARE = 0.95
Size = tuple[int, int]


@dataclass(frozen=True)
class Case:
    """One comparison.

    kind: of the scores. what: said in the table, with the size in it. model: of class `Clip` or `Blip` (plain.py).
    form: writes the inputs of a size into a folder. full, usual, least: sizes; `least` is run, too, so that what starts
    and ends a process can be told from the work. part: items (itc, t2t) or pairs (all others) of the loop that are
    measured. ratio: how many times the loop `run` has to be; None where the issue names no figure. others: how many
    other pictures the captions are scored under.
    """

    name: str
    what: str
    kind: str
    model: Literal["clip", "captioner", "matcher"]
    benchmark: str
    form: Callable[..., list[Asked]]
    full: Size
    usual: Size
    least: Size
    part: int
    ratio: float | None = None
    others: int = 0

    @property
    def by_item(self) -> bool:
        """Whether the loop takes an item at a time, all of its texts with it."""
        return self.kind in ("itc", "t2t")

    def inputs(self, folder: Path, size: Size, side: Size = made.COCO) -> list[Asked]:
        """Write the files; what they ask. side: width and height of the pictures."""
        if self.form is made.visla:
            return made.visla(folder, size[0])
        return self.form(folder, *size, side)

    def pairs(self, items: list[Asked]) -> list[tuple[int, str, str]]:
        """(item, picture, text) of everything that is scored, in the loop's order."""
        if self.others:
            return list(made.others(items, self.others))
        return [(k, item.image, text) for k, item in enumerate(items) for text in item.texts]

    def units(self, items: list[Asked]) -> int:
        """How many steps the whole loop has: items, or pairs."""
        return len(items) if self.by_item else len(self.pairs(items))


CASES = {
    case.name: case
    for case in (
        Case(
            "itc", "SugarCrepe's form, {0} pictures, {1:,} items, open_clip ViT-B-32", "itc", "clip", "sugarcrepe",
            made.sugarcrepe, (1560, 7511), (130, 626), (8, 32), 24, 6,
        ),
        Case(
            "gen", "{0} pictures x {1} captions, BLIP captioner", "gen", "captioner", "custom",
            made.choices, (60, 16), (24, 16), (6, 16), 24, 6,
        ),
        Case(
            "pool-40", "pool of {0} x {1}, BLIP matching head", "itm", "matcher", "custom",
            made.pool, (40, 200), (4, 200), (2, 40), 24, 10,
        ),
        Case(
            "pool-itm", "pool of {0} x {1}, BLIP matching head", "itm", "matcher", "custom",
            made.pool, (50, 250), (4, 252), (2, 40), 24, 10,
        ),
        Case(
            "pool-gen", "pool of {0} x {1}, BLIP captioner", "gen", "captioner", "custom",
            made.pool, (50, 250), (4, 252), (2, 40), 24, 10,
        ),
        Case(
            "t2t", "VISLA's form, {0} rows, open_clip ViT-B-32", "t2t", "clip", "visla",
            made.visla, (973, 0), (240, 0), (8, 0), 24,
        ),
        Case(
            "counterfactual", "{0} choices of {1} captions, under 8 other pictures, too, BLIP matching head", "itm",
            "matcher", "custom", made.choices, (200, 2), (40, 2), (10, 2), 24, None, 8,
        ),
    )
}  # fmt: skip
