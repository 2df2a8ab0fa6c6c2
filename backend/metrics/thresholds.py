"""VALSE's thresholded matching on probabilities."""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.arrays import as_scores
from backend.metrics.compare import real_texts
from backend.metrics.resampling import percentiles, resample_sums
from backend.metrics.statistics import UNDEFINED, Rate, rate


def threshold(probabilities: ArrayLike, n_texts: ArrayLike | None = None, seed: int = 0) -> dict[str, Rate]:
    """VALSE's thresholded matching (section 4.2 there; EqSim Table 2 prints min(pc, pf) and, as acc, the mean).

    pc: share of true captions above .5. pf: share of foils at or below .5 (each foil counts once). An exact .5 is a
    tie: a failure for the truth, and right for a foil, as VALSE defines it; it is counted on both sides.
    probabilities: (n, k+1) as in `protocols.choice`. Items with a missing score are left out; values outside
    [0, 1] are no probabilities and make all four undefined.

    >>> rates = threshold([[0.9, 0.2], [0.6, 0.7]])
    >>> rates["pc"].value, rates["pf"].value, rates["threshold_accuracy"].value, rates["min_pc_pf"].value
    (1.0, 0.5, 0.75, 0.5)
    """
    p = as_scores(probabilities, (None,), "probabilities")
    counted = real_texts(p, n_texts)
    defined = (counted.sum(axis=1) > 1) & ~np.any(counted & np.isnan(p), axis=1) & counted[:, 0]
    p, counted = p[defined], counted[defined]
    names = ("pc", "pf", "threshold_accuracy", "min_pc_pf")
    if not len(p) or np.any((p[counted] < 0) | (p[counted] > 1)):
        return dict.fromkeys(names, UNDEFINED)
    foils = counted[:, 1:]
    low = foils & (p[:, 1:] <= 0.5)
    pc = rate(p[:, 0] > 0.5, ties=p[:, 0] == 0.5)
    pf = rate(low[foils], ties=p[:, 1:][foils] == 0.5)
    columns = np.stack([p[:, 0] > 0.5, np.ones(len(p)), low.sum(axis=1), foils.sum(axis=1)], axis=1).astype(np.float64)
    sums = resample_sums(columns, seed=seed)
    sides = np.stack([sums[:, 0] / sums[:, 1], sums[:, 2] / sums[:, 3]])
    ties, many = pc.ties + pf.ties, len(p) > 1
    accepted, rejected = float(np.mean(p[:, 0] > 0.5)), float(np.mean(low[foils]))
    both = Rate((accepted + rejected) / 2, len(p), ties, percentiles(sides.mean(axis=0)) if many else None)
    least = Rate(min(accepted, rejected), len(p), ties, percentiles(sides.min(axis=0)) if many else None)
    return dict(zip(names, (pc, pf, both, least), strict=True))
