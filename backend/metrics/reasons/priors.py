"""P(t) of an item from sampled images that are not its own: what is left out, and how far the rest can be trusted.

A prior that counts the item's own image gives the truth back to itself: so images of the item and of its cluster are
taken out of the stored samples, item by item, and nothing is scored again.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from backend.metrics.core.arrays import FloatArray

#: Below so many effective samples nothing is said of a prior.
ENOUGH_SAMPLES = 5.0


def left_out(samples: ArrayLike, own: ArrayLike) -> FloatArray:
    """samples (K, n, texts), log P(t | image k), with NaN where image k belongs to the item's own cluster.

    own: bool (K, n). What follows in this file leaves NaN out.

    >>> left_out([[[-1.0]], [[-2.0]]], [[True], [False]]).ravel().tolist()
    [nan, -2.0]
    """
    values, mine = np.asarray(samples, dtype=np.float64), np.asarray(own, dtype=np.bool_)
    if values.ndim != 3 or mine.shape != values.shape[:2]:
        raise ValueError(f"samples (K, n, texts) and own (K, n) wanted, got {values.shape} and {mine.shape}")
    return np.where(mine[:, :, None], np.nan, values)


def log_mean(samples: ArrayLike) -> FloatArray:
    """log of the mean of exp over the first axis, NaN left out; NaN where nothing is left.

    >>> log_mean([[-1000.0, np.nan], [-1000.0, np.nan]]).tolist()
    [-1000.0, nan]
    """
    values = np.asarray(samples, dtype=np.float64)
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    if not len(values):
        return np.full(values.shape[1:], np.nan)
    total = logsumexp(np.where(there, values, -np.inf), axis=0)
    return np.asarray(np.where(count > 0, total - np.log(np.maximum(count, 1)), np.nan), dtype=np.float64)


def effective_samples(samples: ArrayLike) -> FloatArray:
    """(sum w)^2 / sum w^2 over the first axis, w = exp(samples), NaN left out; NaN where nothing is left.

    Take the smaller one of two texts that are compared.

    >>> effective_samples([[0.0, 0.0], [0.0, -100.0], [np.nan, np.nan]]).round(6).tolist()
    [2.0, 1.0]
    """
    values = np.asarray(samples, dtype=np.float64)
    there = ~np.isnan(values)
    if not len(values):
        return np.full(values.shape[1:], np.nan)
    kept = np.where(there, values, -np.inf)
    top = kept.max(axis=0)
    with np.errstate(invalid="ignore"):
        weight = np.where(there, np.exp(kept - np.where(np.isfinite(top), top, 0.0)), 0.0)
        return np.asarray(weight.sum(axis=0) ** 2 / (weight**2).sum(axis=0), dtype=np.float64)


def fewest_samples(samples: ArrayLike, n_tokens: ArrayLike, norm: str = "token") -> FloatArray:
    """The effective samples of each item, (n,): those of its text that has fewest; NaN where no text has a sample.

    samples: sums (K, n, texts), NaN left out. n_tokens: (n, texts). Under `paper-score` a sample's weight is that of
    its mean log-probability a token.

    >>> fewest_samples([[[0.0, 0.0]], [[0.0, -100.0]]], [[2, 2]]).round(6).tolist()
    [1.0]
    """
    sums, count = np.asarray(samples, dtype=np.float64), np.asarray(n_tokens, dtype=np.float64)
    each = effective_samples(sums / np.where(count > 0, count, np.nan) if norm == "paper-score" else sums)
    least = np.where(np.isnan(each), np.inf, each).min(axis=1, initial=np.inf)
    return np.where(np.isfinite(least), least, np.nan)


def jackknife_error(statistic: Callable[[FloatArray], FloatArray], samples: ArrayLike) -> FloatArray:
    """Monte-Carlo standard error of something smooth in P(t), a margin say: each sample left out once.

    samples: (K, n, ...), NaN left out; statistic: from (K, n, ...) to (n,). Items count their own samples (an item
    without sample k is not changed by leaving k out). NaN for fewer than two samples. Not for accuracies, which jump.

    >>> jackknife_error(lambda s: log_mean(s)[:, 0], np.log([[[1.0]], [[3.0]]])).round(3).tolist()
    [0.549]
    """
    values = np.asarray(samples, dtype=np.float64)
    there = np.sum((~np.isnan(values)).reshape(*values.shape[:2], -1), axis=2) > 0
    count = there.sum(axis=0)
    found = np.full(there.shape, np.nan)
    for k in range(len(values)):
        without = values.copy()
        without[k] = np.nan
        found[k] = np.where(there[k], statistic(without), np.nan)
    known = count > 1
    mean = np.where(there, found, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = np.where(there, (found - mean) ** 2, 0.0).sum(axis=0)
    return np.asarray(np.where(known, np.sqrt((count - 1) / np.maximum(count, 1) * squares), np.nan), dtype=np.float64)
