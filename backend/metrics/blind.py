"""What a scorer that knows nothing about the item would reach: the item-shuffled null of blind solvability.

Each foil is replaced by the truth of another item. Captions differ in likelihood as much as ever, but nothing tells
truth from foil any more. A blind scorer solves an item only where its margin is above the 95th percentile of such
shuffled margins. (Setting truths against other items' foils would keep exactly the difference that is to be found:
true captions are plausible, foils are not.) Ours: the papers print blind accuracies, no null.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.by_item import choice, triplet_i2t
from backend.metrics.core.arrays import BoolArray, FloatArray, as_scores
from backend.metrics.core.compare import from_margins


@dataclass(frozen=True)
class BlindNull:
    """thresholds: float64 (b,), one a scorer, in its unit, never below 0; NaN with fewer than two items.

    share: the share of shuffled items that at least two scorers "solve": the chance level of blind solvability; None
    with fewer than two scorers.

    >>> BlindNull(np.array([0.5]), None).passes(np.array([[0.6], [0.5]])).tolist()
    [[True], [False]]
    """

    thresholds: FloatArray
    share: float | None

    def passes(self, margins: FloatArray) -> BoolArray:
        """Which margins (n, b) are strictly above their scorer's threshold."""
        result: BoolArray = margins > self.thresholds
        return result


def blind_margins(scores: Sequence[ArrayLike], triplet: bool = False) -> FloatArray:
    """The margins (n, b) of b blind scorers, each (n, k+1) as in `by_item.choice` or (n, 3) as in `triplet_i2t`.

    >>> blind_margins([[[-1.0, -3.0]], [[-2.0, -2.5]]]).tolist()
    [[2.0, 0.5]]
    """
    judge = triplet_i2t if triplet else choice
    columns = [judge(table).margin for table in scores]
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0))


def blind_null(
    scores: Sequence[ArrayLike],
    triplet: bool = False,
    shuffles: int = 20,
    quantile: float = 0.95,
    seed: int = 0,
) -> BlindNull:
    """The null of each scorer and of two together: every shuffle moves the truths of all scorers alike.

    scores: b arrays for the same n items, mean log-probability a token or another length-free score, so that captions
    of different length can be compared; padding stays padding. Shuffles rotate a random order, so that no item meets
    its own truth. For triplets the first paraphrase of another item stands for the negative.

    >>> null = blind_null([[[-1.0, -3.0], [-2.0, -4.0]]] * 2, shuffles=4)
    >>> null.thresholds.tolist(), null.share
    ([1.0, 1.0], 0.0)
    """
    tables = [as_scores(table, (None,)) for table in scores]
    n = len(tables[0]) if tables else 0
    if n < 2:
        return BlindNull(np.full(len(tables), np.nan), None)
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(shuffles):
        order = rng.permutation(n)
        shuffled = [table.copy() for table in tables]
        for column in range(2 if triplet else 1, tables[0].shape[1]):
            source = np.empty(n, dtype=np.intp)
            source[order] = np.roll(order, int(rng.integers(1, n)))
            for table, moved in zip(tables, shuffled, strict=True):
                moved[:, column] = np.where(np.isnan(table[:, column]), np.nan, table[source, 0])
        drawn.append(blind_margins(shuffled, triplet))
    null = np.concatenate(drawn)
    known = [column[~np.isnan(column)] for column in null.T]
    found = [np.quantile(column, quantile, method="higher") if len(column) else np.nan for column in known]
    result = BlindNull(np.maximum(np.array(found, dtype=np.float64), 0.0), None)
    if len(tables) < 2:
        return result
    scored = np.sum(~np.isnan(null), axis=1) >= 2
    solved = from_margins(np.where(scored, result.passes(null).sum(axis=1) - 1.5, np.nan))
    return BlindNull(result.thresholds, solved.rate().value)
