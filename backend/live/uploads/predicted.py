"""A look at predictions before they are added: how many belong to an item of the benchmark, and why others do not."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from backend.benchmarks import load_benchmark
from backend.items import Item, Kind
from backend.predictions import gpt4v
from backend.predictions.claim import Unmatched
from backend.predictions.finding import Items
from backend.predictions.matching import ORDER, match
from backend.predictions.reading import claims, listed

#: Items and statements that are looked at; adding looks at all of them.
MOST_ITEMS: Final = 50_000
MOST_STATEMENTS: Final = 20_000


@dataclass(frozen=True)
class Glance:
    """What would become of some files. statements: looked at; matched: of these, how many belong to an item; kinds:
    score kind -> items that it says something about; whole: whether all items and all statements were looked at."""

    statements: int
    matched: int
    n_items: int
    kinds: dict[str, int]
    unmatched: list[Unmatched]
    whole: bool


def glance(files: Sequence[Path], benchmark: str, data: Path | None, kind: Kind | None = None) -> Glance:
    """Match the first statements of some files with the first items of a benchmark; nothing is written.

    UsageError for files that are no predictions, or for a benchmark that is not there.
    """
    items: list[Item] = list(islice(load_benchmark(benchmark, data), MOST_ITEMS + 1))
    all_items = len(items) <= MOST_ITEMS
    items = items[:MOST_ITEMS]
    stream = (each for path in listed(files) for each in claims(path, data))
    looked = list(islice(stream, MOST_STATEMENTS + 1))
    found = match(looked[:MOST_STATEMENTS], Items(items.__getitem__, range(len(items)), len(items)), kind)
    kinds: dict[str, set[int]] = {}
    for part in found.parts:
        if len(found.parts[part]):
            name = str(Kind.VERDICT) if part.startswith(ORDER) else part.partition("@")[0]
            kinds.setdefault(name, set()).update(found.items_of(part))
    return Glance(
        min(len(looked), MOST_STATEMENTS),
        found.statements,
        len(items),
        {name: len(numbers) for name, numbers in kinds.items()},
        found.unmatched,
        all_items and len(looked) <= MOST_STATEMENTS,
    )


def has_orders(path: Path) -> bool:
    """Whether a file is one of those that come in two orders of asking."""
    return gpt4v.recognises(path)


ORDERS: Final = gpt4v.ORDERS
