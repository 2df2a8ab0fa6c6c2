"""How far sampling is to blame: Monte-Carlo standard errors of log P(t) and of what follows from it.

P(t) is the mean over n sampled images (VisualGPTScore, Eq. 13), so another draw of images gives another P(t). The
delta method on log-mean-exp (Efron and Tibshirani 1993, chapter 21) says by how much, to first order in 1/n. All texts
of a run are scored under the same images, so what two texts have in common cancels from their difference: errors of
margins are taken from the samples themselves, not by adding variances. One sample, or a blind model, shows no spread:
NaN, undefined.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import FloatArray


def influence(samples: ArrayLike) -> FloatArray:
    """What each sample adds to log-mean-exp, to first order: w_k / mean(w) - 1 with w = exp(samples), like `samples`.

    samples: (n, ...) natural logs, NaN where a sample is left out (it is the item's own image), which stays NaN. The
    mean over the first axis is 0. NaN where all are log 0.

    >>> influence(np.log([[1.0], [3.0]])).round(12).tolist()
    [[-0.5], [0.5]]
    """
    values = np.asarray(samples, dtype=np.float64)
    if not len(values):
        return np.zeros_like(values)
    there = ~np.isnan(values)
    top = np.where(there, values, -np.inf).max(axis=0)
    with np.errstate(invalid="ignore"):
        weight = np.where(there, np.exp(values - top), 0.0)  # the largest is 1, so nothing overflows
        mean = weight.sum(axis=0) / there.sum(axis=0)
        return np.asarray(np.where(there, weight / mean - 1.0, np.nan), dtype=np.float64)


def standard_error(influences: ArrayLike) -> FloatArray:
    """sd / sqrt(n) of influences (n, ...), with n - 1 in the variance, (...); NaN for fewer than two samples. Those
    left out (NaN) are not counted.

    Of a linear combination of log-probabilities: pass the same combination of their influences.

    >>> float(standard_error([[-0.5], [0.5], [float("nan")]])[0])
    0.5
    """
    values = np.asarray(influences, dtype=np.float64)
    there = ~np.isnan(values)
    n = there.sum(axis=0)
    mean = np.where(there, values, 0.0).sum(axis=0) / np.maximum(n, 1)
    squares = np.where(there, (values - mean) ** 2, 0.0).sum(axis=0)
    return np.asarray(np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1)), np.nan))


def log_mean_exp_error(samples: ArrayLike) -> FloatArray:
    """Standard error of log-mean-exp over the first axis: sd(w) / (sqrt(n) mean(w)), w = exp(samples).

    >>> log_mean_exp_error([[-1000.0], [-1000.0]]).tolist(), np.isnan(log_mean_exp_error([[-3.0]])).tolist()
    ([0.0], [True])
    """
    return standard_error(influence(samples))


def effective_samples(samples: ArrayLike) -> FloatArray:
    """How many equally weighted samples the mean rests on, (sum w)^2 / sum w^2 (Kish 1965), from 1 to n.

    Where it is far below n, a few images decide P(t) and the standard error is itself uncertain, rather too small.

    >>> effective_samples([[0.0], [-100.0]]).round(6).tolist()
    [1.0]
    """
    values = np.asarray(samples, dtype=np.float64)
    if not len(values):
        return np.full(values.shape[1:], np.nan)
    moved = influence(values)
    n = (~np.isnan(values)).sum(axis=0)
    spread = np.where(np.isnan(moved), 0.0, moved**2).sum(axis=0) / np.maximum(n, 1)
    return np.asarray(np.where((n > 0) & ~np.isnan(moved).all(axis=0), n / (1.0 + spread), np.nan), dtype=np.float64)


def prior_influence(prior_sums: ArrayLike, n_tokens: ArrayLike, norm: str = "token") -> FloatArray:
    """Influences of the prior term p of `alpha.normalise`, (samples, ..., texts), in its unit.

    prior_sums: (samples, ..., texts) sums of log-probabilities; n_tokens: (..., texts). `token`: log-mean-exp of the
    sums over the count, in nats a token. `sum`: not divided, in nats. `paper-score`: log-mean-exp of the means per
    token, in nats a token.

    Raises ValueError for another norm.

    >>> prior_influence(np.log([[[1.0]], [[3.0]]]), [[2]]).round(12).ravel().tolist()
    [-0.25, 0.25]
    """
    sums, count = np.asarray(prior_sums, dtype=np.float64), np.asarray(n_tokens, dtype=np.float64)
    count = np.where(count > 0, count, np.nan)
    if norm == "token":
        return influence(sums) / count
    if norm == "paper-score":
        return influence(sums / count)
    if norm != "sum":
        raise ValueError(f"norm must be 'token', 'sum' or 'paper-score', got {norm!r}")
    return influence(sums)


def break_point_error(prior_diff: ArrayLike, break_point: ArrayLike, diff_error: ArrayLike) -> FloatArray:
    """Standard error of gen_diff / prior_diff, the alpha where a comparison flips: |alpha / prior_diff| x its error.

    prior_diff: log P(truth) - log P(foil); diff_error: its standard error. NaN where prior_diff is 0: nothing flips.

    >>> float(break_point_error(-2.0, 0.5, 0.1))
    0.025
    """
    diff, at, error = (np.asarray(a, dtype=np.float64) for a in (prior_diff, break_point, diff_error))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.abs(at / diff) * error
    return np.asarray(np.where(np.isfinite(at) & (diff != 0), found, np.nan), dtype=np.float64)


def resampled_priors(
    prior_sums: ArrayLike, n_tokens: ArrayLike, norm: str = "token", resamples: int = 200, seed: int = 0
) -> Iterator[FloatArray]:
    """The prior term p of `alpha.normalise` under images drawn again, with replacement, from those that were sampled.

    One draw of images holds for all texts, as in the run; of those left out (NaN) an item gets none, and of its others
    the mean; NaN where the draw holds none of them. Arguments as in `prior_influence`; yields (..., texts).

    >>> [p.round(6).tolist() for p in resampled_priors([[-4.0], [-4.0]], [2], resamples=2)]
    [[-2.0], [-2.0]]
    """
    sums, count = np.asarray(prior_sums, dtype=np.float64), np.asarray(n_tokens, dtype=np.float64)
    count = np.where(count > 0, count, np.nan)
    n = len(sums)
    values = sums / count if norm == "paper-score" else sums
    there = ~np.isnan(values)
    top = np.where(there, values, -np.inf).max(axis=0, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        weight = np.where(there, np.exp(values - top), np.where(there.any(axis=0), 0.0, np.nan))
    rng = np.random.default_rng(seed)
    for _ in range(resamples if n > 1 else 0):
        drawn = rng.multinomial(n, np.full(n, 1 / n)).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            of_them = n if there.all() else np.tensordot(drawn, there.astype(np.float64), 1)
            p = top + np.log(np.tensordot(drawn, weight, 1) / of_them)
        yield p / count if norm == "token" else p


def resampled_error(
    statistic: Callable[[FloatArray], ArrayLike],
    prior_sums: ArrayLike,
    n_tokens: ArrayLike,
    norm: str = "token",
    resamples: int = 200,
    seed: int = 0,
) -> FloatArray:
    """Monte-Carlo standard error of anything computed from the prior term, an accuracy above all; NaN for one sample.

    The standard deviation over resampled images times sqrt(n / (n - 1)), because n resampled images spread by that much
    less than n new ones. The tests compare it with new images: right to some per cent from n = 2 on. The jackknife is
    not used: an accuracy jumps, and there it claims up to twice too much.

    >>> float(resampled_error(lambda p: p.mean(), [[-4.0], [-4.0]], [2]))
    0.0
    """
    n = len(np.asarray(prior_sums))
    found = np.array([statistic(p) for p in resampled_priors(prior_sums, n_tokens, norm, resamples, seed)])
    if not len(found):
        return np.full(np.shape(statistic(np.asarray(prior_sums, dtype=np.float64)[0])), np.nan)
    spread = np.where(np.ptp(found, axis=0) > 0, found.std(axis=0, ddof=1), 0.0)  # equal values have no rounding noise
    return np.asarray(spread * np.sqrt(n / (n - 1)), dtype=np.float64)
