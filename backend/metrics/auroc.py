"""Area under the ROC curve of true captions against foils (VALSE, evaluation metrics): every threshold at once."""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray
from backend.metrics.paired.halves import LEAST, between
from backend.metrics.statistics import UNDEFINED, Rate
from backend.metrics.thresholds import defined_items, kept_clusters


def auroc(
    probabilities: ArrayLike,
    n_texts: ArrayLike | None = None,
    seed: int = 0,
    samples: int = 1000,
    clusters: ArrayLike | None = None,
) -> Rate:
    """P(a true caption scores above a foil), over all pairs of any items; an equal pair counts one half.

    The half is the definition (Mann-Whitney; scikit-learn gives the same) and the one place where a tie is not a
    failure; `ties` counts the equal pairs within items. probabilities: (n, k+1) as in `thresholds.threshold`; items
    with a missing score are left out; values outside [0, 1] make it undefined: scores that are no probabilities are not
    on one scale across images. n: items. Interval: random halves (`halves`) of items, the truth with its foils, or of
    what `clusters` (n,) says to belong together; None with fewer than `halves.LEAST`, or where no half differs.

    >>> auroc([[0.9, 0.2], [0.6, 0.7]]).value
    0.75
    """
    known = defined_items(probabilities, n_texts)
    if known is None:
        return UNDEFINED
    p, counted = known
    foils = counted[:, 1:]
    owner = np.concatenate([np.arange(len(p)), np.nonzero(foils)[0]])
    values = np.concatenate([p[:, 0], p[:, 1:][foils]])
    is_truth = np.arange(len(values)) < len(p)
    _, level = np.unique(values, return_inverse=True)
    ties = int(np.sum(foils & (p[:, 1:] == p[:, :1])))
    index, n = kept_clusters(probabilities, n_texts, clusters)
    of_score = index[owner]
    rng = np.random.default_rng(seed)
    coins = (rng.integers(0, 2, n) for _ in range(samples if n >= LEAST else 0))
    halves = [area(level, is_truth, coin[of_score].astype(np.float64)) if coin.any() else np.nan for coin in coins]
    value = area(level, is_truth, np.ones(len(values)))
    return Rate(value, len(p), ties, between(np.array(halves)) if halves else None)


def area(level: IntArray, is_truth: BoolArray, weight: FloatArray) -> float:
    """Weighted share of pairs in which the truth is higher, equal ones half. level: rank by size, from 0.

    >>> area(np.array([1, 0, 1]), np.array([True, False, False]), np.ones(3))
    0.75
    """
    top = int(level.max()) + 1
    truths = np.bincount(level[is_truth], weight[is_truth], top)
    foils = np.bincount(level[~is_truth], weight[~is_truth], top)
    below = np.cumsum(foils) - foils
    return float((truths @ (below + foils / 2)) / (truths.sum() * foils.sum()))
