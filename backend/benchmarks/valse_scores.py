"""VALSE's averages: its paper's last column is the unweighted mean over the eleven pieces."""

import numpy as np

from backend.benchmarks.base import Judged, Official
from backend.benchmarks.parts import accuracies, mean_over
from backend.metrics.official import Mean

PIECES = (
    "existence", "plurals", "counting-hard", "counting-small-quant", "counting-adversarial", "relations",
    "action-replacement", "actant-swap", "coreference-standard", "coreference-hard", "foil-it",
)  # fmt: skip
NAMES = {"accuracy": "acc_r", "pc": "pc", "pf": "pf", "threshold_accuracy": "acc", "min_pc_pf": "min(pc, pf)"}


def official(judged: Judged) -> list[Official]:
    """The mean over the pieces of each of VALSE's metrics. `min_pc_pf` needs `scores`, the columns pc and pf."""
    if judged.metric not in NAMES:
        return []
    name = NAMES[judged.metric]
    how = f"Plain mean of {name} over the eleven pieces, each piece with the same weight."
    parts = accuracies(judged)
    if judged.metric == "min_pc_pf":
        if judged.scores is None:
            return []
        how = "Plain mean over the eleven pieces of each piece's min(pc, pf)."
        parts = _minima(judged.subset, judged.scores)
    return [mean_over(f"mean of {name} over the pieces", parts, PIECES, how)]


def _minima(subset: list[str], scores: np.ndarray) -> dict[str, Mean]:
    """Of each piece, the smaller of its two means. scores: (n, 2), the share of captions above the threshold and of
    foils not above it, an item."""
    pieces = np.array(subset)
    found = {}
    for piece in dict.fromkeys(subset):
        rows = scores[pieces == piece]
        rows = rows[~np.isnan(rows).any(axis=1)]
        found[piece] = Mean(float(rows.mean(axis=0).min()), len(rows)) if len(rows) else Mean(None, 0)
    return found
