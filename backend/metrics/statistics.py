"""Rates with their uncertainty, and tests between two models on the same items."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, ndtri

from backend.metrics.clustered import interval, score_interval
from backend.metrics.core.arrays import as_mask
from backend.metrics.paired.differences import Paired, mean_interval, paired_bootstrap
from backend.metrics.paired.resampling import Statistic, bootstrap, cluster_index, mean

#: "bootstrap" is the name of before for "clusters".
Method = Literal["wilson", "clusters", "bootstrap"]


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
    return score_interval(k / n, n, float(ndtri((1 + level) / 2))) if n > 0 else None


def of_clusters(values: ArrayLike, clusters: ArrayLike, seed: int = 0) -> tuple[float, float] | None:
    """95 % interval of the mean of values in [0, 1] (n,), of which those of one cluster are not independent: see
    `clustered.interval`. None without values, and for one cluster unless all values are 0 or all 1. seed: of before;
    nothing is drawn any more.

    >>> low, high = of_clusters([0, 1] * 20, np.repeat(np.arange(20), 2))  # each of 20 pairs half right
    >>> round(low, 3), round(high, 3)
    (0.343, 0.657)
    """
    del seed
    data = np.asarray(values, dtype=np.float64).reshape(-1)
    index, c = cluster_index(clusters, len(data))
    return interval(data, index, c) if c else None


def rate(
    correct: ArrayLike,
    defined: ArrayLike | None = None,
    ties: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    method: Method | None = None,
    seed: int = 0,
) -> Rate:
    """Share of correct among defined items (n,), with n, ties and a 95 % interval.

    method: None takes `wilson` for independent items and `clusters` (see `of_clusters`) where `clusters` (n,) names
    what items share, and any do. One cluster with mixed outcomes has no interval. seed: as in `of_clusters`.

    >>> rate([True, False, True, True]).value
    0.75
    >>> rate([], []).value is None
    True
    """
    del seed
    hits = np.asarray(correct, dtype=np.bool_).reshape(-1)
    keep = as_mask(defined, len(hits), "defined")
    n = int(keep.sum())
    if n == 0:
        return UNDEFINED
    k = int(hits[keep].sum())
    n_ties = int(as_mask(ties, len(hits), "ties")[keep].sum()) if ties is not None else 0
    if clusters is None or method == "wilson":
        return Rate(k / n, n, n_ties, wilson(k, n))
    index, _ = cluster_index(clusters, len(hits))
    index, c = cluster_index(index[keep], n)
    ci95 = wilson(k, n) if c == n and method is None else interval(hits[keep].astype(np.float64), index, c)
    return Rate(k / n, n, n_ties, ci95)


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
    "bootstrap", "mcnemar", "mean", "mean_interval", "of_clusters", "paired_bootstrap", "rate", "wilson",
]  # fmt: skip
