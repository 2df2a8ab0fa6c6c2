"""Differences between two systems on the same items: their interval by halves of the clusters, and its test."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.clustered import Z, effective_number, interval
from backend.metrics.core.arrays import FloatArray, IntArray
from backend.metrics.paired.halves import LEAST, SAMPLES, Ends, between, ends, half_sums, two_sided
from backend.metrics.paired.resampling import cluster_index

#: Clusters that hold a difference: of fewer than so many, and of fewer than half, it is not told how skew theirs are.
TELLING = 15


@dataclass(frozen=True)
class Paired:
    """Difference of two rates on the same items: A minus B, its 95 % interval, two-sided p, number of items.

    >>> Paired(0.1, (0.0, 0.2), 0.05, 100).difference
    0.1
    """

    difference: float | None
    ci95: tuple[float, float] | None
    p: float | None
    n: int


def paired_bootstrap(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    clusters: ArrayLike | None = None,
    seed: int = 0,
    samples: int = SAMPLES,
) -> Paired:
    """Is A better than B on the same items (n,)? Values may be bool or float; NaN on either side leaves the item out.

    Interval and p by random halves of the clusters (`halves`; the name is of before): the same test. Of values from 0
    to 1 the interval is `widened` where few clusters hold a difference; of others it is None with fewer than
    `halves.LEAST` clusters, and where all differences are alike.

    >>> paired_bootstrap([1, 1, 1, 0], [1, 0, 0, 0]).difference
    0.5
    """
    a = np.asarray(correct_a, dtype=np.float64).reshape(-1)
    b = np.asarray(correct_b, dtype=np.float64).reshape(-1)
    gap = a - b
    index, _ = cluster_index(clusters, len(gap))
    keep = ~np.isnan(gap)
    gap, (index, n_clusters) = gap[keep], cluster_index(index[keep], int(keep.sum()))
    if n_clusters < 2:
        return Paired(float(gap.mean()) if len(gap) else None, None, None, len(gap))
    moved = of_halves(np.bincount(index, gap), np.bincount(index).astype(np.float64), samples, seed)
    p, found = two_sided(moved), ends(moved)
    sides = np.concatenate([a[keep], b[keep]])
    if sides.min() >= 0 and sides.max() <= 1:
        inside = widened(found, np.maximum(gap, 0.0), np.maximum(-gap, 0.0), index, n_clusters, p)
    else:
        inside = None if found is None or found.high - found.low < 1e-12 else found.holding(p)
    return Paired(float(gap.mean()), inside, p, len(gap))


def mean_interval(values: ArrayLike, clusters: ArrayLike | None = None, seed: int = 0) -> tuple[float, float] | None:
    """95 % interval of the mean of any values (n,), NaN left out, by random halves of the clusters; None without spread
    and with fewer than `halves.LEAST` clusters. Of shares of right ones `statistics.of_clusters` knows more.

    >>> mean_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    (1.0, 6.0)
    """
    data = np.asarray(values, dtype=np.float64).reshape(-1)
    index, _ = cluster_index(clusters, len(data))
    keep = ~np.isnan(data)
    index, n_clusters = cluster_index(index[keep], int(keep.sum()))
    if n_clusters < LEAST:
        return None
    return between(of_halves(np.bincount(index, data[keep]), np.bincount(index).astype(np.float64), seed=seed))


def of_halves(sums: ArrayLike, sizes: ArrayLike, samples: int = SAMPLES, seed: int = 0) -> FloatArray:
    """Ratios of two sums over clusters, (c,) and (c,), in random halves of them, (samples,); NaN where one is empty.

    >>> of_halves(np.array([1.0, 0.0]), np.array([1.0, 1.0])).tolist()
    [nan, 1.0, 0.0, 0.5]
    """
    drawn = half_sums(np.stack([np.asarray(sums), np.asarray(sizes)], axis=1), samples, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(drawn[:, 0] / drawn[:, 1])


def widened(
    found: Ends | None, won: FloatArray, lost: FloatArray, index: IntArray, n_clusters: int, p: float | None,
    weights: FloatArray | None = None, told: bool | None = None,
) -> tuple[float, float] | None:  # fmt: skip
    """The interval of a gain, won − lost, from its halves (`found`). won, lost: (n,) from 0 to 1. p: of the
    test. weights: (n,). told: whether enough clusters hold a difference, None: by `tell`.

    Where few hold one, halves see nothing of those that might have: there the interval is no narrower
    than what those of won and lost alone leave (square-and-add, Newcombe 1998, method 10), which stands alone where
    halves have no end. Where all verdict pairs are alike it is Tango's (1998) on the effective number of clusters,
    or on their number where the test, which counts each cluster once, is sure. In any case it holds 0 just where p is
    above .05. None for one cluster.

    >>> [round(end, 3) for end in widened(None, np.zeros(9), np.zeros(9), np.arange(9), 9, 1.0)]
    [-0.299, 0.299]
    """
    if n_clusters < 2:
        return None
    w = np.full(len(won), 1 / len(won)) if weights is None else weights / weights.sum()
    gain = float(w @ (won - lost))
    if np.ptp(won - lost) == 0:  # solved by hand: none differs, or each in the same way
        for number in (effective_number(np.bincount(index, w, n_clusters).astype(np.float64)), float(n_clusters)):
            reach = (1 + abs(gain)) * Z**2 / (number + Z**2)
            low, high = max(-1.0, gain - reach), min(1.0, gain + reach)
            if p is None or p > 0.05 or not low <= 0 <= high:
                break
        return (low, high) if p is None or p <= 0.05 else (min(low, 0.0), max(high, 0.0))
    inside = None if found is None else found.holding(p)
    if inside is not None and (tell(won + lost, index, n_clusters) if told is None else told):
        return inside
    up, down = (interval(side, index, n_clusters, weights) for side in (won, lost))
    if up is None or down is None:
        return inside
    low = gain - float(np.hypot(w @ won - up[0], down[1] - w @ lost))
    high = gain + float(np.hypot(up[1] - w @ won, w @ lost - down[0]))
    if inside is None:
        return min(low, 0.0), max(high, 0.0)  # so few clusters that no p is small
    return no_narrower(inside, low, high, p)


def no_narrower(inside: tuple[float, float], low: float, high: float, p: float | None) -> tuple[float, float]:
    """An interval stretched to low and high, but for the end that a p of at most .05 keeps from 0.

    >>> no_narrower((0.1, 0.2), -0.1, 0.3, 0.2), no_narrower((0.1, 0.2), -0.1, 0.3, 0.04)
    ((-0.1, 0.3), (0.1, 0.3))
    """
    apart = p is not None and p <= 0.05
    least, most = min(low, inside[0]), max(high, inside[1])
    return (
        inside[0] if apart and inside[0] > 0 >= least else least,
        inside[1] if apart and inside[1] < 0 <= most else most,
    )


def tell(differ: FloatArray, index: IntArray, n_clusters: int) -> bool:
    """Whether TELLING clusters, or half of them, hold a difference. differ: (n,) above 0 where there is one.

    >>> tell(np.array([1.0, 0.0, 0.0]), np.arange(3), 3), tell(np.ones(2), np.arange(2), 2)
    (False, True)
    """
    return int(np.count_nonzero(np.bincount(index, differ, n_clusters))) >= min(TELLING, n_clusters / 2)


__all__ = ["TELLING", "Paired", "mean_interval", "no_narrower", "of_halves", "paired_bootstrap", "tell", "widened"]
