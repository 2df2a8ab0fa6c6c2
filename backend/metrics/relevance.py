"""Similarity-based relevance: OURS. The brittleness paper (section 4.2) proposes such a metric and its text stops
before the formula; docs/methods.md writes down what is computed here, and interfaces label it as Flipside's own.
"""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import FloatArray, as_scores

#: How many of the best-scored candidates are graded.
TOP = 10


def similarity_relevance(
    scores: ArrayLike,
    relevance: ArrayLike,
    text_embeddings: ArrayLike,
    k: int = TOP,
    side: str = "i2t",
) -> FloatArray:
    """How relevant the top k are, from 0 to 1 of what the pool allows, one value a query, float64 (queries,). Ours.

    Graded relevance of a text d for an image: the largest cosine of d with one of the image's own captions, below 0
    clipped to 0. Of an image for a query text t: the largest cosine of t with one of the image's captions. The value is
    the mean graded relevance of the k best-scored candidates, divided by that of the k most relevant ones in the pool.
    Ties in score are pessimistic: the less relevant comes first. NaN: a missing score, nothing relevant, or a pool
    in which nothing is similar.

    scores, relevance: (images, texts); text_embeddings: (texts, d) of one text encoder, of any norm above 0.

    Raises ValueError for another side, k below 1, or shapes that do not fit.

    >>> flat = [[1.0, 0.0], [0.8, 0.6]]
    >>> similarity_relevance([[0.1, 0.2], [0.1, 0.2]], np.eye(2), flat, k=1).round(3).tolist()
    [0.8, 1.0]
    """
    s, good = as_scores(scores, (None,)), np.asarray(relevance, dtype=np.bool_)
    e = as_scores(text_embeddings, (None,), "text_embeddings")
    if side not in ("i2t", "t2i") or k < 1:
        raise ValueError(f"side must be 'i2t' or 't2i' and k at least 1, got {side!r} and {k}")
    if good.shape != s.shape or len(e) != s.shape[1]:
        raise ValueError(f"scores {s.shape}, relevance {good.shape} and text_embeddings {e.shape} do not fit together")
    with np.errstate(invalid="ignore"):
        e = e / np.linalg.norm(e, axis=1, keepdims=True)
    owner, caption = np.nonzero(good)  # by image, then by text
    first = np.searchsorted(owner, np.arange(len(s)))
    empty = ~good.any(axis=1)
    n_queries = len(s) if side == "i2t" else s.shape[1]
    values = np.full(n_queries, np.nan)
    for query in range(n_queries):
        if side == "i2t":
            row = s[query]
            own = e[good[query]]
            grade = (e @ own.T).max(axis=1) if len(own) else np.full(len(e), np.nan)
        else:
            row = s[:, query]
            cosine = e[caption] @ e[query]
            grade = np.full(len(s), np.nan)
            if good[:, query].any():
                grade[~empty] = np.maximum.reduceat(cosine, first[~empty])
                grade[empty] = 0.0
        grade = np.clip(grade, 0.0, 1.0)
        if not len(row) or np.isnan(row).any() or np.isnan(grade).any():
            continue
        first_k = min(k, len(row))
        near = np.flatnonzero(row >= np.partition(row, -first_k)[-first_k])
        top = near[np.lexsort((grade[near], -row[near]))][:k]
        ideal = np.partition(grade, -first_k)[-first_k:].mean()
        if ideal > 0:
            values[query] = grade[top].mean() / ideal
    return values
