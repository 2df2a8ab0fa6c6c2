"""McNemar's exact test where verdicts share an image: whole clusters change sides, and the distribution is exact."""

from functools import reduce

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, gammaln, ndtr

from backend.metrics.core.arrays import FloatArray
from backend.metrics.paired.resampling import cluster_index

#: Up to so many steps the distribution is computed exactly; beyond, by the normal approximation.
EXACT = 20_000


def sign_flip(gaps: ArrayLike, clusters: ArrayLike | None = None) -> float | None:
    """Two-sided p of "A and B are exchangeable within each cluster", from gaps (n,) of −1, 0 or 1, or other whole
    numbers (B minus A).

    Under it a cluster's sum d is as likely as −d, independently of the others, so S = Σ ±|d| has a known distribution
    (Fisher's randomisation of matched pairs), and p = P(|S| ≥ |observed|). With one verdict a cluster this is McNemar's
    exact test. Exact by convolution of binomials up to Σ|d| = 20,000 (any size where all |d| are equal), normal beyond.
    None without items, 1 without any difference.

    >>> round(sign_flip([1] * 6 + [-1]), 4)
    0.125
    >>> sign_flip([1, 1, 1], ["same", "same", "same"])
    1.0
    """
    values = np.asarray(gaps, dtype=np.float64).reshape(-1)
    if not len(values):
        return None
    index, _ = cluster_index(clusters, len(values))
    sums = np.rint(np.bincount(index, values)).astype(np.int64)
    sizes, counts = np.unique(np.abs(sums[sums != 0]), return_counts=True)
    if not len(sizes):
        return 1.0
    observed, total = abs(int(sums.sum())), int(sizes @ counts)
    if len(sizes) == 1:
        trials = int(counts[0])
        return min(1.0, 2 * float(bdtr((trials - observed // int(sizes[0])) // 2, trials, 0.5)))
    if total > EXACT:
        return float(2 * ndtr(-observed / np.sqrt(float(sizes**2 @ counts))))
    # S = 2 T − total, where T adds each |d| with probability one half.
    spread = reduce(np.convolve, (_binomial(int(size), int(k)) for size, k in zip(sizes, counts, strict=True)))
    far = np.abs(2 * np.arange(total + 1) - total) >= observed
    return min(1.0, float(spread[far].sum()))


def _binomial(size: int, trials: int) -> FloatArray:
    """P(size · X = t) for t = 0 … size · trials, X ~ Binomial(trials, ½)."""
    k = np.arange(trials + 1)
    logs = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1) - trials * np.log(2.0)
    result = np.zeros(size * trials + 1)
    result[::size] = np.exp(logs)
    return result


__all__ = ["EXACT", "sign_flip"]
