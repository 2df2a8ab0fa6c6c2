"""Two systems on the same items: what one gains over the other, whether that is chance, and how far they agree."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray, as_mask
from backend.metrics.paired.resampling import cluster_index, percentiles, resample_sums
from backend.metrics.paired.signflip import sign_flip

Interval = tuple[float, float]


@dataclass(frozen=True)
class Pair:
    """B against A on n verdicts in `clusters` clusters (verdicts that share an image); None where undefined.

    both, only_a, only_b, neither: the 2 × 2 table of right verdicts. gain: rate of B − rate of A, with its 95 %
    interval. p: see `signflip.sign_flip`. agreement: share of equal verdicts. kappa: Cohen's κ, agreement beyond that
    of two systems with the same rates and nothing else in common, with its 95 % interval. overlap: failures of both
    over failures of either (Jaccard); overlap_chance: the same for independent systems with these rates.

    >>> pair([1, 0], [1, 1]).both
    1
    """

    n: int
    clusters: int
    both: int
    only_a: int
    only_b: int
    neither: int
    gain: float | None
    gain_ci: Interval | None
    p: float | None
    agreement: float | None
    kappa: float | None
    kappa_ci: Interval | None
    overlap: float | None
    overlap_chance: float | None


def pair(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    samples: int = 2000,
    seed: int = 0,
) -> Pair:
    """Compare two systems' verdicts (n,) on the same items.

    Intervals: percentile bootstrap that resamples clusters whole, with both systems' verdicts, and each stratum at its
    own size (a cluster's stratum is the set of its items' strata). Where every resample gives the same gain there is no
    spread to show, and the interval is Tango's (1998) for such tables. None with fewer than two clusters.

    >>> found = pair([1, 1, 0, 0], [1, 1, 1, 0])
    >>> found.only_b, found.gain, found.p, found.overlap
    (1, 0.25, 1.0, 0.5)
    """
    a = np.asarray(correct_a, dtype=np.bool_).reshape(-1)
    b = as_mask(correct_b, len(a), "correct_b")
    index, n_clusters = cluster_index(clusters, len(a))
    cells = np.stack([a & b, a & ~b, ~a & b, ~a & ~b], axis=1).astype(np.float64)
    table = cells.sum(axis=0)
    if not len(a):
        return Pair(0, 0, 0, 0, 0, 0, *(None,) * 8)
    gain, agreement, kappa, overlap, chance = (float(v) for v in measures(table))
    gain_ci = kappa_ci = None
    if n_clusters >= 2:
        parts = _parts(cells, index, n_clusters, strata)
        drawn = np.zeros((samples, 4))
        for k, part in enumerate(parts):
            if part.rows is None:  # one verdict a cluster: the table says all, and one draw is a resample
                rng = np.random.default_rng(seed + k)
                drawn += rng.multinomial(part.clusters, part.table / part.table.sum(), samples)
            else:
                drawn += resample_sums(part.rows, samples, seed + k)
        moved = measures(drawn)
        gain_ci = percentiles(moved[0])
        if np.ptp(moved[0]) < 1e-12:
            gain_ci = _without_spread(gain, parts)
        kappa_ci = percentiles(moved[2]) if np.isfinite(moved[2]).all() and np.ptp(moved[2]) > 0 else None
    counts = [int(v) for v in table]
    p = sign_flip(b.astype(np.float64) - a, index)
    known = [None if np.isnan(v) else v for v in (agreement, kappa, overlap, chance)]
    return Pair(
        len(a), n_clusters, counts[0], counts[1], counts[2], counts[3], gain, gain_ci, p,
        known[0], known[1], kappa_ci, known[2], known[3],
    )  # fmt: skip


def measures(table: ArrayLike) -> FloatArray:
    """(gain, agreement, κ, overlap of failures, its chance) of 2 × 2 tables (..., 4): both, only A, only B, neither.

    κ = (po − pe) / (1 − pe), pe = a b + (1 − a)(1 − b) with the rates a and b (Cohen 1960). Chance of the overlap:
    u v / (u + v − u v) with the failure rates u and v. NaN where a denominator is 0.

    >>> measures([20, 5, 10, 15]).round(3).tolist()
    [0.1, 0.7, 0.4, 0.5, 0.286]
    """
    both, only_a, only_b, neither = np.moveaxis(np.asarray(table, dtype=np.float64), -1, 0)
    n = both + only_a + only_b + neither
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (both + only_a) / n, (both + only_b) / n
        po, pe = (both + neither) / n, a * b + (1 - a) * (1 - b)
        kappa = np.where(1 - pe > 1e-12, (po - pe) / np.where(1 - pe > 1e-12, 1 - pe, 1), np.nan)
        failed = only_a + only_b + neither
        overlap = np.where(failed > 0, neither / failed, np.nan)
        u, v = 1 - a, 1 - b
        chance = np.where(failed > 0, u * v / (u + v - u * v), np.nan)
    return np.stack([(only_b - only_a) / n, po, kappa, overlap, chance])


@dataclass(frozen=True)
class _Part:
    """A stratum: its 2 x 2 table (4,), its number of clusters, and their tables (clusters, 4); None where each cluster
    has one verdict."""

    table: FloatArray
    clusters: int
    rows: FloatArray | None


def _parts(cells: FloatArray, index: IntArray, n_clusters: int, strata: ArrayLike | None) -> list[_Part]:
    """The strata; a cluster that lies in several makes one with those that lie in the same."""
    codes = np.zeros(len(cells), np.intp)
    if strata is not None:
        codes, _ = cluster_index(strata, len(cells))
    if n_clusters == len(cells):
        tables = [np.bincount(codes, column) for column in cells.T]
        return [_Part(table, int(table.sum()), None) for table in np.stack(tables, axis=1)]
    inside = np.zeros((n_clusters, int(codes.max()) + 1), dtype=np.bool_)
    inside[index, codes] = True
    of = _alike(inside)
    by_cluster = np.stack([np.bincount(index, column, n_clusters) for column in cells.T], axis=1)
    members = [by_cluster[of == k] for k in range(int(of.max()) + 1)]
    return [_Part(rows.sum(axis=0), len(rows), rows) for rows in members]


def _alike(rows: BoolArray) -> IntArray:
    """Which of the different rows of (n, m) each one is, intp (n,), in their order: `np.unique` of axis 0.

    >>> _alike(np.array([[True, False], [False, True], [True, False]])).tolist()
    [1, 0, 1]
    """
    if rows.shape[1] > 52:
        return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)
    number = np.zeros(len(rows), dtype=np.int64)  # the first column is the first digit, so the order is the same
    for column in rows.T:
        number = 2 * number + column
    return cluster_index(number, len(number))[0]


def _without_spread(gain: float, parts: list[_Part]) -> Interval:
    """The interval where no resample differs, because within each stratum every verdict pair is alike.

    Tango's score interval solved by hand: it ends z² / (n + z²) from a gain of 0 without discordant items, and
    2 z² / (n + z²) from a gain of 1 or −1 with nothing else. Strata are put together by the square roots of the summed
    squares of their weighted distances (Zou and Donner's MOVER, 2008).
    """
    z2, n, square = float(ndtri(0.975)) ** 2, float(sum(part.table.sum() for part in parts)), 0.0
    for part in parts:
        size = float(part.table.sum())
        own = float(part.table[2] - part.table[1]) / size
        square += (size / n * (1 + abs(own)) * z2 / (part.clusters + z2)) ** 2
    return (max(-1.0, gain - square**0.5), min(1.0, gain + square**0.5))


__all__ = ["Interval", "Pair", "measures", "pair"]
