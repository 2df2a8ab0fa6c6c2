"""COCO's "1K" numbers: the mean of a recall over consecutive folds of 1,000 images, each a pool of its own."""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import FloatArray
from backend.metrics.retrieval import recall_outcomes


def fold_recalls(scores: ArrayLike, relevance: ArrayLike, metric: str, size: int = 1000) -> FloatArray:
    """The recall of each whole fold of `size` images with the texts that belong to them, float64 (folds,).

    scores, relevance: (images, texts) in the benchmark's order; images left over at the end are in no fold. metric:
    `i2t_recall_at_1` and its kin. NaN for a fold in which no query can be judged. Ties as in `retrieval`.

    >>> fold_recalls([[1.0, 0.0], [1.0, 0.0]], [[True, False], [False, True]], "i2t_recall_at_1", size=1).tolist()
    [1.0, 1.0]
    """
    table, good = np.asarray(scores), np.asarray(relevance, dtype=np.bool_)
    k = int(metric.rpartition("_")[2])
    found = []
    for start in range(0, len(table) - size + 1, size):
        fold = slice(start, start + size)
        texts = good[fold].any(axis=0)
        verdicts, _ = recall_outcomes(table[fold][:, texts], good[fold][:, texts], ks=(k,))
        value = verdicts[metric].rate().value
        found.append(np.nan if value is None else value)
    return np.array(found, dtype=np.float64)
