"""For which alpha is an item right? Exact sets of alpha, one open interval (or a union of them) an item.

With gen_diff = log P(truth | image) - log P(foil | image) and prior_diff likewise without the image, a comparison of
debiased scores (VisualGPTScore, Eq. 7: log P(t|i) - alpha log P(t)) holds iff gen_diff - alpha prior_diff > 0: an open
half-line with the end point gen_diff / prior_diff. An item needs all of its comparisons: an open interval, possibly
empty. Division is correctly rounded, so the sets are exact at every float but the rounded end point itself, which
counts as a tie, a failure.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray, as_scores
from backend.metrics.core.compare import differences, real_texts

#: What the interface says where alpha does nothing.
CANCELS = "alpha cancels: the same text stands on both sides of every comparison"
#: Up to so many comparisons an item, columns are gone through one by one.
_FEW = 16


@dataclass(frozen=True)
class Intervals:
    """One open interval (lo, hi) an item, float64 (n,); lo = inf, hi = -inf where empty, NaN where undefined.

    note: what a reader must know, "" or `CANCELS`.

    >>> some = Intervals(np.array([0.2, -np.inf]), np.array([0.5, 0.4]))
    >>> some.contains(0.2).tolist(), (some & some).lo.tolist()
    ([False, True], [0.2, -inf])
    """

    lo: FloatArray
    hi: FloatArray
    note: str = ""
    valid: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    def __len__(self) -> int:
        return len(self.lo)

    @property
    def defined(self) -> BoolArray:
        """Which items have a verdict, bool (n,)."""
        return ~np.isnan(self.lo)

    @property
    def constant(self) -> bool:
        """True where no verdict depends on alpha."""
        return not (np.isfinite(self.lo).any() or np.isfinite(self.hi).any())

    def contains(self, alpha: float) -> BoolArray:
        """Which items are right at this alpha, bool (n,); False where undefined."""
        return (self.lo < alpha) & (alpha < self.hi)

    def __and__(self, other: "Intervals") -> "Intervals":
        """Both must hold (group = text & image)."""
        return _tidy(np.maximum(self.lo, other.lo), np.minimum(self.hi, other.hi))

    def take(self, index: ArrayLike) -> "Intervals":
        """The intervals of some items, by boolean mask or positions."""
        chosen = np.asarray(index)
        return Intervals(self.lo[chosen], self.hi[chosen], self.note)

    def pieces(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Non-empty open intervals as (owner, lo, hi); disjoint for one owner."""
        owner = np.flatnonzero(self.lo < self.hi)
        return owner, self.lo[owner], self.hi[owner]


def _tidy(lo: FloatArray, hi: FloatArray, note: str = "") -> Intervals:
    """Mark empty intervals and undefined items alike on both ends."""
    lo, hi = lo.copy(), hi.copy()
    unknown, empty = np.isnan(lo) | np.isnan(hi), lo >= hi
    lo[empty], hi[empty] = np.inf, -np.inf
    lo[unknown] = hi[unknown] = np.nan
    return Intervals(lo, hi, note)


