"""The interval of a rate whose items share something, in clusters of any sizes: Wilson's at the effective sample size.

The variance between clusters is never taken as less than either of two says: the cluster-robust one (CR2, Bell and
McCaffrey 2002), which trusts no model and sees little where two clusters hold most items, and that of equally
correlated items (Rao and Scott 1992; the correlation by analysis of variance), which learns from the small clusters,
too. The quantile is Student's at the degrees of freedom of CR2 under that correlation (Imbens and Kolesár 2016): the
effective number of clusters, not their number. docs/methods.md says what it covers.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from backend.metrics.core.arrays import FloatArray, IntArray

#: The normal quantile of a 95 % interval.
Z = float(ndtri(0.975))


def score_interval(p: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's interval of a share p of n, which need not be whole, at a quantile z.

    >>> [round(end, 4) for end in score_interval(0.8, 10, 1.96)]
    [0.4902, 0.9433]
    """
    spread = z * z / n
    centre = (p + spread / 2) / (1 + spread)
    half = z / (1 + spread) * float(np.sqrt(p * (1 - p) / n + spread / (4 * n)))
    return (0.0 if p == 0 else max(0.0, centre - half), 1.0 if p == 1 else min(1.0, centre + half))


def effective_number(sizes: FloatArray, times: FloatArray | None = None) -> float:
    """How many clusters of one size tell as much as these (Kish 1965): (Σ m)² / Σ m². sizes: (c,), above 0; times: (c,)
    how many there are of each, None: one.

    >>> effective_number(np.array([2.0, 2.0, 2.0])), round(effective_number(np.array([100.0, 1.0, 1.0])), 2)
    (3.0, 1.04)
    """
    n = np.ones(len(sizes)) if times is None else times
    return float((n @ sizes) ** 2 / (n @ (sizes * sizes)))


def interval(
    values: FloatArray, index: IntArray, n_clusters: int, weights: FloatArray | None = None
) -> tuple[float, float] | None:
    """95 % interval of the mean of values (n,) in [0, 1]. index: (n,) the cluster of each, counted from 0. weights:
    (n,) above 0, None: all the same.

    Where all values are the same it is Wilson's on the effective number of clusters: that all agree is no certainty,
    and says nothing of how alike items of one cluster are. None for one cluster, unless all values are 0 or all 1.

    >>> [round(end, 3) for end in interval(np.array([0.0, 0.0, 1.0, 1.0] * 5), np.repeat(np.arange(10), 2), 10)]
    [0.199, 0.801]
    """
    of = _counted(values, index, n_clusters) if weights is None else None
    return _interval(of or _summed(values, index, n_clusters, weights))


@dataclass(frozen=True)
class _Clusters:
    """What an interval is made of, by cluster. Clusters that are equal in all of it may stand once, with their number.

    times: (c,) how many clusters each stands for; size: (c,) their items; share: (c,) of all weight; alone: (c,) sums
    of squared weights; own, rest: (c,) sums of the items' distances from the mean, weighted and not. mean: of all;
    spread: weighted mean of squared distances; squares: their plain sum; same: whether all values are one. holding:
    clusters with something above 0, and with something below 1.
    """

    times: FloatArray
    size: FloatArray
    share: FloatArray
    alone: FloatArray
    own: FloatArray
    rest: FloatArray
    mean: float
    spread: float
    squares: float
    same: bool
    holding: tuple[int, int]


