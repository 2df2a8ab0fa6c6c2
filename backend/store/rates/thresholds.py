"""VALSE's thresholds on stored choices: which kinds have probabilities, the threshold that is asked for, its curves."""

from scipy.special import expit

from backend.errors import UsageError
from backend.items import Protocol
from backend.kinds import PROBABILITIES, listed, no_threshold_of
from backend.metrics.paired.resampling import where_shared
from backend.metrics.statistics import Rate
from backend.metrics.thresholds import DEFAULT, ThresholdCurve, threshold, threshold_curve
from backend.store.build.store import Store
from backend.store.scores.judged import judged_scores
from backend.store.scores.setting import Setting

#: Those that a threshold moves.
METRICS = ("pc", "pf", "threshold_accuracy", "min_pc_pf")


def why_undefined(kind: str, model: str = "") -> str:
    """Why pc, pf, their mean, min(pc, pf) and AUROC are undefined for a model's kind; "" where they are defined.

    >>> why_undefined("itm"), why_undefined("itc")
    ('', 'a cosine is no probability: no value of it means yes')
    """
    return no_threshold_of(kind, model)


def checked(setting: Setting, threshold: float | None, model: str = "") -> float:
    """The threshold to judge with, VALSE's own without one. UsageError for no probability, or a kind without any."""
    if threshold is None:
        return DEFAULT
    if not 0.0 <= threshold <= 1.0:
        raise UsageError(f"--threshold {threshold:g}: expected a probability from 0 to 1; VALSE's own is 0.5.")
    if setting.kind not in PROBABILITIES:
        raise UsageError(
            f"--threshold applies to probabilities (kinds {listed(PROBABILITIES, 'and')}), not to {setting.kind}: "
            f"{why_undefined(setting.kind, model)}."
        )
    return threshold


def curve(store: Store, run_id: str, kind: str, subset: str | None = None) -> ThresholdCurve | None:
    """pc and pf of a run's choices over every threshold, exact; None without probabilities or without choices."""

    def make() -> ThresholdCurve | None:
        block, scores = judged_scores(store.run(run_id), Setting(kind), Protocol.CHOICE, subset)
        if kind not in PROBABILITIES or block is None or not len(block):
            return None
        return threshold_curve(expit(scores), block.n_texts)

    return store.cached(("threshold curve", run_id, kind, subset), make)


def rates_at(store: Store, run_id: str, kind: str, at: float, subset: str | None = None) -> dict[str, Rate]:
    """METRICS of a run's choices at a threshold, with intervals over images; empty without probabilities or choices."""

    def make() -> dict[str, Rate]:
        block, scores = judged_scores(store.run(run_id), Setting(kind), Protocol.CHOICE, subset)
        if kind not in PROBABILITIES or block is None or not len(block):
            return {}
        return threshold(expit(scores), block.n_texts, at=at, clusters=where_shared(block.items["cluster"]))

    return store.cached(("rates at a threshold", run_id, kind, at, subset), make)
