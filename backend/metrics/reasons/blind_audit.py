"""Which items of a benchmark can be solved without the image: truth and foil exchanged within the item.

If nothing but the image told a truth from its foils, each text of an item could as well be the true one. So an item's
decoys are the same item with a foil for the truth: blind scorers should solve these as often.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import BoolArray, FloatArray, as_scores
from backend.metrics.core.compare import real_texts
from backend.metrics.reasons.mirror import SEEN_AT, q_values


@dataclass(frozen=True)
class BlindAudit:
    """accuracy: float64 (b,), of each blind scorer; exchanged: the same where a foil is called the truth, averaged over
    the foils, so its chance level on these very items. solvable: bool (n,), items two scorers solve by more than luck
    (at most 5 % of them are luck). known: bool (n,), items with two scorers. share: solved by two scorers, less what
    the exchange solves, of the known items; None without any.

    >>> audit([[[1.0, 0.0]]], False).share is None
    True
    """

    accuracy: FloatArray
    exchanged: FloatArray
    solvable: BoolArray
    known: BoolArray
    share: float | None


def audit(scores: Sequence[ArrayLike], triplet: bool = False, seen_at: float = SEEN_AT) -> BlindAudit:
    """b blind scorers on the same items, each (n, k+1) with the truth first (padded with NaN), length-free scores such
    as the mean log-probability a token; triplets (n, 3), the negative last.

    An item's evidence is its second largest margin over scorers, each in its own standard deviation.

    >>> found = audit([[[1.0, 0.0]] * 30, [[0.5, 0.0]] * 30])
    >>> int(found.solvable.sum()), found.share, found.exchanged.tolist()
    (30, 1.0, [0.0, 0.0])
    """
    tables = [as_scores(table, (None,)) for table in scores]
    margins = np.stack([_margins(table, triplet) for table in tables], axis=2) if tables else np.zeros((0, 1, 0))
    squares, there = np.nansum(margins**2, axis=(0, 1)), np.sum(~np.isnan(margins), axis=(0, 1))
    spread = np.sqrt(squares / np.maximum(there, 1))
    unit = margins / np.where(spread > 0, spread, 1.0)
    second = _second(unit)
    known = ~np.isnan(second[:, 0])
    own, others = second[:, 0], second[:, 1:]
    count = np.maximum((~np.isnan(others)).sum(axis=1), 1)
    weights = np.broadcast_to((1 / count)[:, None], others.shape)
    targets, decoys = known & (own > 0), others > 0
    solvable = np.zeros(len(own), dtype=np.bool_)
    solvable[targets] = q_values(own[targets], others[decoys], weights[decoys]) <= seen_at
    with np.errstate(invalid="ignore"):
        hits = np.where(np.isnan(margins), np.nan, margins > 0)
    accuracy = np.array([_mean(hits[:, 0, scorer]) for scorer in range(hits.shape[2])])
    exchanged = np.array([_mean(hits[:, 1:, scorer]) for scorer in range(hits.shape[2])])
    luck = float(weights[decoys].sum())
    share = (float(targets.sum()) - luck) / int(known.sum()) if known.any() else None
    return BlindAudit(accuracy, exchanged, solvable, known, share)


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _margins(table: FloatArray, triplet: bool) -> FloatArray:
    """Margins (n, k+1): column 0 as the item is, the others with one text exchanged for the truth (the negative)."""
    n, columns = table.shape
    if triplet:
        as_is = [(0, 1, 2), (1, 2, 0), (0, 2, 1)]  # the last one is called the negative
        return np.stack([np.minimum(table[:, a], table[:, b]) - table[:, c] for a, b, c in as_is], axis=1)
    real = real_texts(table)
    found = np.full((n, columns), np.nan)
    for column in range(columns):
        rest = np.delete(np.where(real, table, -np.inf), column, axis=1)
        best = rest.max(axis=1, initial=-np.inf)
        whole = real[:, column] & (real.sum(axis=1) > 1)
        found[:, column] = np.where(whole, table[:, column] - np.where(whole, best, 0.0), np.nan)
    return found


def _second(margins: FloatArray) -> FloatArray:
    """The second largest over scorers (n, columns), NaN with fewer than two."""
    if margins.shape[2] < 2:
        return np.full(margins.shape[:2], np.nan)
    there = ~np.isnan(margins)
    ordered = np.sort(np.where(there, margins, -np.inf), axis=2)
    return np.where(there.sum(axis=2) > 1, ordered[:, :, -2], np.nan)
