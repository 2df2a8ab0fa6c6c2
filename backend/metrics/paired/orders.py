"""Two systems that were asked to choose in several orders: how much more often one names the truth, tested by item."""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import FloatArray
from backend.metrics.paired.differences import Paired
from backend.metrics.paired.resampling import cluster_index
from backend.metrics.paired.signflip import sign_flip


def of_orders(right_a: ArrayLike, right_b: ArrayLike, clusters: ArrayLike | None = None) -> Paired:
    """Does B name the truth more often than A? By each item's share of its orders in which it did, B minus A.

    right_a (n, j), right_b (n, k): 1 where the truth was chosen in that order, 0 where not, NaN where it was not asked;
    items that a side was not asked about at all are left out. clusters (n,) of items that are not independent. p:
    `signflip.sign_flip` of the shares in their smallest unit, a half of two orders. It is exact where an item was
    asked in as many orders of both; else the two shares have one mean where nobody is better, but not one spread, and
    p holds for many images. No interval is given: each rate has its own.

    >>> found = of_orders([[1, 0]] * 8, [[1, 1]] * 8)
    >>> found.difference, found.p, found.n
    (0.5, 0.0078125, 8)
    >>> of_orders([[1, 0], [0, 0]], [[1], [0]]).p
    1.0
    """
    (a, of_a), (b, of_b) = _shares(right_a), _shares(right_b)
    keep = (of_a > 0) & (of_b > 0)
    n = int(keep.sum())
    if not n:
        return Paired(None, None, None, 0)
    index, _ = cluster_index(clusters, len(a))
    gap = b[keep] - a[keep]
    # Where 1 of 2 stands beside 2 of 3 a sixth is the smallest step: sums of whole numbers have an exact distribution.
    unit = int(np.lcm.reduce(np.unique(np.concatenate([of_a[keep], of_b[keep]]))))
    return Paired(float(gap.mean()), None, sign_flip(np.rint(gap * unit), index[keep]), n)


def _shares(right: ArrayLike) -> tuple[FloatArray, "np.ndarray[tuple[int], np.dtype[np.int64]]"]:
    """Of each item the share right of the orders in which it was asked, and of how many; 0 where of none."""
    values = np.asarray(right, dtype=np.float64)
    asked = ~np.isnan(values)
    times = asked.sum(axis=1).astype(np.int64)
    return np.where(asked, values, 0.0).sum(axis=1) / np.maximum(times, 1), times


__all__ = ["of_orders"]
