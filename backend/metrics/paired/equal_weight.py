"""Rates and gains in which every subset weighs the same, whatever its size: the mean over subsets of their own rates.

With items as they are, a benchmark's largest subset decides; with equal weight each subset does its share, as in tables
that average over subsets. Fewer items then bear more weight, so intervals are wider and need more items to hold.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from backend.metrics.core.arrays import FloatArray, IntArray
from backend.metrics.paired.paired import measures
from backend.metrics.paired.resampling import cluster_index, percentiles, resample_sums
from backend.metrics.paired.signflip import sign_flip

#: Resamples of the bootstrap; random sign assignments of the test.
SAMPLES, FLIPS = 2000, 20_000
#: With fewer clusters in the smallest subset than so many the interval covers less than 95 %. Simulated: 91 % with 20
#: of 260, 79 to 88 % with 5 of 125, 59 % at worst with 5 beside eight subsets of 400 (see test_equal_weight.py).
FEW = 40


@dataclass(frozen=True)
class Mean:
    """A mean over subsets, of rates or of gains; None where undefined. ci95: its 95 % interval; subsets: how many;
    least: clusters in the smallest of them.

    >>> Mean(0.5, None, 1, 1).value
    0.5
    """

    value: float | None
    ci95: tuple[float, float] | None
    subsets: int
    least: int


def mean_of(
    values: ArrayLike, subsets: ArrayLike, clusters: ArrayLike | None = None, *, gaps: bool = False, seed: int = 0
) -> Mean:
    """The mean over subsets of the mean of values (n,): verdicts of 0 or 1; gaps: differences of two systems' verdicts.

    subsets, clusters: (n,) ids. Interval: percentile bootstrap that resamples clusters whole within their subset (a
    cluster that lies in several within those that lie in the same), so that each subset keeps its size. Where no
    resample differs, Wilson's interval of each subset (of gaps Tango's, as in `paired.pair`) is put together by the
    root of the summed squares. None with fewer than two clusters.

    >>> mean_of([1, 1, 1, 0], ["large", "large", "large", "small"]).value
    0.5
    """
    data = np.asarray(values, dtype=np.float64).reshape(-1)
    if not len(data):
        return Mean(None, None, 0, 0)
    own, moved, inside = _resampled(data[:, None], subsets, clusters, seed)
    k, value = len(own), float(own.mean())
    if moved is None:
        return Mean(value, None, k, int(inside.min()))
    spread = np.ptp(moved) > 1e-12
    ci95 = percentiles(moved[:, 0]) if spread else _without_spread(own[:, 0], inside, gaps)
    return Mean(value, ci95, k, int(inside.min()))


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
    2 × 2 table. κ's interval: by the bootstrap of `mean_of`.

    Both fail on 1 of 4 large items and one of them on 1 more, and on the only small item both fail:

    >>> alike([1, 1, 0, 0, 0], [1, 1, 1, 0, 0], ["large"] * 4 + ["small"]).overlap  # (1/4 + 1) / (2/4 + 1)
    0.8333333333333334
    """
    a, b = (np.asarray(right, dtype=np.bool_).reshape(-1) for right in (correct_a, correct_b))
    if not len(a):
        return Alike(None, None, None, None, None)
    cells = np.stack([a & b, a & ~b, ~a & b, ~a & ~b], axis=1).astype(np.float64)
    own, moved, _ = _resampled(cells, subsets, clusters, seed)
    _, *found = (None if np.isnan(v) else float(v) for v in measures(own.mean(axis=0)))
    kappas = measures(moved)[2] if moved is not None else np.zeros(1)
    known = np.isfinite(kappas).all() and np.ptp(kappas) > 0
    return Alike(found[0], found[1], percentiles(kappas) if known else None, found[2], found[3])


def _resampled(
    data: FloatArray, subsets: ArrayLike, clusters: ArrayLike | None, seed: int
) -> tuple[FloatArray, FloatArray | None, IntArray]:
    """(means of the columns of data (n, c) in each subset (subsets, c), the means over subsets of each resample
    (SAMPLES, c), clusters in each subset); None instead of resamples with fewer than two clusters."""
    index, n_clusters, codes, k = _coded(subsets, clusters, len(data))
    each = [_by_cluster(column, index, codes, n_clusters, k) for column in data.T]
    counts = each[0][1]
    own = np.stack([sums.sum(axis=0) / counts.sum(axis=0) for sums, _ in each], axis=1)
    inside = counts > 0
    per_subset: IntArray = inside.sum(axis=0)
    if n_clusters < 2:
        return own, None, per_subset
    _, pattern = np.unique(inside, axis=0, return_inverse=True)
    table = np.concatenate([*(sums for sums, _ in each), counts], axis=1)
    drawn = np.zeros((SAMPLES, table.shape[1]))
    for of in range(int(pattern.max()) + 1):
        drawn += resample_sums(table[pattern.reshape(-1) == of], SAMPLES, seed + of)
    sums = drawn[:, :-k].reshape(SAMPLES, -1, k)
    return own, (sums / drawn[:, None, -k:]).mean(axis=2), per_subset


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


def _by_cluster(
    data: FloatArray, index: IntArray, codes: IntArray, n_clusters: int, k: int
) -> tuple[FloatArray, FloatArray]:
    """Sums and counts (clusters, subsets)."""
    place = index * k + codes
    sums, counts = (np.bincount(place, w, minlength=n_clusters * k).reshape(n_clusters, k) for w in (data, None))
    return sums.astype(np.float64), counts.astype(np.float64)


def _without_spread(own: FloatArray, clusters: IntArray, gaps: bool) -> tuple[float, float]:
    """The interval where within each subset every value is alike: how far each subset's own ends are from it."""
    z2 = float(ndtri(0.975)) ** 2
    away = (1 + np.abs(own) if gaps else 1.0) * z2 / (clusters + z2)
    reach, middle = float(np.sqrt(np.sum((away / len(own)) ** 2))), float(own.mean())
    return max(-1.0 if gaps else 0.0, middle - reach), min(1.0, middle + reach)


__all__ = ["FEW", "FLIPS", "SAMPLES", "Alike", "Mean", "alike", "equal_sign_flip", "mean_of"]
