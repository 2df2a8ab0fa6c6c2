"""Rates with their uncertainty, and tests between two models on the same items."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, ndtri, stdtrit

from backend.metrics.core.arrays import FloatArray, IntArray, as_mask
from backend.metrics.paired.resampling import Paired, Statistic, bootstrap, cluster_index, mean, paired_bootstrap

Method = Literal["wilson", "bootstrap"]
#: From how many clusters on the bootstrap's percentiles are taken as they are.
ENOUGH = 40
#: … and from how many that hold the rarer of two outcomes.
TELLING = 15
#: A variance that rounding alone makes.
_NONE = 1e-15


@dataclass(frozen=True)
class Rate:
    """A value with what it rests on. Undefined: value None, n 0, ci95 None.

    value: a fraction (or a rank, a sum of fractions: see the metric). n: items, or queries, behind it. ties: how many
    of them failed only by an exact tie. ci95: 95 % interval in the unit of the value.

    >>> Rate(None, 0, 0, None).as_dict()
    {'value': None, 'n': 0, 'ties': 0, 'ci95': None}
    """

    value: float | None
    n: int
    ties: int
    ci95: tuple[float, float] | None

    def as_dict(self) -> dict[str, Any]:
        """The four fields as `report --json` prints them."""
        ci95 = None if self.ci95 is None else list(self.ci95)
        return {"value": self.value, "n": self.n, "ties": self.ties, "ci95": ci95}


UNDEFINED = Rate(None, 0, 0, None)


def wilson(k: float, n: float, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson score interval of k successes in n trials (Wilson 1927), without continuity correction; None for n = 0.

    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    return _wilson(k / n, n, float(ndtri((1 + level) / 2))) if n > 0 else None


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's interval of a share p of n, which need not be whole, at a quantile z."""
    spread = z * z / n
    centre = (p + spread / 2) / (1 + spread)
    half = z / (1 + spread) * float(np.sqrt(p * (1 - p) / n + spread / (4 * n)))
    return (0.0 if p == 0 else max(0.0, centre - half), 1.0 if p == 1 else min(1.0, centre + half))


def of_clusters(values: ArrayLike, clusters: ArrayLike, seed: int = 0) -> tuple[float, float] | None:
    """95 % interval of the mean of values in [0, 1] (n,), of which those of one cluster are not independent.

    The bootstrap's, which resamples clusters whole, where there are ENOUGH of them, and TELLING that hold each of two
    outcomes. Of fewer its percentiles are too narrow (at 5 to 20 clusters they hold the truth 78 to 93 times of 100; at
    60, of which five hold all that is wrong, 87 times), so there it is `effective`. Where clusters show no spread,
    Wilson's on their number: that all agree is no certainty. None with fewer than two clusters, unless all values are 0
    or all 1.

    >>> low, high = of_clusters([0, 1] * 20, np.repeat(np.arange(20), 2))  # each of 20 pairs half right
    >>> round(low, 3), round(high, 3)
    (0.299, 0.701)
    """
    data = np.asarray(values, dtype=np.float64).reshape(-1)
    index, c = cluster_index(clusters, len(data))
    if not c:
        return None
    if c < 2 or float(data.mean()) in (0.0, 1.0):
        return effective(data, index, c)
    ends = bootstrap(data, index, seed=seed) if are_enough(data, index, c) else None
    return ends if ends is not None and ends[0] < ends[1] else effective(data, index, c)


def are_enough(values: FloatArray, index: IntArray, n_clusters: int) -> bool:
    """Whether resampling clusters tells how sure a mean is: there are ENOUGH of them, and TELLING that hold something
    above 0 and something below 1 each. values (n,) in [0, 1]; index (n,): the cluster of each, counted from 0.

    >>> half, alone = np.arange(60) % 2.0, np.arange(60)
    >>> are_enough(half, alone, 60), are_enough(half * (alone < 28), alone, 60), are_enough(half, alone // 2, 30)
    (True, False, False)
    """
    if n_clusters < ENOUGH:
        return False
    above, below = (np.bincount(index[found], minlength=n_clusters) for found in (values > 0, values < 1))
    return min(int(np.count_nonzero(above)), int(np.count_nonzero(below))) >= TELLING


