"""Debiasing by α (VisualGPTScore, Eq. 7): log P(t|i) − α log P(t), exact in α, never a grid.

What others use is exported here. Begin with `debiasing.py`; `open_intervals.py` and `unions.py` say for which α an item
is right, `curves.py` makes a step function of them, `splits.py` and `protocols.py` choose α as the paper does.
"""

from backend.metrics.alpha.curves import Best, Curve, Steps, curve, star_number
from backend.metrics.alpha.debiasing import Flips, Norm, debias, flips, log_mean_exp, normalise, recall_curve
from backend.metrics.alpha.open_intervals import (
    CANCELS,
    Intervals,
    intervals,
    intervals_quad_image,
    intervals_quad_text,
    intervals_triplet,
)
from backend.metrics.alpha.splits import split_half, tune
from backend.metrics.alpha.unions import Unions, recall_unions

__all__ = [
    "CANCELS", "Best", "Curve", "Flips", "Intervals", "Norm", "Steps", "Unions", "curve", "debias", "flips",
    "intervals", "intervals_quad_image", "intervals_quad_text", "intervals_triplet", "log_mean_exp", "normalise",
    "recall_curve", "recall_unions", "split_half", "star_number", "tune",
]  # fmt: skip
