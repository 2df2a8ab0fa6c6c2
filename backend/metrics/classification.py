"""Zero-shot classification beyond top-1: top-k, mean per class, area under the ROC curve, 11-point average precision.

What ELEVATER's twenty tasks need (Li et al. 2022), from arrays of scores with one column a class.
"""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.auroc import area
from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray, as_mask, as_scores
from backend.metrics.core.compare import Outcomes, differences, from_margins, real_texts
from backend.metrics.paired.resampling import percentiles
from backend.metrics.statistics import UNDEFINED, Rate

#: The recalls at which precision is read (PASCAL VOC 2007), from 1 down to 0.
RECALLS = np.linspace(1.0, 0.0, 11)


def top_k(scores: ArrayLike, n_texts: ArrayLike | None = None, k: int = 5) -> Outcomes:
    """Fewer than k other classes score at or above the item's own: ties are pessimistic, as everywhere.

    scores: (n, classes), the own class in column 0, padded as in `by_item.choice`. Margin: own minus k-th best other
    score, inf with fewer than k others. Undefined: a missing score, or no other class.

    >>> top_k([[0.5, 0.9, 0.4], [0.5, 0.9, 0.5]], k=2).correct.tolist()
    [True, False]
    """
    s = as_scores(scores, (None,))
    real = real_texts(s, n_texts)[:, 1:]
    others = np.where(real, s[:, 1:], -np.inf)
    known = real.any(axis=1) & ~np.isnan(s[:, :1]).any(axis=1) & ~np.isnan(others).any(axis=1)
    if others.shape[1] < k:
        margin = np.full(len(s), np.inf)
    else:
        place = others.shape[1] - k
        kth = np.partition(np.where(np.isnan(others), -np.inf, others), place, axis=1)[:, place]
        margin = np.where(real.sum(axis=1) >= k, differences(s[:, 0], kth), np.inf)
    return from_margins(np.where(known, margin, np.nan))


def mean_per_class(
    correct: ArrayLike, classes: ArrayLike, defined: ArrayLike | None = None, ties: ArrayLike | None = None,
    seed: int = 0, samples: int = 2000,
) -> Rate:  # fmt: skip
    """Mean over classes of the share of right items: balanced accuracy, scikit-learn's `balanced_accuracy_score`.

    correct, defined, ties: (n,); classes: (n,) any ids. Classes without a defined item do not count. n: items.
    Interval: items are resampled within their class; None where no resample differs.

    >>> mean_per_class([1, 1, 1, 0, 0], ["a", "a", "a", "b", "b"]).value
    0.5
    """
    right = np.asarray(correct, dtype=np.bool_).reshape(-1)
    keep = as_mask(defined, len(right), "defined")
    if not keep.any():
        return UNDEFINED
    _, index = np.unique(np.asarray(classes).reshape(-1)[keep], return_inverse=True)
    counts = np.bincount(index)
    shares = np.bincount(index, right[keep]) / counts
    drawn = np.random.default_rng(seed).binomial(counts, shares, size=(samples, len(counts))) / counts
    spread = drawn.mean(axis=1)
    n_ties = 0 if ties is None else int(as_mask(ties, len(right), "ties")[keep].sum())
    return Rate(float(shares.mean()), int(keep.sum()), n_ties, percentiles(spread) if np.ptp(spread) else None)


def binary_auroc(scores: ArrayLike, classes: ArrayLike, seed: int = 0, samples: int = 1000) -> Rate:
    """P(an image of class 1 leans further to class 1 than one of class 0 does), an equal pair counting one half.

    scores: (n, 2), columns in the order of the classes; classes: (n,) 0 or 1. An image leans by s1 - s0, which orders
    images as the softmax of the two does; equal to scikit-learn's `roc_auc_score`. Undefined: images of one class only.
    Images with a missing score are left out. n: images; ties: none are counted. Interval: images are resampled.

    >>> binary_auroc([[0.1, 0.9], [0.5, 0.4], [0.2, 0.6]], [1, 0, 0]).value
    1.0
    """
    s, own = as_scores(scores, (2,)), np.asarray(classes).reshape(-1)
    lean = differences(s[:, 1], s[:, 0])
    lean, own = lean[~np.isnan(s).any(axis=1)], own[~np.isnan(s).any(axis=1)]
    positive = own == 1
    if positive.all() or not positive.any():
        return UNDEFINED
    _, level = np.unique(lean, return_inverse=True)
    n = len(lean)
    rng = np.random.default_rng(seed)
    weights = (rng.multinomial(n, np.full(n, 1 / n)).astype(np.float64) for _ in range(samples))
    drawn = [area(level, positive, w) for w in weights if w[positive].any() and w[~positive].any()]
    spread = np.array(drawn)
    ci95 = percentiles(spread) if len(spread) and np.ptp(spread) else None
    return Rate(area(level, positive, np.ones(n)), n, 0, ci95)


def map_11_point(scores: ArrayLike, truth: ArrayLike, seed: int = 0, samples: int = 200) -> Rate:
    """PASCAL VOC 2007's mean over classes of the 11-point interpolated average precision, for several classes an image.

    scores: (n, classes), comparable across images; truth: bool of the same shape. Precision at recall r is the largest
    at any threshold whose recall is at least r, over r = 0, 0.1, ... 1; equal scores are one threshold. As ELEVATER's
    evaluator computes it, the curve ends at recall 0 with precision 1, so that r = 0 always counts 1. Classes that no
    image has are left out; images with a missing score, too. n: images. Interval: images are resampled.

    >>> map_11_point([[0.9], [0.8], [0.7]], [[True], [False], [True]]).value.__round__(4)
    0.8485
    """
    s = as_scores(scores, (None,))
    good = np.asarray(truth, dtype=np.bool_).reshape(s.shape)
    known = ~np.isnan(s).any(axis=1)
    s, good = s[known], good[known]
    if not good.any():
        return UNDEFINED
    order = [np.argsort(-column, kind="stable") for column in s.T]
    ends = [np.append(np.diff(column[o]) != 0, True) for column, o in zip(s.T, order, strict=True)]

    def value(weight: FloatArray) -> float:
        found = [
            _average_precision(weight[o], good[o, c], end)
            for c, (o, end) in enumerate(zip(order, ends, strict=True))
            if weight[good[:, c]].any()
        ]
        return float(np.mean(found)) if found else np.nan

    n = len(s)
    rng = np.random.default_rng(seed)
    drawn = np.array(
        [value(rng.multinomial(n, np.full(n, 1 / n)).astype(float)) for _ in range(samples if n > 1 else 0)]
    )
    drawn = drawn[~np.isnan(drawn)]
    return Rate(value(np.ones(n)), n, 0, percentiles(drawn) if len(drawn) and np.ptp(drawn) else None)


def _average_precision(weight: FloatArray, good: BoolArray, end: BoolArray) -> float:
    """One class, images by falling score. end: (n,) the last image of each threshold."""
    hits, seen = np.cumsum(weight * good)[end], np.cumsum(weight)[end]
    hits, seen = hits[seen > 0], seen[seen > 0]
    recall, precision = hits / hits[-1], hits / seen
    best = np.maximum.accumulate(precision[::-1])[::-1]  # the largest at this threshold or a lower one
    first: IntArray = np.searchsorted(recall, RECALLS[:-1])  # the first threshold of at least that recall
    return float((best[first].sum() + 1.0) / len(RECALLS))
