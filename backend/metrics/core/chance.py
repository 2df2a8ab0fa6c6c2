"""Chance levels: the expected value of a metric for independent continuous random scores (every ordering equally
likely). Enumerated over all orderings in the tests. A model that is blind to a difference can fall far below.

Each metric's entry in `registry` says its level: a number, or one of the functions in here.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from backend.metrics.core.arrays import FloatArray

#: (how many candidates each item or query has, (n,), n > 0; how many of them are right) -> the mean level, or None
#: where no item has one.
OfShape = Callable[[FloatArray, ArrayLike], float | None]
Level = float | OfShape | None


def recall_chance(n_candidates: ArrayLike, n_relevant: ArrayLike, k: int) -> FloatArray:
    """P(at least one of m relevant among the first k of N in random order) = 1 - C(N-m, k) / C(N, k), per query.

    >>> recall_chance([10, 10], [1, 5], 1).round(6).tolist()
    [0.1, 0.5]
    """
    total, good = np.broadcast_arrays(np.asarray(n_candidates, np.float64), np.asarray(n_relevant, np.float64))
    bad, first = total - good, np.minimum(k, total)
    certain = bad < first
    safe = np.where(certain, first, bad)
    log_miss = gammaln(safe + 1) - gammaln(safe - first + 1) - gammaln(total + 1) + gammaln(total - first + 1)
    return np.where(good <= 0, np.nan, np.where(certain, 1.0, 1 - np.exp(log_miss)))


def in_top(k: int = 1) -> OfShape:
    """One right text among an item's texts: P(it is among the first k); items with one text have no level.

    >>> in_top()(np.array([2.0, 4.0, 1.0]), 1), in_top(5)(np.array([10.0]), 1)
    (0.375, 0.5)
    """

    def level(counts: FloatArray, _: ArrayLike) -> float | None:
        several = counts[counts > 1]
        return float(np.mean(np.minimum(1, k / several))) if len(several) else None

    return level


def recall_at(k: int) -> OfShape:
    """The mean of `recall_chance` over queries that have something relevant.

    >>> recall_at(5)(np.array([10.0]), 1), recall_at(1)(np.array([5.0]), [0])
    (0.5, None)
    """

    def level(counts: FloatArray, relevant: ArrayLike) -> float | None:
        levels = recall_chance(counts, relevant, k)
        return None if np.isnan(levels).all() else round(float(np.nanmean(levels)), 12)

    return level


def right_share(counts: FloatArray, relevant: ArrayLike) -> float | None:
    """Each candidate the best equally often: the mean share of right ones.

    >>> right_share(np.array([2.0, 4.0]), [1, 1])
    0.375
    """
    right, of = np.broadcast_arrays(np.asarray(relevant, dtype=np.float64), counts)
    return float(np.mean(right[of > 0] / of[of > 0])) if (of > 0).any() else None
