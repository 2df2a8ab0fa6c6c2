"""Clumps of a map, and what each has more of than the rest: found in the map's plane, tested as a selection is, all
clumps and traits corrected together.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from backend.metrics.enrichment import (
    LEVEL,
    Contrast,
    contrast,
    errors_inside,
    least_when_shuffled,
    over_represented,
)
from backend.metrics.paired.multiplicity import holm
from backend.store.enrichment.density import hdbscan
from backend.store.enrichment.traits import Trait, Traits, inside
from backend.store.items.embeddings import Points

#: A map of more dots is not searched for clumps.
MOST = 12_000
#: Dots of the smallest clump: a share of all, and never fewer than so many.
SHARE, FEWEST = 1 / 40, 12
#: Dots whose distance says how dense a place is (`min_samples`).
NEIGHBOURS = 5


@dataclass(frozen=True)
class Clump:
    """contents: the dots of a clump; at: its middle (x, y) on the map; n_items: with a dot in it; found: traits beyond
    chance, the least p first; errors: its share of wrong items where that is beyond chance, else None."""

    contents: NDArray[np.intp]
    at: tuple[float, float]
    n_items: int
    found: list[tuple[Trait, Contrast]]
    errors: Contrast | None

    @property
    def holds(self) -> bool:
        """Whether anything of it is beyond chance."""
        return bool(self.found or self.errors)


@dataclass(frozen=True)
class Clumps:
    """each: all clumps, the largest first; tested: how many tests were corrected together; by_chance: of the shufflings
    of items, the share in which any trait of any clump reaches the p of the weakest trait that is told here; None where
    nothing is told, or where it would take too long."""

    each: list[Clump]
    tested: int
    by_chance: float | None


def is_searched(n: int) -> bool:
    """Whether a map of n dots is searched for clumps."""
    return 2 * smallest(n) <= n <= MOST


def smallest(n: int) -> int:
    """Dots of the smallest clump on a map of n."""
    return max(FEWEST, round(n * SHARE))


def labels_of(places: NDArray[np.floating]) -> NDArray[np.intp]:
    """Which clump each dot of a map (n, 2) that `is_searched` belongs to, -1 for none: by density in the plane. The
    same map gives the same clumps, on every processor."""
    # Fewer `NEIGHBOURS` than dots of the smallest clump leave fewer dots to no clump.
    return hdbscan(np.asarray(places, np.float64), smallest(len(places)), NEIGHBOURS)


def groups_of(
    places: NDArray[np.floating], labelled: Callable[[NDArray[np.floating]], NDArray[np.intp]] = labels_of
) -> list[NDArray[np.intp]]:
    """The dots of each clump, the largest first. labelled: what `labels_of` gives, or has given for the same map."""
    if not is_searched(len(places)):
        return []
    labels = labelled(places)
    found = [np.flatnonzero(labels == k) for k in range(int(labels.max()) + 1)]
    return sorted(found, key=lambda dots: (-len(dots), int(dots[0])))


def clumps(
    of: Points, traits: Traits, places: NDArray[np.floating],
    labelled: Callable[[NDArray[np.floating]], NDArray[np.intp]] = labels_of,
) -> Clumps:  # fmt: skip
    """The clumps of a map and what each is of. places: (n contents, 2); labelled: see `groups_of`."""
    groups = groups_of(places, labelled)
    if not groups:
        return Clumps([], 0, None)
    items = np.array([inside(traits, of, dots) for dots in groups])
    fine = np.asarray(items.any(axis=1) & ~items.all(axis=1), dtype=np.bool_)
    groups, items = [g for g, ok in zip(groups, fine, strict=True) if ok], items[fine]
    p = over_represented(traits.matrix, items) if len(groups) and traits.names else np.zeros((len(groups), 0))
    errors = [errors_inside(mine, traits.wrong) for mine in items] if traits.judged else [None] * len(groups)
    adjusted = holm([*p.ravel().tolist(), *(one.p for one in errors if one)])
    traits_p, errors_p = adjusted[: p.size].reshape(p.shape), iter(adjusted[p.size :].tolist())
    each = []
    for k, dots in enumerate(groups):
        found = [
            (traits.names[t], _contrast(traits, items[k], t, float(p[k, t]), float(traits_p[k, t])))
            for t in np.flatnonzero(traits_p[k] <= LEVEL).tolist()
        ]
        found.sort(key=lambda pair: (pair[1].p, -pair[1].ratio, pair[0].sort, pair[0].name))
        wrong = errors[k]
        if wrong is not None:
            wrong = replace(wrong, adjusted=next(errors_p))
        middle = np.median(places[dots], axis=0)
        at = (float(middle[0]), float(middle[1]))
        each.append(Clump(dots, at, int(items[k].sum()), found, wrong if wrong and wrong.holds else None))
    told = [one.p for clump in each for _, one in clump.found]
    least = least_when_shuffled(traits.matrix, items) if told else None
    by_chance = None if least is None else float(np.mean(least <= max(told) * (1 + 1e-9)))
    return Clumps(each, len(adjusted), by_chance)


def _contrast(traits: Traits, mine: NDArray[np.bool_], trait: int, p: float, adjusted: float) -> Contrast:
    column = traits.matrix[:, trait]
    counts = (int(column[mine].sum()), int(mine.sum()), int(column[~mine].sum()), int((~mine).sum()))
    return contrast(*counts, p, adjusted)
