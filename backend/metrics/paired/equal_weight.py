"""Rates and gains in which every subset weighs the same, whatever its size: the mean over subsets of their own rates.

With items as they are, a benchmark's largest subset decides; with equal weight each subset does its share, as in tables
that average over subsets. Fewer items then bear more weight, so intervals are wider.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.clustered import interval
from backend.metrics.core.arrays import FloatArray, IntArray
from backend.metrics.paired.differences import of_halves, tell, widened
from backend.metrics.paired.halves import ends, half_sums
from backend.metrics.paired.paired import kappa_interval, measures
from backend.metrics.paired.resampling import cluster_index
from backend.metrics.paired.signflip import sign_flip

#: Random sign assignments of the test.
FLIPS = 20_000


@dataclass(frozen=True)
class Mean:
    """A mean over subsets, of rates or of gains; None where undefined. ci95: its 95 % interval; subsets: how many;
    least: clusters in the smallest of them. p: of gains, `equal_sign_flip`'s, which the interval agrees with.

    >>> Mean(0.5, None, 1, 1).value
    0.5
    """

    value: float | None
    ci95: tuple[float, float] | None
    subsets: int
    least: int
    p: float | None = None


def mean_of(
    values: ArrayLike, subsets: ArrayLike, clusters: ArrayLike | None = None, *, gaps: bool = False, seed: int = 0
) -> Mean:
    """The mean over subsets of the mean of values (n,): verdicts of 0 or 1; gaps: differences of two systems' verdicts.

    subsets, clusters: (n,) ids. Each verdict weighs the same as all of its subset. Interval of rates: that of
    `clustered.interval` at these weights; of gaps: random halves of the clusters, as in `paired.pair`, so that it
    holds 0 just where the p of `equal_sign_flip` is above .05. None with fewer than two clusters.

    >>> mean_of([1, 1, 1, 0], ["large", "large", "large", "small"]).value
    0.5
    """
    data = np.asarray(values, dtype=np.float64).reshape(-1)
    if not len(data):
        return Mean(None, None, 0, 0)
    index, n_clusters, codes, k = _coded(subsets, clusters, len(data))
    weights = _weights(codes, k)
    least = int(np.bincount(np.unique(codes * n_clusters + index) // n_clusters, minlength=k).min())
    value = float(np.mean(np.bincount(codes, data, k) / np.bincount(codes, minlength=k)))
    if not gaps:
        return Mean(value, interval(data, index, n_clusters, weights) if n_clusters > 1 else None, k, least)
    p = equal_sign_flip(data, subsets, clusters)
    sums, sizes = (np.bincount(index, of, n_clusters) for of in (weights * data, weights))
    moved = ends(of_halves(sums, sizes, seed=seed))
    won, lost = (side.astype(np.float64) for side in (data > 0, data < 0))
    told = all(
        tell((won + lost)[own], *cluster_index(index[own], int(own.sum()))) for own in (codes == s for s in range(k))
    )
    return Mean(value, widened(moved, won, lost, index, n_clusters, p, weights, told), k, least, p)


@dataclass(frozen=True)
class Alike:
    """How far two systems agree, each subset weighing the same: as the fields of these names of `paired.Pair`."""

    agreement: float | None
    kappa: float | None
    kappa_ci: tuple[float, float] | None
    overlap: float | None
    overlap_chance: float | None


def alike(
    correct_a: ArrayLike, correct_b: ArrayLike, subsets: ArrayLike, clusters: ArrayLike | None = None, seed: int = 0
) -> Alike:
    """Agreement, κ and shared failures of two systems' verdicts (n,), from the mean over subsets of the shares of their
    2 × 2 table. κ's interval: by random halves of the clusters.

    Both fail on 1 of 4 large items and one of them on 1 more, and on the only small item both fail:

    >>> alike([1, 1, 0, 0, 0], [1, 1, 1, 0, 0], ["large"] * 4 + ["small"]).overlap  # (1/4 + 1) / (2/4 + 1)
    0.8333333333333334
    """
    a, b = (np.asarray(right, dtype=np.bool_).reshape(-1) for right in (correct_a, correct_b))
    if not len(a):
        return Alike(None, None, None, None, None)
    cells = np.stack([a & b, a & ~b, ~a & b, ~a & ~b], axis=1).astype(np.float64)
    index, n_clusters, codes, k = _coded(subsets, clusters, len(cells))
    weighed = cells * _weights(codes, k)[:, None]
    _, *found = (None if np.isnan(v) else float(v) for v in measures(weighed.sum(axis=0)))
    ci95 = None
    if n_clusters > 1:
        rows = np.stack([np.bincount(index, column, n_clusters) for column in weighed.T], axis=1)
        kappas = measures(half_sums(rows, seed=seed))[2]
        ci95 = kappa_interval(cells, kappas, index, n_clusters, _weights(codes, k))
    return Alike(found[0], found[1], ci95, found[2], found[3])


def _weights(codes: IntArray, k: int) -> FloatArray:
    """What each verdict weighs, float64 (n,) of sum 1: each of k subsets the same. codes: (n,) its subset."""
    return np.asarray(1 / (k * np.bincount(codes, minlength=k)[codes]), dtype=np.float64)


def equal_sign_flip(
    gaps: ArrayLike, subsets: ArrayLike, clusters: ArrayLike | None = None, seed: int = 0
) -> float | None:
    """Two-sided p of "A and B are exchangeable within each cluster" from gaps (n,) of −1, 0 or 1 (B minus A), by the
    mean over subsets of the mean gap.

    A cluster's part d = Σ gap / (subsets · items of its subset) is as likely as −d. Where all subsets have one size
    this is `signflip.sign_flip`, exact; elsewhere sums of unequal parts have no such lattice, and p is (1 + those of
    FLIPS random sign assignments that reach the observed sum) / (FLIPS + 1), which keeps its level exactly (Phipson
    and Smyth 2010). None without items, 1 without any difference.

    >>> equal_sign_flip([1] * 6 + [-1], ["a"] * 7) == sign_flip([1] * 6 + [-1])
    True
    >>> equal_sign_flip([1] * 9 + [1], ["a"] * 9 + ["b"]) < 0.01
    True
    """
    data = np.asarray(gaps, dtype=np.float64).reshape(-1)
    if not len(data):
        return None
    index, n_clusters, codes, k = _coded(subsets, clusters, len(data))
    size = np.bincount(codes, minlength=k)
    if (size == size[0]).all():
        return sign_flip(data, index)
    parts = np.bincount(index, data / (k * size[codes]), minlength=n_clusters)
    sizes = np.abs(parts).round(14)
    unequal, many = np.unique(sizes[sizes > 0], return_counts=True)
    if not len(unequal):
        return 1.0
    rng = np.random.default_rng(seed)
    drawn = np.zeros(FLIPS)
    for part, times in zip(unequal, many, strict=True):
        drawn += part * (2.0 * rng.binomial(times, 0.5, FLIPS) - times)
    reached = int((np.abs(drawn) >= abs(float(parts.sum())) - 1e-12).sum())
    return (1 + reached) / (FLIPS + 1)


def _coded(subsets: ArrayLike, clusters: ArrayLike | None, n: int) -> tuple[IntArray, int, IntArray, int]:
    """(position of each item's cluster, how many there are, position of its subset, how many there are)."""
    index, n_clusters = cluster_index(clusters, n)
    codes, k = cluster_index(subsets, n)
    return index, n_clusters, codes, k


__all__ = ["FLIPS", "Alike", "Mean", "alike", "equal_sign_flip", "mean_of"]
