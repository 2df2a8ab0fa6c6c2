"""VALSE's averages: the last column of its paper's table is the unweighted mean over the eleven pieces."""

from backend.benchmarks.base import Judged, Official
from backend.benchmarks.parts import accuracies, mean_over
from backend.metrics.official import Mean

PIECES = (
    "existence", "plurals", "counting-hard", "counting-small-quant", "counting-adversarial", "relations",
    "action-replacement", "actant-swap", "coreference-standard", "coreference-hard", "foil-it",
)  # fmt: skip
#: Metrics of thresholded matching that are means of their own, by the paper's names; undefined without probabilities.
THRESHOLDED = {"pc": "pc", "pf": "pf", "threshold_accuracy": "acc", "min_pc_pf": "min(pc, pf)"}


def official(judged: Judged) -> list[Official]:
    """The mean over the pieces of acc_r and, where scores are probabilities, of pc, pf, acc and min(pc, pf)."""
    if judged.metric != "accuracy":
        return []
    found = [mean_over("acc_r", accuracies(judged), PIECES, _how("acc_r"))]
    for metric, name in THRESHOLDED.items():
        parts = {piece: Mean(*rates[metric]) for piece, rates in judged.rates.items() if metric in rates}
        if any(part.value is not None for part in parts.values()):
            found.append(mean_over(name, parts, PIECES, _how(name)))
    return found


def _how(name: str) -> str:
    return f"Plain mean of {name} over the eleven pieces, each piece with the same weight."