def half_lines(gen_diff: ArrayLike, prior_diff: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The open set {alpha: gen_diff - alpha prior_diff > 0} as (lo, hi), any shape; (inf, -inf) where empty.

    NaN where a difference is NaN or the prior's is infinite. A positively infinite gen_diff always holds, a negatively
    infinite one never.

    >>> [ends.tolist() for ends in half_lines([1.0, 1.0, 1.0, -1.0], [2.0, -2.0, 0.0, 0.0])]
    [[-inf, -0.5, -inf, inf], [0.5, inf, inf, -inf]]
    """
    g, p = np.broadcast_arrays(np.asarray(gen_diff, np.float64), np.asarray(prior_diff, np.float64))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        end = np.asarray(g / p)
    rising = p > 0
    lo, hi = np.where(rising, -np.inf, end), np.where(rising, end, np.inf)
    odd = (p == 0) | ~(np.isfinite(g) & np.isfinite(p))
    if odd.any():  # hardly ever, and then a few
        lo[odd], hi[odd] = _constant(g[odd], p[odd], lo[odd], hi[odd])
    return lo, hi


def _constant(g: FloatArray, p: FloatArray, lo: FloatArray, hi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The ends where a difference is missing or infinite, or the prior's is 0; (lo, hi) for those that have ends."""
    always, never = (p == 0) & (g > 0) | (g == np.inf), (p == 0) & (g <= 0) | (g == -np.inf)
    unknown = np.isnan(g) | ~np.isfinite(p)
    low = np.where(unknown, np.nan, np.where(always, -np.inf, np.where(never, np.inf, lo)))
    return low, np.where(unknown, np.nan, np.where(always, np.inf, np.where(never, -np.inf, hi)))


def _versus(gen: FloatArray, prior: FloatArray, truth: list[int], foil: list[int]) -> Intervals:
    """All comparisons column truth[m] against column foil[m] of (n, columns) arrays."""
    lo, hi = half_lines(
        differences(gen[:, truth], gen[:, foil]),
        differences(prior[:, truth], prior[:, foil]),
    )
    return _tidy(*_both(lo, hi))


def _folded(values: FloatArray, of: np.ufunc, start: float) -> FloatArray:
    """np.maximum or np.minimum over each row of (n, m), (n,), NaN where one is; `start` of none. Few columns are gone
    through one by one, which takes a third of the time that numpy takes for short rows."""
    if values.shape[1] > _FEW:
        return np.asarray(of.reduce(values, axis=1))
    found = np.full(len(values), start)
    for column in values.T:
        of(found, column, out=found)
    return found


def _both(lo: FloatArray, hi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where all of an item's half-lines (n, m) hold."""
    return _folded(lo, np.maximum, -np.inf), _folded(hi, np.minimum, np.inf)


def intervals(gen: ArrayLike, prior: ArrayLike, n_texts: ArrayLike | None = None) -> Intervals:
    """Choice items: gen, prior (n, k+1) log-probabilities on one scale (see `alpha.normalise`), truth in column 0.

    Padding and n_texts as in `by_item.choice`; an item without a foil is undefined.

    >>> intervals([[-1.0, -2.0, -3.0]], [[-1.0, -3.0, -0.5]]).hi.tolist()
    [0.5]
    """
    g = as_scores(gen, (None,), "gen")
    p = as_scores(prior, (g.shape[1],), "prior")
    real = real_texts(g, n_texts)[:, 1:]
    lo, hi = half_lines(differences(g[:, :1], g[:, 1:]), differences(p[:, :1], p[:, 1:]))
    if real.all() and real.shape[1]:
        return _tidy(*_both(lo, hi))
    low, high = _both(np.where(real, lo, -np.inf), np.where(real, hi, np.inf))
    return _tidy(np.where(real.any(axis=1), low, np.nan), high)


def intervals_triplet(gen: ArrayLike, prior: ArrayLike) -> Intervals:
    """Triplets, image-to-text: gen, prior (n, 3), both paraphrases (columns 0 and 1) against the negative (2).

    >>> intervals_triplet([[-1.0, -1.5, -2.0]], [[-1.0, -1.0, -2.0]]).hi.tolist()
    [0.5]
    """
    return _versus(as_scores(gen, (3,), "gen"), as_scores(prior, (3,), "prior"), [0, 1], [2, 2])


def intervals_quad_text(gen: ArrayLike, prior: ArrayLike) -> Intervals:
    """Quads, text score: gen (n, 2, 2) [image, text], prior (n, 2), one value a text.

    >>> intervals_quad_text([[[-1.0, -2.0], [-2.0, -1.5]]], [[-1.0, -3.0]]).lo.tolist()
    [-0.25]
    """
    g, p = as_scores(gen, (2, 2), "gen").reshape(-1, 4), as_scores(prior, (2,), "prior")
    return _versus(g, p[:, [0, 1, 0, 1]], [0, 3], [1, 2])


def intervals_quad_image(gen: ArrayLike, prior: ArrayLike | None = None) -> Intervals:
    """Quads, image score: the same text stands on both sides, so alpha cancels and every verdict is constant.

    The result says so: `constant` is True and `note` is `CANCELS`. With prior (n, 2), items whose prior is missing are
    undefined, as they are for the text score. The group score is `text & image`.

    >>> image = intervals_quad_image([[[-1.0, -2.0], [-2.0, -1.5]]])
    >>> image.constant, image.note
    (True, 'alpha cancels: the same text stands on both sides of every comparison')
    """
    g = as_scores(gen, (2, 2), "gen").reshape(-1, 4)
    p = np.zeros((len(g), 2)) if prior is None else as_scores(prior, (2,), "prior") * 0.0
    found = _versus(g, p[:, [0, 1, 0, 1]], [0, 3], [2, 1])
    return Intervals(found.lo, found.hi, CANCELS)
