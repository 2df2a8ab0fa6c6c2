"""The interval of a rate whose items share something, in clusters of any sizes: Wilson's at the effective sample size.

The variance between clusters is never taken as less than either of two says: the cluster-robust one (CR2, Bell and
McCaffrey 2002), which trusts no model and sees little where two clusters hold most items, and that of equally
correlated items (Rao and Scott 1992; the correlation by analysis of variance), which learns from the small clusters,
too. The quantile is Student's at the degrees of freedom of CR2 under that correlation (Imbens and Kolesár 2016): the
effective number of clusters, not their number. docs/methods.md says what it covers.
"""

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


def effective_number(sizes: FloatArray) -> float:
    """How many clusters of one size tell as much as these (Kish 1965): (Σ m)² / Σ m². sizes: (c,), above 0.

    >>> effective_number(np.array([2.0, 2.0, 2.0])), round(effective_number(np.array([100.0, 1.0, 1.0])), 2)
    (3.0, 1.04)
    """
    return float(sizes.sum() ** 2 / (sizes @ sizes))


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
    w = np.full(len(values), 1 / len(values)) if weights is None else weights / weights.sum()
    p, share = float(w @ values), np.bincount(index, w, n_clusters).astype(np.float64)
    number = effective_number(share)
    alike = np.ptp(values) == 0
    if alike and float(values[0]) in (0.0, 1.0):
        return score_interval(float(values[0]), number, Z)
    if n_clusters < 2:
        return None
    if alike:
        return score_interval(p, number, Z)
    rest = values - p
    robust = float((np.bincount(index, w * rest, n_clusters) ** 2 / (1 - share)).sum())
    rho = correlation(rest, index, n_clusters)
    alone = np.bincount(index, w * w, n_clusters).astype(np.float64)
    spread = float(w @ rest**2)
    modelled = spread * float(alone.sum() + rho * (share @ share - alone.sum()))
    freedom = max(1.0, degrees(share, alone + rho * (share**2 - alone)))
    size = p * (1 - p) / max(robust, modelled)
    # Few clusters that hold the rarer outcome tell little of how alike items are: no more degrees of freedom than they
    # give. But more alike than the same they cannot be, and then each cluster counts once.
    holding = [int(np.count_nonzero(np.bincount(index, side, n_clusters))) for side in (values, 1 - values)]
    usual, few = (float(stdtrit(nu, 0.975)) for nu in (freedom, min(freedom, min(holding) + 1.0)))
    once = min(size, number * p * (1 - p) / spread)
    return score_interval(p, max(size / few**2, once / usual**2), 1.0)


def correlation(rest: FloatArray, index: IntArray, n_clusters: int) -> float:
    """How alike two items of one cluster are, from 0 to 1: the intra-cluster correlation by analysis of variance. rest:
    (n,) distances from the mean.

    >>> correlation(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 0, 1, 1]), 2)
    1.0
    """
    size = np.bincount(index, minlength=n_clusters).astype(np.float64)
    n, within = len(rest), len(rest) - n_clusters
    if not within:
        return 0.0
    sums = np.bincount(index, rest, n_clusters)
    between = float(sums @ (sums / size))
    inside = (float(rest @ rest) - between) / within
    between /= n_clusters - 1
    typical = (n - float(size @ size) / n) / (n_clusters - 1)
    total = between + (typical - 1) * inside
    return min(1.0, max(0.0, (between - inside) / total)) if total > 0 else 0.0


def degrees(share: FloatArray, variance: FloatArray) -> float:
    """Satterthwaite's degrees of freedom of the CR2 variance of a mean: twice its squared mean over its variance where
    cluster c, which holds `share` of all, adds `variance` to that of the mean; both (c,).

    >>> round(degrees(np.full(5, 0.2), np.ones(5)), 6), round(degrees(np.array([0.8, 0.1, 0.1]), np.ones(3)), 2)
    (4.0, 1.3)
    """
    # The residual sums have the covariance D − h v' − v h' + h h' Σv; its trace, squared, over its squared norm.
    times, total = 1 / (1 - share), float(variance.sum())
    own, x, y = times * variance, np.sqrt(times) * share, np.sqrt(times) * variance
    xx, yy, xy = float(x @ x), float(y @ y), float(x @ y)
    trace = float(own.sum()) - 2 * xy + total * xx
    mixed = float(own @ (2 * x * y - total * x * x))
    norm = float(own @ own) - 2 * mixed + 2 * xx * yy + 2 * xy**2 + (total * xx) ** 2 - 4 * total * xx * xy
    return trace**2 / norm


__all__ = ["Z", "correlation", "degrees", "effective_number", "interval", "score_interval"]
