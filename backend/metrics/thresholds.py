"""VALSE's thresholded matching on probabilities, at its threshold or another, and over all of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.clustered import interval
from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray, as_scores
from backend.metrics.core.compare import real_texts
from backend.metrics.paired.resampling import cluster_index
from backend.metrics.statistics import UNDEFINED, Rate, rate

#: VALSE's own threshold (section 4.2).
DEFAULT = 0.5


def _texts(probabilities: ArrayLike, n_texts: ArrayLike | None) -> tuple[FloatArray, BoolArray, BoolArray]:
    """All scores (n, k+1), which cells are texts, and which items lack none, bool (n,)."""
    p = as_scores(probabilities, (None,), "probabilities")
    counted = real_texts(p, n_texts)
    return p, counted, (counted.sum(axis=1) > 1) & ~np.any(counted & np.isnan(p), axis=1) & counted[:, 0]


def defined_items(probabilities: ArrayLike, n_texts: ArrayLike | None = None) -> tuple[FloatArray, BoolArray] | None:
    """Items without a missing score (m, k+1) and which of their cells are texts, bool (m, k+1).

    None without an item, or where a value lies outside [0, 1]: these are no probabilities.

    >>> defined_items([[0.5, 0.4], [0.5, float("nan")]])[0].tolist(), defined_items([[-0.1, 0.4]])
    ([[0.5, 0.4]], None)
    """
    p, counted, defined = _texts(probabilities, n_texts)
    p, counted = p[defined], counted[defined]
    return None if not len(p) or np.any((p[counted] < 0) | (p[counted] > 1)) else (p, counted)


def kept_clusters(
    probabilities: ArrayLike, n_texts: ArrayLike | None = None, clusters: ArrayLike | None = None
) -> tuple[IntArray, int]:
    """The clusters of the items that `defined_items` keeps, as positions (m,), and how many there are. clusters: (n,),
    None: each item is its own.

    >>> kept_clusters([[0.5, 0.4], [0.5, float("nan")], [0.1, 0.2]], clusters=["a", "b", "a"])
    (array([0, 0]), 1)
    """
    p, _, defined = _texts(probabilities, n_texts)
    named = None if clusters is None else np.asarray(clusters).reshape(-1)
    if named is not None and len(named) != len(p):
        raise ValueError(f"clusters must hold one id for each of the {len(p)} items, got {len(named)}")
    return cluster_index(None if named is None else named[defined], int(defined.sum()))


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
    probabilities: ArrayLike,
    n_texts: ArrayLike | None = None,
    seed: int = 0,
    at: float = DEFAULT,
    clusters: ArrayLike | None = None,
) -> dict[str, Rate]:
    """VALSE's thresholded matching (section 4.2 there; EqSim Table 2 prints min(pc, pf) and, as acc, the mean).

    pc: share of true captions above the threshold `at`. pf: share of foils at or below it (each foil counts once). A
    score that equals it is a tie: a failure for the truth, and right for a foil, as VALSE defines it; it is counted on
    both sides.
    probabilities: (n, k+1) as in `by_item.choice`. Items with a missing score are left out; values outside
    [0, 1] are no probabilities and make all four undefined.
    clusters: (n,) ids of what items share (images, a video); None: each item by itself. An item's foils are no
    independent draws: they are one cluster with it. min(pc, pf) lies between the smaller of both sides' ends. seed: of
    before; nothing is drawn any more.

    >>> rates = threshold([[0.9, 0.2], [0.6, 0.7]])
    >>> rates["pc"].value, rates["pf"].value, rates["threshold_accuracy"].value, rates["min_pc_pf"].value
    (1.0, 0.5, 0.75, 0.5)
    """
    del seed
    names = ("pc", "pf", "threshold_accuracy", "min_pc_pf")
    known = defined_items(probabilities, n_texts)
    if known is None:
        return dict.fromkeys(names, UNDEFINED)
    p, counted = known
    index, n_clusters = kept_clusters(probabilities, n_texts, clusters)
    foils = counted[:, 1:]
    low = foils & (p[:, 1:] <= at)
    pc = rate(p[:, 0] > at, ties=p[:, 0] == at, clusters=index if n_clusters < len(p) else None)
    owner = index[np.nonzero(foils)[0]]
    pf = rate(low[foils], ties=p[:, 1:][foils] == at, clusters=owner if n_clusters < len(owner) else None)
    ties = pc.ties + pf.ties
    accepted, rejected = float(np.mean(p[:, 0] > at)), float(np.mean(low[foils]))
    # An item with more foils weighs more; the weighted mean of what it got right is the mean of both.
    weight, got = (one / len(p) + many.sum(axis=1) / foils.sum() for one, many in ((1, foils), (p[:, 0] > at, low)))
    middle = interval(got / weight, index, n_clusters, weight) if n_clusters > 1 else None
    both = Rate((accepted + rejected) / 2, len(p), ties, middle)
    # The smaller of two lies below both of their upper ends, and not below the lower of their lower ones.
    ends = None
    if pc.ci95 is not None and pf.ci95 is not None and n_clusters > 1:
        ends = min(pc.ci95[0], pf.ci95[0]), min(pc.ci95[1], pf.ci95[1])
    least = Rate(min(accepted, rejected), len(p), ties, ends)
    return dict(zip(names, (pc, pf, both, least), strict=True))