def _counted(values: FloatArray, index: IntArray, n_clusters: int) -> _Clusters | None:
    """Of verdicts, 0 or 1: clusters of one size and as many hits are alike, and few differ among very many. None for
    other values."""
    hit = values == 1
    if not (hit | (values == 0)).all():
        return None
    sizes, hits = np.bincount(index, minlength=n_clusters), np.bincount(index[hit], minlength=n_clusters)
    step = int(sizes.max()) + 1
    kinds, times = _each(sizes * step + hits, step * step)
    size, hits = (kinds // step).astype(np.float64), (kinds % step).astype(np.float64)
    n = float(len(values))
    p = float(hits @ times) / n
    rest = hits - size * p
    squares = n * p * (1 - p)
    holding = int(times[hits > 0].sum()), int(times[hits < size].sum())
    return _Clusters(
        times, size, size / n, size / n**2, rest / n, rest, p, squares / n, squares, p in (0.0, 1.0), holding
    )  # fmt: skip


def _each(numbers: IntArray, below: int) -> tuple[IntArray, FloatArray]:
    """The different ones of some numbers from 0 to `below`, and how often each stands there."""
    if below <= 8 * len(numbers):  # counted, which is faster than sorting them
        times = np.bincount(numbers)
        kinds = np.flatnonzero(times)
        return kinds, times[kinds].astype(np.float64)
    kinds, times = np.unique(numbers, return_counts=True)
    return kinds, times.astype(np.float64)


def _summed(values: FloatArray, index: IntArray, n_clusters: int, weights: FloatArray | None) -> _Clusters:
    """Of any values, each cluster by itself."""

    def sums(of: FloatArray) -> FloatArray:
        return np.bincount(index, of, n_clusters).astype(np.float64)

    w = np.full(len(values), 1 / len(values)) if weights is None else weights / weights.sum()
    p = float(w @ values)
    rest = values - p
    holding = [int(np.count_nonzero(sums(side))) for side in (values, 1 - values)]
    return _Clusters(
        np.ones(n_clusters), np.bincount(index, minlength=n_clusters).astype(np.float64), sums(w), sums(w * w),
        sums(w * rest), sums(rest), float(values[0]) if np.ptp(values) == 0 else p, float(w @ rest**2),
        float(rest @ rest), bool(np.ptp(values) == 0), (holding[0], holding[1]),
    )  # fmt: skip


def _interval(of: _Clusters) -> tuple[float, float] | None:
    p, share, times = of.mean, of.share, of.times
    number = effective_number(share, times)
    if of.same and p in (0.0, 1.0):
        return score_interval(p, number, Z)
    if times.sum() < 2:
        return None
    if of.same:
        return score_interval(p, number, Z)
    robust = float(times @ (of.own**2 / (1 - share)))
    rho = _correlation(of.size, of.rest, of.squares, times)
    alone = float(times @ of.alone)
    modelled = of.spread * (alone + rho * (float(times @ share**2) - alone))
    freedom = max(1.0, degrees(share, of.alone + rho * (share**2 - of.alone), times))
    size = p * (1 - p) / max(robust, modelled)
    # Few clusters that hold the rarer outcome tell little of how alike items are: no more degrees of freedom than they
    # give. But more alike than the same they cannot be, and then each cluster counts once.
    usual, few = (float(stdtrit(nu, 0.975)) for nu in (freedom, min(freedom, min(of.holding) + 1.0)))
    once = min(size, number * p * (1 - p) / of.spread)
    return score_interval(p, max(size / few**2, once / usual**2), 1.0)


def correlation(rest: FloatArray, index: IntArray, n_clusters: int) -> float:
    """How alike two items of one cluster are, from 0 to 1: the intra-cluster correlation by analysis of variance. rest:
    (n,) distances from the mean.

    >>> correlation(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 0, 1, 1]), 2)
    1.0
    """
    size = np.bincount(index, minlength=n_clusters).astype(np.float64)
    sums = np.bincount(index, rest, n_clusters).astype(np.float64)
    return _correlation(size, sums, float(rest @ rest), np.ones(n_clusters))


def _correlation(size: FloatArray, sums: FloatArray, squares: float, times: FloatArray) -> float:
    """The same from the clusters' sizes and sums of distances, and the sum of all squared distances; each cluster
    stands for `times`."""
    n, c = float(times @ size), float(times.sum())
    within = n - c
    if not within:
        return 0.0
    between = float(times @ (sums**2 / size))
    inside = (squares - between) / within
    between /= c - 1
    typical = (n - float(times @ size**2) / n) / (c - 1)
    total = between + (typical - 1) * inside
    return min(1.0, max(0.0, (between - inside) / total)) if total > 0 else 0.0


def degrees(share: FloatArray, variance: FloatArray, times: FloatArray | None = None) -> float:
    """Satterthwaite's degrees of freedom of the CR2 variance of a mean: twice its squared mean over its variance where
    cluster c, which holds `share` of all, adds `variance` to that of the mean; both (c,). times: (c,) how many such
    clusters there are, None: one each.

    >>> round(degrees(np.full(5, 0.2), np.ones(5)), 6), round(degrees(np.array([0.8, 0.1, 0.1]), np.ones(3)), 2)
    (4.0, 1.3)
    """
    # The residual sums have the covariance D − h v' − v h' + h h' Σv; its trace, squared, over its squared norm.
    n = np.ones(len(share)) if times is None else times
    scale, total = 1 / (1 - share), float(n @ variance)
    own, x, y = scale * variance, np.sqrt(scale) * share, np.sqrt(scale) * variance
    xx, yy, xy = float(n @ (x * x)), float(n @ (y * y)), float(n @ (x * y))
    trace = float(n @ own) - 2 * xy + total * xx
    mixed = float(n @ (own * (2 * x * y - total * x * x)))
    norm = float(n @ (own * own)) - 2 * mixed + 2 * xx * yy + 2 * xy**2 + (total * xx) ** 2 - 4 * total * xx * xy
    return trace**2 / norm


__all__ = ["Z", "correlation", "degrees", "effective_number", "interval", "score_interval"]
