"""A look at predictions before they are added: how many belong to an item of the benchmark, and why others do not."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from backend import paths
from backend.engine.inputs.selection import Selection
from backend.intake.stubs import offered, open_or_stub
from backend.items import Item, Kind
from backend.kinds import ORDER
from backend.predictions import gpt4v
from backend.predictions.claim import GivenScale, Unmatched
from backend.predictions.finding import Items
from backend.predictions.matching import match
from backend.predictions.reading import claims, guesses, listed
from backend.predictions.scale import check

#: Items and statements that are looked at; adding looks at all of them.
MOST_ITEMS: Final = 50_000
MOST_STATEMENTS: Final = 20_000


@dataclass(frozen=True)
class Glance:
    """What would become of some files. statements: looked at; matched: of these, how many belong to an item; kinds:
    score kind -> items that it says something about; whole: whether all items and all statements were looked at;
    guesses: what the files leave open, and how it was read; hints: what to do about ids that no item has; misplaced:
    whether ids count from another number than the benchmark's, so that nothing can be added."""

    statements: int
    matched: int
    n_items: int
    kinds: dict[str, int]
    unmatched: list[Unmatched]
    whole: bool
    guesses: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    misplaced: bool = False


def glance(
    files: Sequence[Path],
    benchmark: str,
    data: Path | None,
    kind: Kind | None = None,
    scale: str | None = None,
) -> Glance:
    """Match the first statements of some files with the first items of a benchmark; nothing is written.

    UsageError for files that are no predictions or not on the scale that is said, or for a benchmark that is not there
    (Winoground without its files is its stub, where results were fetched).
    """
    given = check(scale)
    opened, _ = open_or_stub(benchmark, data, Selection(), paths.cache_dir())
    items: list[Item] = list(islice(opened, MOST_ITEMS + 1))
    all_items = len(items) <= MOST_ITEMS
    items = items[:MOST_ITEMS]
    stream = (each for path in listed(files) for each in claims(path, data))
    looked = list(islice(stream, MOST_STATEMENTS + 1))
    found = match(looked[:MOST_STATEMENTS], Items(items.__getitem__, range(len(items)), len(items)), kind, given)
    kinds: dict[str, set[int]] = {}
    for part in found.parts:
        if len(found.parts[part]):
            name = str(Kind.VERDICT) if part.startswith(ORDER) else part.partition("@")[0]
            kinds.setdefault(name, set()).update(found.items_of(part))
    whole = all_items and len(looked) <= MOST_STATEMENTS
    return Glance(
        min(len(looked), MOST_STATEMENTS),
        found.statements,
        len(items),
        {name: len(numbers) for name, numbers in kinds.items()},
        found.unmatched,
        whole,
        [*guesses(listed(files)), *found.guesses],
        found.hints if whole else [],
        whole and found.ids is not None and found.ids.misplaced,
    )


def by_number() -> list[str]:
    """The benchmarks that predictions can stand on by their item numbers, though their files were not read here."""
    return offered(paths.cache_dir())


def has_orders(path: Path) -> bool:
    """Whether a file is one of those that come in two orders of asking."""
    return gpt4v.recognises(path)


ORDERS: Final = gpt4v.ORDERS
#: On which scale numbers of itm and vqa may be said to be.
SCALES: Final = tuple(map(str, GivenScale))
