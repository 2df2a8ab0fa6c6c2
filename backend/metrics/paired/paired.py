"""Two systems on the same items: what one gains over the other, whether that is chance, and how far they agree."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.clustered import interval
from backend.metrics.core.arrays import FloatArray, IntArray, as_mask
from backend.metrics.paired.differences import tell, widened
from backend.metrics.paired.halves import SAMPLES, between, ends, half_sums
from backend.metrics.paired.resampling import cluster_index
from backend.metrics.paired.signflip import sign_flip

Interval = tuple[float, float]
#: κ is undefined in halves where both systems are always right, or always wrong: of so many it must be known.
KNOWN = 0.975


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
    samples: int = SAMPLES,
    seed: int = 0,
) -> Pair:
    """Compare two systems' verdicts (n,) on the same items.

    Intervals: random halves of the clusters (`halves`), so that the gain's holds 0 just where p is above .05; where few
    clusters hold a difference, see `differences.widened`. None with fewer than two clusters.

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
    counts = [int(v) for v in table]
    p = sign_flip(b.astype(np.float64) - a, index)
    gain_ci = kappa_ci = None
    if n_clusters >= 2:
        alone = n_clusters == len(a)
        rows = cells if alone else np.stack([np.bincount(index, column, n_clusters) for column in cells.T], axis=1)
        moved = measures(half_sums(rows, samples, seed))
        gain_ci = widened(ends(moved[0]), cells[:, 2], cells[:, 1], index, n_clusters, p)
        kappa_ci = kappa_interval(cells, moved[2], index, n_clusters)
    known = [None if np.isnan(v) else v for v in (agreement, kappa, overlap, chance)]
    return Pair(
        len(a), n_clusters, counts[0], counts[1], counts[2], counts[3], gain, gain_ci, p,
        known[0], known[1], kappa_ci, known[2], known[3],
    )  # fmt: skip


def kappa_interval(
    cells: FloatArray, kappas: FloatArray, index: IntArray, n_clusters: int, weights: FloatArray | None = None
) -> Interval | None:
    """Of κ, from its values in halves of the clusters; None where too many of these are undefined, or all the same.

    Where few clusters hold a difference, as in `differences.widened`, it is no narrower than the interval of the share
    of unequal verdicts makes it: κ = 1 − share / (1 − pe) at the chance agreement of all. cells: (n, 4), a one in each
    verdict's; weights: (n,).

    >>> kappa_interval(np.eye(4)[[0, 0, 3, 3]], np.ones(16), np.arange(4), 4)[1]
    1.0
    """
    if np.isfinite(kappas).mean() <= KNOWN:
        return None
    ends, differ = between(kappas), cells[:, 1] + cells[:, 2]
    if tell(differ, index, n_clusters):
        return ends
    of_unequal, apart = interval(differ, index, n_clusters, weights), 1 - _chance(cells, weights)
    if of_unequal is None or apart < 1e-12:
        return ends
    low, high = (1 - share / apart for share in of_unequal[::-1])
    return (max(-1.0, low), high) if ends is None else (max(-1.0, min(low, ends[0])), max(high, ends[1]))


def _chance(cells: FloatArray, weights: FloatArray | None) -> float:
    """How often systems with the two rates, and nothing else in common, agree."""
    both, only_a, only_b, neither = cells.mean(axis=0) if weights is None else weights @ cells
    a, b = both + only_a, both + only_b
    return float(a * b + (neither + only_b) * (neither + only_a))


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
        gain = (only_b - only_a) / n
    return np.stack([gain, po, kappa, overlap, chance])


__all__ = ["Interval", "Pair", "measures", "pair"]
