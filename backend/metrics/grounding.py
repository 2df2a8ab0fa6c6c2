"""Video boundary grounding (EqSim paper, appendix A.6): which two adjacent frames fit the two captions best?

s_bg(k) = s(I_k, T1) + s(I_{k+1}, T2). The paper does not say at which moment a boundary between two frames is taken to
be; ours is the middle. The thresholds and "nearer than" are those of GEB+'s evaluation code.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import BoolArray, FloatArray, as_scores
from backend.metrics.core.compare import Outcomes, from_margins

#: Seconds within which a boundary counts as found (EqSim paper, Table 12).
THRESHOLDS = (0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
MEAN = "grounding_mean_accuracy"


def metric(threshold: float) -> str:
    """The name of the accuracy at a threshold in seconds.

    >>> metric(0.5), metric(1.0)
    ('grounding_accuracy_at_0.5s', 'grounding_accuracy_at_1.0s')
    """
    return f"grounding_accuracy_at_{threshold:.1f}s"


def boundary_scores(scores: ArrayLike) -> FloatArray:
    """s_bg of every pair of adjacent frames, (n, m - 1), from the scores (n, m, 2) of m frames with both captions.

    Items with fewer frames are padded with NaN at the end, and so is the result.

    >>> boundary_scores([[[0.5, 0.1], [0.25, 0.25], [0.0, 1.0]]]).tolist()
    [[0.75, 1.25]]
    """
    s = as_scores(scores, (None, 2))
    return np.asarray(s[:, :-1, 0] + s[:, 1:, 1])


def near(seconds: ArrayLike, truths: Sequence[ArrayLike], threshold: float) -> BoolArray:
    """Which boundaries lie nearer than `threshold` seconds to one of the item's true ones, bool (n, m - 1).

    seconds: (n, m), when each frame was taken, NaN as padding; a boundary's moment is the middle of its two frames.
    truths: n sequences of seconds. Gaps are taken to the microsecond: one of exactly `threshold` is not nearer.

    >>> near([[0.0, 0.2, 0.4]], [[0.375]], 0.1).tolist()
    [[False, True]]
    >>> near([[0.2, 0.4]], [[0.5]], 0.2).tolist()
    [[False]]
    """
    times = as_scores(seconds, (None,), "seconds")
    moments = (times[:, :-1] + times[:, 1:]) / 2
    found = np.zeros(moments.shape, dtype=np.bool_)
    for row, true in enumerate(truths):
        gaps = np.abs(moments[row][:, None] - np.asarray(true, dtype=np.float64).reshape(-1)[None, :])
        found[row] = (gaps.round(6) < threshold).any(axis=1)
    return found


def grounded(scores: ArrayLike, is_near: ArrayLike, n_frames: ArrayLike) -> Outcomes:
    """Right iff the one boundary with the highest score is near a true one.

    scores: (n, m, 2) as in `boundary_scores`; is_near: (n, m - 1) from `near`; n_frames: (n,). A tie at the top between
    two boundaries is a failure, wherever they lie. margin: the best boundary near the truth minus the best of the
    others; where all are near, the best minus the second best; where none is, the lowest minus the best. Undefined: a
    missing score, or fewer than three frames (nothing to choose between).

    >>> one = [[[0.5, 0.0], [0.25, 0.25], [0.0, 1.0]]]
    >>> grounded(one, [[False, True]], [3]).margin.tolist(), grounded(one, [[True, False]], [3]).correct.tolist()
    ([0.5], [False])
    """
    values = boundary_scores(scores)
    right = np.asarray(is_near, dtype=np.bool_).reshape(values.shape)
    counts = np.asarray(n_frames, dtype=np.intp).reshape(-1) - 1
    return from_margins([_margin(row[:n], good[:n]) for row, good, n in zip(values, right, counts, strict=True)])


def _margin(values: FloatArray, right: BoolArray) -> float:
    if len(values) < 2 or np.isnan(values).any():
        return float("nan")
    second, best = np.partition(values, -2)[-2:]
    if second == best:
        return 0.0
    if right.all():
        return float(best - second)
    if not right.any():
        return float(values.min() - best)
    return float(values[right].max() - values[~right].max())


def candidates(is_near: ArrayLike, n_frames: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """How many boundaries an item has to choose from, and how many of them are right, both (n,).

    No two of them share a score, so that independent random scores make each the best equally often: chance is the
    share of right ones.

    >>> [counts.tolist() for counts in candidates([[True, False, False]], [3])]
    [[2], [1]]
    """
    counts = np.maximum(np.asarray(n_frames, dtype=np.intp).reshape(-1) - 1, 0)
    right = np.asarray(is_near, dtype=np.bool_)
    real = np.arange(right.shape[1])[None, :] < counts[:, None]
    return counts, (right & real).sum(axis=1)
