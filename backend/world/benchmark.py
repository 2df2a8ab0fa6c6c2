"""The world as a benchmark: the bundled edition, editions of any size, and editions read back from a folder."""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from backend.items import Benchmark, Item
from backend.paths import typed_path
from backend.world import edition
from backend.world.subsets.choice import choice_items
from backend.world.subsets.quads import quad_items
from backend.world.subsets.retrieval import retrieval_items
from backend.world.subsets.triplet import triplet_items

#: Items of the bundled edition, by subset and in order; other editions keep the proportions.
BUNDLED: Final = {
    "attribute": 450,
    "relation": 450,
    "count": 450,
    "location": 450,
    "size": 450,
    "triplet": 1040,
    "choice": 1040,
    "retrieval": 500,
}
BUNDLED_SEED: Final = 0

_MAKERS: Final[dict[str, Callable[[int, int], Iterator[Item]]]] = {
    **{concept: partial(quad_items, concept) for concept in ("attribute", "relation", "count", "location", "size")},
    "triplet": triplet_items,
    "choice": choice_items,
    "retrieval": retrieval_items,
}


def load(data_dir: str | Path | None = None) -> Benchmark:
    """The bundled edition, or the one that `flipside world --out` wrote into a folder."""
    if data_dir is None:
        return bundled()
    folder = typed_path(data_dir).resolve()
    edition.check(folder)
    return Benchmark("world", lambda: edition.read(folder), str(folder))


def bundled() -> Benchmark:
    """The edition that the shipped results are about."""
    return Benchmark("world", lambda: iter(_made(tuple(BUNDLED.values()), BUNDLED_SEED)))


def make(items: int, seed: int) -> Benchmark:
    """An edition of so many items in all; item n of a subset depends on the seed alone, not on the size."""
    return Benchmark("world", lambda: iter(_made(tuple(sizes(items).values()), seed)))


def sizes(items: int) -> dict[str, int]:
    """How many items each subset gets, in the proportions of the bundled edition (largest remainder).

    >>> sizes(10)
    {'attribute': 1, 'relation': 1, 'count': 1, 'location': 1, 'size': 1, 'triplet': 2, 'choice': 2, 'retrieval': 1}
    """
    total = sum(BUNDLED.values())
    shares = {name: divmod(items * n, total) for name, n in BUNDLED.items()}
    left = items - sum(whole for whole, _ in shares.values())
    rounded_up = sorted(shares, key=lambda name: -shares[name][1])[:left]
    return {name: whole + (name in rounded_up) for name, (whole, _) in shares.items()}


@lru_cache(maxsize=4)
def _made(counts: tuple[int, ...], seed: int) -> tuple[Item, ...]:
    return tuple(made for name, n in zip(BUNDLED, counts, strict=True) for made in _MAKERS[name](n, seed))
