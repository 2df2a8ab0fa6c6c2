"""Does a linear read-out tell an item's own word from the one that it was exchanged for? Many pairs of words at once.

It stands beside the cosine, which words that captions share can outvote. Asked which of all words a caption has, words
of one meaning ("big", "large") would count as confused: one read-out is fitted on all words and asked, item by item,
for one of two only. It speaks of a subset, never of one item.
"""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import BoolArray, FloatArray

#: Inverse strength of the penalty on weights of standardised vectors: with many words and few captions of each, the
#: usual 1.0 fits the training captions without end.
PENALTY = 0.05


def contrast(
    vectors: ArrayLike, labels: ArrayLike, others: ArrayLike, groups: ArrayLike, folds: int = 5
) -> tuple[BoolArray, BoolArray]:
    """(told right, judged), bool (n,), held out: a logistic regression from vectors (n, d) to labels (n,), all words
    weighing alike, scores the own word above the other (n,) of its pair; a tie is lost. Chance is one half.

    groups: (n,), the image or cluster: no group is on both sides. Not judged: where a word does not occur in the
    training folds. Nothing is judged with one word, or fewer groups than folds.

    >>> x = np.tile([[1.0, 0.2], [-1.0, 0.2]], (20, 1))
    >>> right, judged = contrast(x, ["left", "right"] * 20, ["right", "left"] * 20, np.repeat(np.arange(20), 2))
    >>> int(right.sum()), int(judged.sum())
    (40, 40)
    """
    from sklearn.linear_model import LogisticRegression  # takes a second to load
    from sklearn.model_selection import GroupKFold
    from threadpoolctl import threadpool_limits

    x: FloatArray = np.asarray(vectors, dtype=np.float64)
    y, other, group = (np.asarray(values).reshape(-1) for values in (labels, others, groups))
    if not len(x) == len(y) == len(other) == len(group):
        raise ValueError(
            f"as many vectors, labels, others and groups wanted, got {len(x)}, {len(y)}, {len(other)}, {len(group)}"
        )
    right, judged = np.zeros(len(y), dtype=np.bool_), np.zeros(len(y), dtype=np.bool_)
    if len(np.unique(y)) < 2 or len(np.unique(group)) < folds:
        return right, judged
    with threadpool_limits(1):  # small matrices: threads would wait for each other
        for train, test in GroupKFold(folds).split(x, y, group):
            words = np.unique(y[train])
            known = test[np.isin(y[test], words) & np.isin(other[test], words)]
            if len(words) < 2 or not len(known):
                continue
            centre, spread = x[train].mean(axis=0), x[train].std(axis=0)
            scale = np.where(spread > 0, spread, 1.0)
            model = LogisticRegression(C=PENALTY, tol=1e-3, class_weight="balanced", max_iter=500)
            model.fit((x[train] - centre) / scale, y[train])
            found = np.asarray(model.decision_function((x[known] - centre) / scale), dtype=np.float64)
            if found.ndim == 1:
                found = np.stack([-found, found], axis=1)
            rows = np.arange(len(known))
            own, its = (np.searchsorted(words, of[known]) for of in (y, other))
            right[known], judged[known] = found[rows, own] > found[rows, its], True
    return right, judged
