"""Recall within an item's own captions, from the scores of choices."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.metrics.core.arrays import as_scores
from backend.metrics.official import Mean, share


def ranks(scores: ArrayLike) -> NDArray[np.intp]:
    """The rank of the truth among its item's texts, (n,), 1 the best: 1 + foils that score as much or more.

    scores: (n, k+1), truth in column 0, padding NaN. A truth without a score ranks behind every foil.

    >>> ranks([[0.5, 0.4, 0.6], [0.5, 0.5, float("nan")]]).tolist()
    [2, 2]
    """
    s = as_scores(scores, (None,))
    real = ~np.isnan(s[:, 1:])
    return np.asarray(1 + (real & ~(s[:, 1:] < s[:, :1])).sum(axis=1), dtype=np.intp)


def recall(scores: ArrayLike, correct: ArrayLike, ks: Sequence[int]) -> dict[int, Mean]:
    """k -> share of items whose truth ranks k or better. correct: (n,), NaN where an item has no verdict.

    >>> recall([[0.5, 0.4, 0.6]], [0.0], [1, 3])[3].value
    1.0
    """
    place = ranks(scores)
    undefined = np.isnan(np.asarray(correct, dtype=np.float64))
    return {k: share(np.where(undefined, np.nan, place <= k)) for k in ks}