def effective(values: FloatArray, index: IntArray, n_clusters: int) -> tuple[float, float] | None:
    """Wilson's interval at the effective sample size, with Student's t at clusters - 1 in place of the normal quantile
    (Dean and Pagano 2015, as for surveys); on the number of clusters where they show no spread. None for one cluster,
    unless all values are 0 or all 1. As in `are_enough`.

    >>> [round(end, 3) for end in effective(np.array([0.0, 0.0, 1.0, 1.0] * 5), np.repeat(np.arange(10), 2), 10)]
    [0.199, 0.801]
    """
    p, n, c = float(values.mean()), len(values), n_clusters
    if p in (0.0, 1.0):
        return wilson(p * c, c)
    if c < 2:
        return None
    residuals = np.bincount(index, values - p, minlength=c)
    variance = float(residuals @ residuals) / n**2 * c / (c - 1)
    if variance < _NONE:
        return wilson(p * c, c)
    return _wilson(p, min(float(n), p * (1 - p) / variance), float(stdtrit(c - 1, 0.975)))


def rate(
    correct: ArrayLike,
    defined: ArrayLike | None = None,
    ties: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    method: Method | None = None,
    seed: int = 0,
) -> Rate:
    """Share of correct among defined items (n,), with n, ties and a 95 % interval.

    method: None takes `wilson` for independent items and `bootstrap` where `clusters` (n,) names what items share; of
    few clusters, and where they show no spread, see `of_clusters`. One cluster with mixed outcomes has no interval.

    >>> rate([True, False, True, True]).value
    0.75
    >>> rate([], []).value is None
    True
    """
    hits = np.asarray(correct, dtype=np.bool_).reshape(-1)
    keep = as_mask(defined, len(hits), "defined")
    n = int(keep.sum())
    if n == 0:
        return UNDEFINED
    k = int(hits[keep].sum())
    n_ties = int(as_mask(ties, len(hits), "ties")[keep].sum()) if ties is not None else 0
    if (method or ("wilson" if clusters is None else "bootstrap")) == "wilson":
        return Rate(k / n, n, n_ties, wilson(k, n))
    index, _ = cluster_index(clusters, len(hits))
    return Rate(k / n, n, n_ties, of_clusters(hits[keep], index[keep], seed))


@dataclass(frozen=True)
class McNemar:
    """The paired 2 x 2 table of two models and the exact two-sided p; p is None without items.

    >>> McNemar(1, 2, 3, 4, 1.0).n
    10
    """

    both: int
    only_a: int
    only_b: int
    neither: int
    p: float | None

    @property
    def n(self) -> int:
        """Items with a verdict from both models."""
        return self.both + self.only_a + self.only_b + self.neither


def mcnemar(correct_a: ArrayLike, correct_b: ArrayLike, defined: ArrayLike | None = None) -> McNemar:
    """McNemar's exact test (McNemar 1947): are the discordant items (n,) split evenly between A and B?

    p = min(1, 2 P(X <= min(only_a, only_b))), X ~ Binomial(only_a + only_b, 1/2); 1 without discordant items.
    defined: bool (n,), items where both models have a verdict.

    >>> round(mcnemar([1] * 6 + [0], [0] * 6 + [1]).p, 4)
    0.125
    """
    a = np.asarray(correct_a, dtype=np.bool_).reshape(-1)
    b = as_mask(correct_b, len(a), "correct_b")
    keep = as_mask(defined, len(a), "defined")
    a, b = a[keep], b[keep]
    only_a, only_b = int(np.sum(a & ~b)), int(np.sum(~a & b))
    p: float | None = None
    if len(a):
        p = min(1.0, 2 * float(bdtr(min(only_a, only_b), only_a + only_b, 0.5))) if only_a + only_b else 1.0
    return McNemar(int(np.sum(a & b)), only_a, only_b, int(np.sum(~a & ~b)), p)


__all__ = [
    "UNDEFINED", "McNemar", "Method", "Paired", "Rate", "Statistic",
    "bootstrap", "mcnemar", "mean", "of_clusters", "paired_bootstrap", "rate", "wilson",
]  # fmt: skip
