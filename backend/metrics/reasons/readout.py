"""Is a concept in a model's vectors at all? A linear read-out beside the cosine, which shared words can outvote."""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import FloatArray
from backend.metrics.statistics import UNDEFINED, Rate, rate


def readout(vectors: ArrayLike, labels: ArrayLike, groups: ArrayLike, folds: int = 5) -> Rate:
    """Held-out accuracy of a logistic regression from vectors (n, d) to labels (n,), folds grouped by image.

    labels: the differing concept of each text or image ("left", "right"). groups: (n,), the image or cluster that a
    vector belongs to: no group is on both sides. The interval is over groups. Undefined with one label or fewer groups
    than folds. It speaks of a subset, never of one item.

    >>> x = np.tile([[1.0, 0.2], [-1.0, 0.2]], (20, 1))
    >>> readout(x, ["left", "right"] * 20, np.repeat(np.arange(20), 2)).value
    1.0
    """
    from sklearn.linear_model import LogisticRegression  # takes a second to load
    from sklearn.model_selection import GroupKFold

    x: FloatArray = np.asarray(vectors, dtype=np.float64)
    y, group = np.asarray(labels).reshape(-1), np.asarray(groups).reshape(-1)
    if not len(x) == len(y) == len(group):
        raise ValueError(f"as many vectors, labels and groups wanted, got {len(x)}, {len(y)} and {len(group)}")
    if len(np.unique(y)) < 2 or len(np.unique(group)) < folds:
        return UNDEFINED
    right, judged = np.zeros(len(y), dtype=np.bool_), np.zeros(len(y), dtype=np.bool_)
    for train, test in GroupKFold(folds).split(x, y, group):
        if len(np.unique(y[train])) < 2:
            continue
        centre, spread = x[train].mean(axis=0), x[train].std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        model = LogisticRegression(max_iter=500).fit((x[train] - centre) / scale, y[train])
        right[test] = model.predict((x[test] - centre) / scale) == y[test]
        judged[test] = True
    return rate(right, judged, clusters=group)
