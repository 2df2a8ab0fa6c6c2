"""Chance levels: the expected value of a metric for independent continuous random scores (every ordering equally
likely). Enumerated over all orderings in the tests. A model that is blind to a difference can fall far below.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from backend.metrics.core.arrays import FloatArray

#: Metrics whose chance level does not depend on the item.
FIXED: dict[str, float] = {
    "i2t_accuracy": 1 / 3,
    "t2t_accuracy": 1 / 3,
    "p1_n_accuracy": 1 / 2,
    "p2_n_accuracy": 1 / 2,
    "i2t_p1_n_accuracy": 1 / 2,
    "i2t_p2_n_accuracy": 1 / 2,
    "text_score": 1 / 4,
    "image_score": 1 / 4,
    "group_score": 1 / 6,
    "pc": 1 / 2,
    "pf": 1 / 2,
    "threshold_accuracy": 1 / 2,
    "min_pc_pf": 1 / 2,
    "auroc": 1 / 2,
    "classification_auroc": 1 / 2,
}


def recall_chance(n_candidates: ArrayLike, n_relevant: ArrayLike, k: int) -> FloatArray:
    """P(at least one of m relevant among the first k of N in random order) = 1 - C(N-m, k) / C(N, k), per query.

    >>> recall_chance([10, 10], [1, 5], 1).round(6).tolist()
    [0.1, 0.5]
    """
    total, good = np.broadcast_arrays(np.asarray(n_candidates, np.float64), np.asarray(n_relevant, np.float64))
    bad, first = total - good, np.minimum(k, total)
    certain = bad < first
    safe = np.where(certain, first, bad)
    log_miss = gammaln(safe + 1) - gammaln(safe - first + 1) - gammaln(total + 1) + gammaln(total - first + 1)
    return np.where(good <= 0, np.nan, np.where(certain, 1.0, 1 - np.exp(log_miss)))


def chance(metric: str, n_texts: ArrayLike | None = None, n_relevant: ArrayLike = 1) -> float | None:
    """Chance level of a metric by name, averaged over items; None where there is none (a deviation, no items).

    n_texts: for `accuracy`, `top1_accuracy`, `top5_accuracy` and `mean_per_class_accuracy` (there one entry a class)
    the texts of each item, truth included, (n,) or a scalar. For recalls
    the candidates of each query (texts for i2t, images for t2i), with `n_relevant` the relevant ones among them; for
    grounding the boundaries between its frames, and those that are near enough.

    >>> chance("accuracy", [2, 4]), chance("group_score") == 1 / 6, chance("i2t_recall_at_5", 10)
    (0.375, True, 0.5)
    """
    if metric in FIXED:
        return FIXED[metric]
    counts = np.zeros(0) if n_texts is None else np.atleast_1d(np.asarray(n_texts, dtype=np.float64))
    if metric in ("accuracy", "top1_accuracy", "top5_accuracy", "mean_per_class_accuracy"):
        counts, k = counts[counts > 1], 5 if metric == "top5_accuracy" else 1
        return float(np.mean(np.minimum(1, k / counts))) if len(counts) else None
    if metric.startswith("grounding_accuracy_at_"):
        right, counts = np.broadcast_arrays(np.asarray(n_relevant, dtype=np.float64), counts)
        return float(np.mean(right[counts > 0] / counts[counts > 0])) if (counts > 0).any() else None
    if "_recall_at_" in metric and len(counts):
        levels = recall_chance(counts, n_relevant, int(metric.rpartition("_")[2]))
        return None if np.isnan(levels).all() else round(float(np.nanmean(levels)), 12)
    return None
