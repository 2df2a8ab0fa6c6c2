"""VALSE's thresholded matching on probabilities, at its threshold or another, and over all of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import BoolArray, FloatArray, as_scores
from backend.metrics.core.compare import real_texts
from backend.metrics.paired.resampling import percentiles, resample_sums
from backend.metrics.statistics import UNDEFINED, Rate, rate

#: VALSE's own threshold (section 4.2).
DEFAULT = 0.5


def defined_items(probabilities: ArrayLike, n_texts: ArrayLike | None = None) -> tuple[FloatArray, BoolArray] | None:
    """Items without a missing score (m, k+1) and which of their cells are texts, bool (m, k+1).

    None without an item, or where a value lies outside [0, 1]: these are no probabilities.

    >>> defined_items([[0.5, 0.4], [0.5, float("nan")]])[0].tolist(), defined_items([[-0.1, 0.4]])
    ([[0.5, 0.4]], None)
    """
    p = as_scores(probabilities, (None,), "probabilities")
    counted = real_texts(p, n_texts)
    defined = (counted.sum(axis=1) > 1) & ~np.any(counted & np.isnan(p), axis=1) & counted[:, 0]
    p, counted = p[defined], counted[defined]
    return None if not len(p) or np.any((p[counted] < 0) | (p[counted] > 1)) else (p, counted)


class ThresholdCurve(NamedTuple):
    """pc and pf as functions of the threshold, exact: between two neighbours of `at` nothing changes.

    at: float64 (m,), 0, every score that occurs, and 1, ascending. pc, pf: (m,), their values from at[k] on, up to but
    without at[k + 1] (a truth must be above the threshold, a foil at or below it).

    >>> ThresholdCurve(np.zeros(1), np.ones(1), np.zeros(1)).accuracy.tolist()
    [0.5]
    """

    at: FloatArray
    pc: FloatArray
    pf: FloatArray

    @property
    def accuracy(self) -> FloatArray:
        """(pc + pf) / 2."""
        return (self.pc + self.pf) / 2

    @property
    def least(self) -> FloatArray:
        """min(pc, pf)."""
        return np.minimum(self.pc, self.pf)


def threshold_curve(probabilities: ArrayLike, n_texts: ArrayLike | None = None) -> ThresholdCurve | None:
    """Exact curves over every threshold; None where these are no probabilities or there is no item.

    >>> found = threshold_curve([[0.9, 0.2], [0.6, 0.7]])
    >>> found.at.tolist(), found.pc.tolist(), found.pf.tolist()
    ([0.0, 0.2, 0.6, 0.7, 0.9, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0, 0.0], [0.0, 0.5, 0.5, 1.0, 1.0, 1.0])
    """
    known = defined_items(probabilities, n_texts)
    if known is None:
        return None
    p, counted = known
    truths, foils = np.sort(p[:, 0]), np.sort(p[:, 1:][counted[:, 1:]])
    at = np.unique(np.concatenate([[0.0], truths, foils, [1.0]]))
    above = len(truths) - np.searchsorted(truths, at, "right")
    return ThresholdCurve(at, above / len(truths), np.searchsorted(foils, at, "right") / len(foils))


def threshold(
    probabilities: ArrayLike, n_texts: ArrayLike | None = None, seed: int = 0, at: float = DEFAULT
) -> dict[str, Rate]:
    """VALSE's thresholded matching (section 4.2 there; EqSim Table 2 prints min(pc, pf) and, as acc, the mean).

    pc: share of true captions above the threshold `at`. pf: share of foils at or below it (each foil counts once). A
    score that equals it is a tie: a failure for the truth, and right for a foil, as VALSE defines it; it is counted on
    both sides.
    probabilities: (n, k+1) as in `by_item.choice`. Items with a missing score are left out; values outside
    [0, 1] are no probabilities and make all four undefined.

    >>> rates = threshold([[0.9, 0.2], [0.6, 0.7]])
    >>> rates["pc"].value, rates["pf"].value, rates["threshold_accuracy"].value, rates["min_pc_pf"].value
    (1.0, 0.5, 0.75, 0.5)
    """
    names = ("pc", "pf", "threshold_accuracy", "min_pc_pf")
    known = defined_items(probabilities, n_texts)
    if known is None:
        return dict.fromkeys(names, UNDEFINED)
    p, counted = known
    foils = counted[:, 1:]
    low = foils & (p[:, 1:] <= at)
    pc = rate(p[:, 0] > at, ties=p[:, 0] == at)
    pf = rate(low[foils], ties=p[:, 1:][foils] == at)
    columns = np.stack([p[:, 0] > at, np.ones(len(p)), low.sum(axis=1), foils.sum(axis=1)], axis=1).astype(np.float64)
    sums = resample_sums(columns, seed=seed)
    sides = np.stack([sums[:, 0] / sums[:, 1], sums[:, 2] / sums[:, 3]])
    ties, many = pc.ties + pf.ties, len(p) > 1
    accepted, rejected = float(np.mean(p[:, 0] > at)), float(np.mean(low[foils]))
    both = Rate((accepted + rejected) / 2, len(p), ties, percentiles(sides.mean(axis=0)) if many else None)
    least = Rate(min(accepted, rejected), len(p), ties, percentiles(sides.min(axis=0)) if many else None)
    return dict(zip(names, (pc, pf, both, least), strict=True))
