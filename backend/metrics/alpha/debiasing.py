"""Debiasing by alpha (VisualGPTScore, Eq. 7): log P(t|i) - alpha log P(t), exact in alpha, never a grid.

The scales of the two terms, their difference, what flips between two values of alpha, and recall as a curve.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.alpha.curves import Curve, Domain, curve
from backend.metrics.alpha.open_intervals import Intervals
from backend.metrics.alpha.unions import Unions, recall_unions
from backend.metrics.core.arrays import FloatArray, IntArray
from backend.metrics.reasons.priors import log_mean

Norm = Literal["token", "sum", "paper-score"]


def normalise(
    gen_sum: ArrayLike,
    gen_n_tokens: ArrayLike,
    prior_sums: ArrayLike,
    norm: Norm = "token",
) -> tuple[FloatArray, FloatArray]:
    """Stored sums of log-probabilities to the two terms (g, p) of g - alpha p, float64, natural log.

    gen_sum: (..., texts), or (..., images, texts) with an image axis that the other two lack (quads, pools).
    gen_n_tokens: the vision-language model's own token count of each text, shaped like the prior or like gen_sum.
    prior_sums: (samples, ..., texts), log P(t | sample image k), NaN where the sample is the item's own image; or one
    row from a blind language model.

    `token`: P(t) = mean over samples of P(t | i_k) (Eq. 13, log-mean-exp of the sums); both terms divided by the
    count, so that at alpha = 1 it is the mean pointwise mutual information a token. `sum`: neither is divided.
    `paper-score`: Eq. 13 on Eq. 12 scores, p = log mean_k exp(prior_sum_k / n), g = gen_sum / n.
    A text of no tokens is undefined (NaN), except under `sum`.

    Raises ValueError for another norm.

    >>> g, p = normalise([[-4.0, -6.0]], [[2, 3]], [[[-6.0, -6.0]], [[-6.0, -6.0]]])
    >>> g.tolist(), p.tolist()
    ([[-2.0, -2.0]], [[-3.0, -2.0]])
    """
    gen, prior = np.asarray(gen_sum, dtype=np.float64), np.asarray(prior_sums, dtype=np.float64)
    count = np.asarray(gen_n_tokens, dtype=np.float64)
    if norm not in ("token", "sum", "paper-score"):
        raise ValueError(f"norm must be 'token', 'sum' or 'paper-score', got {norm!r}")
    count = np.where(count > 0, count, np.nan)
    has_images = gen.ndim == prior.ndim  # prior has a sample axis where gen has an image axis
    of_gen = np.expand_dims(count, -2) if has_images and count.ndim < gen.ndim else count
    of_prior = count[..., 0, :] if has_images and count.ndim == gen.ndim else count
    if norm == "paper-score":
        return gen / of_gen, log_mean_exp(prior / of_prior)
    if norm == "token":
        return gen / of_gen, log_mean_exp(prior) / of_prior
    return gen, log_mean_exp(prior)


def log_mean_exp(samples: ArrayLike) -> FloatArray:
    """log of the mean of exp over the first axis, without overflow. Samples that are NaN (under an item's own image)
    are left out; NaN where none is left.

    >>> log_mean_exp([[-1000.0], [-1000.0], [float("nan")]]).tolist()
    [-1000.0]
    """
    return log_mean(samples)


def debias(gen: ArrayLike, prior: ArrayLike, alpha: float) -> FloatArray:
    """g - alpha p (Eq. 7) for the margins of one setting; prior without the image axis of gen is spread over images.

    At an exact break-point a margin can differ from 0 by rounding; there the interval of `intervals` decides.

    >>> debias([[-1.0, -2.0]], [[-1.0, -3.0]], 0.5).tolist()
    [[-0.5, -0.5]]
    """
    g, p = np.asarray(gen, dtype=np.float64), np.asarray(prior, dtype=np.float64)
    p = np.expand_dims(p, -2) if p.ndim < g.ndim else p
    return g - alpha * p if alpha else np.where(np.isnan(p), np.nan, g)


class Flips(NamedTuple):
    """Positions of the items that become right (won) and that become wrong (lost), intp, ascending.

    >>> Flips(np.array([1]), np.array([0])).won.tolist()
    [1]
    """

    won: IntArray
    lost: IntArray


def flips(sets: Intervals | Unions, alpha_from: float, alpha_to: float) -> Flips:
    """Which items change between two alphas.

    >>> flips(Intervals(np.array([-np.inf, 0.5]), np.array([0.5, np.inf])), 0, 1)
    Flips(won=array([1]), lost=array([0]))
    """
    before, after = sets.contains(alpha_from), sets.contains(alpha_to)
    return Flips(np.flatnonzero(~before & after), np.flatnonzero(before & ~after))


def recall_curve(
    gen: ArrayLike,
    prior: ArrayLike,
    relevance: ArrayLike,
    k: int = 1,
    side: str = "i2t",
    domain: Domain = (0.0, 1.0),
) -> Curve:
    """Recall at k of a pool over alpha, exact, worked out on [0, 2] or the wider domain; see `recall_unions`.

    >>> recall_curve([[-1.0, -2.0]], [-1.0, -3.0], [[True, False]]).at([0.0, 0.5, 1.0]).tolist()
    [1.0, 0.0, 0.0]
    """
    valid = (min(0.0, domain[0]), max(2.0, domain[1]))
    return curve(recall_unions(gen, prior, relevance, k, side, valid), domain=domain)
