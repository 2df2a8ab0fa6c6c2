"""The one comparison under every metric: strict >, ties are failures and counted, NaN is undefined."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics import statistics
from backend.metrics.core.arrays import BoolArray, FloatArray, as_scores

#: So many comparisons of an item are few.
_FEW = 16


@dataclass(frozen=True)
class Outcomes:
    """One verdict an item.

    correct: bool (n,), False where undefined.
    margin: float64 (n,), positive score minus the best competitor (the smallest over an item's comparisons), in the
        unit of the scores; NaN where undefined.
    ties: bool (n,), the item fails only because its deciding comparison is exactly equal (margin 0).
    defined: bool (n,), every score the verdict needs is there.

    >>> verdicts = from_margins([0.5, 0.0, -1.0, float("nan")])
    >>> verdicts.correct.tolist(), verdicts.ties.tolist()
    ([True, False, False, False], [False, True, False, False])
    >>> verdicts.rate().n, round(verdicts.rate().value, 3), verdicts.rate().ties
    (3, 0.333, 1)
    """

    correct: BoolArray
    margin: FloatArray
    ties: BoolArray
    defined: BoolArray

    def __len__(self) -> int:
        return len(self.margin)

    def __and__(self, other: "Outcomes") -> "Outcomes":
        """Both must hold: the smaller margin decides; undefined where either is (group = text & image)."""
        return from_margins(np.minimum(self.margin, other.margin))

    def take(self, index: ArrayLike) -> "Outcomes":
        """The verdicts of some items, by boolean mask or positions."""
        return from_margins(self.margin[np.asarray(index)])

    def rate(self, clusters: ArrayLike | None = None, method: statistics.Method | None = None) -> statistics.Rate:
        """Share of correct among defined items; see `statistics.rate`."""
        return statistics.rate(self.correct, self.defined, self.ties, clusters, method)


def from_margins(margin: ArrayLike) -> Outcomes:
    """Outcomes from margins (n,): correct iff margin > 0, tie iff margin == 0, undefined iff NaN.

    >>> from_margins([1e-300, -0.0]).correct.tolist()
    [True, False]
    """
    values = np.asarray(margin, dtype=np.float64).reshape(-1)
    return Outcomes(correct=values > 0, margin=values, ties=values == 0, defined=~np.isnan(values))


def differences(winners: ArrayLike, losers: ArrayLike) -> FloatArray:
    """winners - losers in float64, with 0 where both are the same infinity (log 0 against log 0 is a tie).

    >>> differences([1.0, float("-inf")], [0.5, float("-inf")]).tolist()
    [0.5, 0.0]
    """
    won, lost = np.asarray(winners, dtype=np.float64), np.asarray(losers, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.asarray(won - lost)
    # Of finite scores that are equal this is 0 already; only infinite ones need a second look.
    return np.where(won == lost, 0.0, gaps) if np.isnan(gaps).any() else gaps


def compare(winners: ArrayLike, losers: ArrayLike, counted: ArrayLike | None = None) -> Outcomes:
    """Correct iff every counted comparison has winner > loser.

    winners, losers: (n, m), any float dtype, same unit. counted: bool (n, m), which comparisons an item has (None:
    all); an item without any is undefined, as is one with NaN in a counted comparison.

    >>> compare([[2.0, 2.0]], [[1.0, 2.0]]).ties.tolist()
    [True]
    """
    won = as_scores(winners, (None,), "winners")
    gaps = differences(won, as_scores(losers, (None,), "losers"))
    if counted is None and 0 < gaps.shape[1] <= _FEW:  # column by column, which is much faster than row by row
        least = gaps[:, 0].copy()
        for column in gaps.T[1:]:
            np.minimum(least, column, out=least)
        return from_margins(least)
    if counted is None:
        mask = np.ones(gaps.shape, dtype=np.bool_)
    else:
        mask = np.broadcast_to(np.asarray(counted, dtype=np.bool_), gaps.shape)
    margin = np.where(mask, gaps, np.inf).min(axis=1, initial=np.inf)
    return from_margins(np.where(mask.any(axis=1), margin, np.nan))


def real_texts(scores: ArrayLike, n_texts: ArrayLike | None = None) -> BoolArray:
    """Which cells of a padded (n, k+1) array are texts of the item, bool (n, k+1); the rest is padding.

    n_texts: (n,) how many texts each item has, truth included. Without it, NaN at the right end is padding and a NaN
    with a number to its right is a missing score.

    Raises ValueError where n_texts has another length or exceeds the columns.

    >>> real_texts([[1, float("nan"), 2, float("nan")]]).tolist()
    [[True, True, True, False]]
    """
    array = as_scores(scores, (None,))
    n, columns = array.shape
    if n_texts is None:
        there = ~np.isnan(array)
        counts = np.where(there.any(axis=1), columns - np.argmax(there[:, ::-1], axis=1), 0) if columns else np.zeros(n)
    else:
        counts = np.asarray(n_texts).reshape(-1)
        if len(counts) != n or (n and counts.max() > columns):
            raise ValueError(f"n_texts must hold {n} counts of at most {columns}, got {counts.tolist()[:5]}")
    result: BoolArray = np.arange(columns)[None, :] < counts[:, None]
    return result


__all__ = ["Outcomes", "compare", "differences", "from_margins", "real_texts"]
