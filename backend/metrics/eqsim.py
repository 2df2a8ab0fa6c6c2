"""Equivariance of the similarity on quads: deviations from the EqSim conditions (EqSim paper, Eq. 6)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logsumexp

from backend.kinds import PAIR_KINDS, PROBABILITIES, SPOKEN, Kind, listed
from backend.metrics.by_item import quad
from backend.metrics.core.arrays import FloatArray, as_scores

SETTINGS = ("raw", "softmax-cells", "softmax-pool")


class Deviations(NamedTuple):
    """One signed value an item for each condition of Eq. 6, float64 (n,); 0 is perfectly equivariant.

    >>> Deviations(np.zeros(1), np.zeros(1), np.zeros(1)).v1.tolist()
    [0.0]
    """

    v1: FloatArray
    v2_text: FloatArray
    v2_image: FloatArray

    def map(self, function: Callable[[FloatArray], FloatArray]) -> "Deviations":
        """The same function on each."""
        return Deviations(*(function(values) for values in self))


def deviations(scores: ArrayLike) -> Deviations:
    """Signed deviations of quads (n, 2, 2), s[i, j] image i with text j, in the unit of the scores; NaN where missing.

    v1 = s12 - s21; v2_text = (s11 - s12) - (s22 - s21), one text change against the other; v2_image =
    (s11 - s21) - (s22 - s12). Always v2_text - v2_image = -2 v1 and v2_text + v2_image = 2 (s11 - s22).

    >>> [values.tolist() for values in deviations([[[4.0, 2.0], [1.0, 8.0]]])]
    [[1.0], [-5.0], [-3.0]]
    """
    s = as_scores(scores, (2, 2))
    s11, s12, s21, s22 = s[:, 0, 0], s[:, 0, 1], s[:, 1, 0], s[:, 1, 1]
    return Deviations(s12 - s21, (s11 - s12) - (s22 - s21), (s11 - s21) - (s22 - s12))


def scale_free(dev: Deviations, scores: ArrayLike) -> Deviations:
    """Deviations divided by the standard deviation of all cells of the subset's quads (n, 2, 2), population form.

    Shrinking all scores changes nothing. Items with a missing cell do not count in the standard deviation; where it is
    0 (or there is no item) the result is NaN, undefined.

    >>> s = np.array([[[4.0, 2.0], [1.0, 8.0]]])
    >>> np.allclose(scale_free(deviations(s), s), scale_free(deviations(s / 7), s / 7))
    True
    """
    s = as_scores(scores, (2, 2))
    cells = s[~np.isnan(s).any(axis=(1, 2))]
    spread = float(np.std(cells)) if cells.size else 0.0
    return dev.map(lambda values: values / spread if spread > 0 else np.full(len(values), np.nan))


def in_spreads(scores: ArrayLike, subsets: ArrayLike) -> FloatArray:
    """Quads (n, 2, 2) whose scores have no unit, each divided by the standard deviation of all cells of its subset.

    subsets: (n,). Items with a missing cell do not count in the standard deviation; where it is 0 all are NaN.

    >>> in_spreads([[[4.0, 2.0], [2.0, 4.0]]], ["a"]).tolist()
    [[[4.0, 2.0], [2.0, 4.0]]]
    """
    s, found = as_scores(scores, (2, 2)), np.asarray(subsets)
    divided = np.full(s.shape, np.nan)
    for name in np.unique(found):
        rows = found == name
        cells = s[rows][~np.isnan(s[rows]).any(axis=(1, 2))]
        spread = float(np.std(cells)) if cells.size else 0.0
        if spread > 0:
            divided[rows] = s[rows] / spread
    return divided


def dev_over_margin(dev: Deviations, scores: ArrayLike) -> Deviations:
    """|deviation| / |group margin| of each item, unitless; NaN where the margin is exactly 0.

    The margin is the smallest of the quad's four comparisons. Ratios are heavy-tailed: report their median.

    >>> s = [[[4.0, 2.0], [1.0, 8.0]]]
    >>> dev_over_margin(deviations(s), s).v1.tolist()
    [0.5]
    """
    return over_margin(dev, quad(scores)["group_score"].margin)


def over_margin(dev: Deviations, margin: ArrayLike) -> Deviations:
    """The same by the group margins (n,) that `quad` gives, signed.

    >>> over_margin(Deviations(*[np.array([0.2, 0.1])] * 3), [0.4, -0.5]).v1.tolist()
    [0.5, 0.2]
    """
    size = np.abs(np.asarray(margin, dtype=np.float64))
    known = np.where(size > 0, size, np.nan)
    return dev.map(lambda values: np.abs(values) / known)


def normalise(
    scores: ArrayLike,
    kind: str,
    setting: str = "raw",
    n_tokens: ArrayLike | None = None,
    pool: ArrayLike | None = None,
    logit_scale: float = 1.0,
) -> FloatArray:
    """Stored scores of quads (n, 2, 2) on the scale in which deviations are measured.

    `raw`: itc the cosine; itm and vqa the probability of the stored log-odds; gen the mean log-probability a token
    (the stored sum over n_tokens: (n, 2) a text, or (n, 2, 2)).
    `softmax-cells`: softmax over an item's four cells. `softmax-pool`: softmax over a whole pool of scores, `pool` of
    any shape and of the same kind and form, or all given cells. Softmax takes logits: logit_scale x cosine, log-odds,
    mean log-probability.

    Raises ValueError for another setting, above all for one row or column: softmax over one row of a quad leaves one
    number in it, so that one of the two v2 sides vanishes identically.

    >>> normalise([[[0.0, 0.0], [0.0, 0.0]]], "itm").tolist()
    [[[0.5, 0.5], [0.5, 0.5]]]
    >>> normalise([[[0.0, 0.0], [0.0, 0.0]]], "itc", "softmax-cells").tolist()
    [[[0.25, 0.25], [0.25, 0.25]]]
    """
    if setting not in SETTINGS:
        raise ValueError(
            f"setting must be one of {', '.join(SETTINGS)}, got {setting!r}; a softmax over one row or column "
            "of a quad makes one side of v2 vanish identically"
        )
    s = as_scores(scores, (2, 2))
    if kind not in PAIR_KINDS or kind == Kind.SCORE:
        known = tuple(each for each in PAIR_KINDS if each != Kind.SCORE)
        raise ValueError(f"kind must be {listed(known)}, got {kind!r}")
    if kind in SPOKEN:
        if n_tokens is None:
            raise ValueError("gen needs n_tokens, the token count of each text")
        count = np.asarray(n_tokens, dtype=np.float64)
        count = np.where(count > 0, count, np.nan)
        s = s / (count[:, None, :] if count.ndim == 2 else count)
    if setting == "raw":
        return np.asarray(expit(s), dtype=np.float64) if kind in PROBABILITIES else s
    scale = logit_scale if kind == Kind.ITC else 1.0
    logits = s * scale
    if setting == "softmax-cells":
        return np.asarray(np.exp(logits - logsumexp(logits, axis=(1, 2), keepdims=True)), dtype=np.float64)
    every = logits if pool is None else np.asarray(pool, dtype=np.float64) * scale
    every = every[~np.isnan(every)]
    return np.exp(logits - logsumexp(every)) if every.size else np.full(s.shape, np.nan)


@dataclass(frozen=True)
class Summary:
    """Mean, mean absolute value, median absolute value of the n defined values; None where n is 0.

    >>> Summary(0, None, None, None).n
    0
    """

    n: int
    mean: float | None
    mean_absolute: float | None
    median_absolute: float | None


def summary(dev: Deviations) -> dict[str, Summary]:
    """A summary of each deviation, by name.

    >>> summary(Deviations(np.array([1.0, -3.0]), np.zeros(2), np.zeros(0)))["v1"]
    Summary(n=2, mean=-1.0, mean_absolute=2.0, median_absolute=2.0)
    """

    def describe(values: FloatArray) -> Summary:
        known = values[~np.isnan(values)]
        if not len(known):
            return Summary(0, None, None, None)
        size = np.abs(known)
        return Summary(len(known), float(known.mean()), float(size.mean()), float(np.median(size)))

    return {name: describe(values) for name, values in dev._asdict().items()}
