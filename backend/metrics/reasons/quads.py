"""Quads, exactly: s_ij = mu + r_i + c_j ± gamma, where + is an image with its own caption (docs/reasons.md).

gamma is what the model binds, c what caption 1 gets under both images, r what image 1 gets with both captions. Text
score <=> gamma > |c|, image score <=> gamma > |r|, group score <=> both; EqSim's v1 = 2(r - c), v2 text side = 4c,
v2 image side = 4r. Verdicts and cells come from comparisons of the stored scores; gamma, c and r order and explain.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray, as_scores
from backend.metrics.core.compare import Outcomes, from_margins

#: The five cells, in the order of their codes; -1 is an undefined item.
QUAD_CELLS = ("right", "outvoted_by_caption", "outvoted_by_image", "outvoted_by_both", "no_binding")
RIGHT, CAPTION, IMAGE, BOTH, NO_BINDING = range(5)
#: Sums of two float64 scores nearer to each other than this many roundings of the largest are equal.
_ROUNDINGS = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Quads:
    """n quads, taken apart. NaN, False and -1 where a score is missing or not finite.

    gamma, c, r: float64 (n,), in the unit of the scale. gamma has the sign that the comparisons give it, so gamma > 0
    is exact. cell: intp (n,), into `QUAD_CELLS`. mirrored: the cell of the item's decoy, the same quad with its
    captions exchanged: (-gamma, -c, r). text, image: bool (n,), the two scores' verdicts. nested: bool (n,), one
    diagonal holds both the largest and the smallest score, so that the order alone does not decide the sign of gamma.

    >>> decompose([[[0.9, 0.1], [0.95, 0.96]]]).nested.tolist()
    [False]
    """

    gamma: FloatArray
    c: FloatArray
    r: FloatArray
    cell: IntArray
    mirrored: IntArray
    text: BoolArray
    image: BoolArray
    nested: BoolArray

    def __len__(self) -> int:
        return len(self.gamma)

    @property
    def defined(self) -> BoolArray:
        """Which quads have all four scores, bool (n,)."""
        return ~np.isnan(self.gamma)

    def take(self, rows: IntArray) -> "Quads":
        """Some of the quads, by their positions."""
        return Quads(*(getattr(self, each.name)[rows] for each in fields(self)))

    @property
    def group(self) -> BoolArray:
        """The group score's verdicts, bool (n,)."""
        return np.asarray(self.cell == RIGHT, dtype=np.bool_)


def decompose(scores: ArrayLike, scaled: ArrayLike | None = None) -> Quads:
    """Take quads (n, 2, 2) apart; s[i, j] is image i with caption j, image i belongs to caption i.

    scores: as they are judged (cosine, log-odds, log-probability under the page's norm). scaled: the same on the scale
    of the reasons (`scales.on_scale`); None: they are on it. Verdicts come from `scores`, gamma, c and r from `scaled`.

    >>> found = decompose([[[4.0, 2.0], [1.0, 8.0]], [[1.0, 2.0], [0.0, 3.0]]])
    >>> found.gamma.tolist(), found.c.tolist(), found.r.tolist()
    ([2.25, 0.5], [-1.25, -1.0], [-0.75, 0.0])
    >>> [QUAD_CELLS[code] for code in found.cell]
    ['right', 'outvoted_by_caption']
    """
    judged = as_scores(scores, (2, 2))
    s = judged if scaled is None else as_scores(scaled, (2, 2), "scaled")
    if len(s) != len(judged):
        raise ValueError(f"scaled must hold the same {len(judged)} quads, got {len(s)}")
    # Four columns, one a cell: what follows runs over each of them from end to end.
    j11, j12, j21, j22 = np.ascontiguousarray(judged.reshape(-1, 4).T)
    s11, s12, s21, s22 = np.ascontiguousarray(s.reshape(-1, 4).T)
    with np.errstate(invalid="ignore"):  # log 0 on both sides of a quad
        known: BoolArray = np.isfinite(j11 + j12 + j21 + j22 + (s11 + s12 + s21 + s22))
    if not known.all():
        s11, s12, s21, s22 = (np.where(known, cell, np.nan) for cell in (s11, s12, s21, s22))
    # What `by_item.quad` says of the quad, and of the same with its captions exchanged.
    text, image = known & (j11 > j12) & (j22 > j21), known & (j11 > j21) & (j22 > j12)
    text_back, image_back = known & (j12 > j11) & (j21 > j22), known & (j12 > j22) & (j21 > j11)
    largest = np.maximum(np.maximum(np.abs(s11), np.abs(s12)), np.maximum(np.abs(s21), np.abs(s22)))
    sign = _sign(s11 + s22, s12 + s21, largest)
    sign = np.where(text | image, 1.0, np.where(text_back | image_back, -1.0, sign))  # an order decides before any sum
    size = np.maximum(np.abs(s11 - s12 - s21 + s22) / 4, np.finfo(np.float64).tiny)
    return Quads(
        gamma=sign * size + 0.0, c=(s11 - s12 + s21 - s22) / 4, r=(s11 + s12 - s21 - s22) / 4,
        cell=_cells(sign, text, image, known), mirrored=_cells(-sign, text_back, image_back, known),
        text=text, image=image, nested=_nested((s11, s22), (s12, s21)),
    )  # fmt: skip


def _sign(own: FloatArray, other: FloatArray, largest: FloatArray) -> FloatArray:
    """The sign of own - other; 0 where they differ by rounding alone, NaN where undefined."""
    gap = own - other
    return np.where(np.abs(gap) <= _ROUNDINGS * largest, 0.0 * gap, np.sign(gap))


def _cells(sign: FloatArray, text: BoolArray, image: BoolArray, known: BoolArray) -> IntArray:
    bound = np.where(text & image, RIGHT, np.where(image, CAPTION, np.where(text, IMAGE, BOTH)))
    return np.where(known, np.where(sign > 0, bound, NO_BINDING), -1).astype(np.intp)


def _nested(own: tuple[FloatArray, FloatArray], other: tuple[FloatArray, FloatArray]) -> BoolArray:
    most, least = np.maximum(*own), np.minimum(*own)
    most_other, least_other = np.maximum(*other), np.minimum(*other)
    above, below = (most > most_other) & (least < least_other), (most < most_other) & (least > least_other)
    return np.asarray(above | below, dtype=np.bool_)


def group_match(scores: ArrayLike, scaled: ArrayLike | None = None) -> Outcomes:
    """GroupMatch of 2 x 2 groups (Zhu et al. 2025, arXiv 2510.07632): the true matching has the larger sum, gamma > 0.

    Arguments as of `decompose`. Chance is one half. It depends on the scale of the scores, so that is named beside it.
    The margin is s11 + s22 - s12 - s21 = 4 gamma.

    >>> group_match([[[4.0, 2.0], [1.0, 8.0]], [[0.1, 0.3], [0.3, 0.2]]]).correct.tolist()
    [True, False]
    """
    return from_margins(4 * decompose(scores, scaled).gamma)
