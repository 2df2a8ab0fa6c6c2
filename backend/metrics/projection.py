"""Vectors seen from nearby: the two main axes, nearest neighbours by cosine, and one map laid over another."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.metrics.core.arrays import FloatArray

#: Cells of one block of cosines.
_BLOCK = 8_000_000
#: Of these as many are put in order at once.
_PIECE = 250_000


class Pca(NamedTuple):
    """places: (n, 2) along the two main axes; shares: (2,) of the variance that each carries.

    >>> pca([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]).shares.round(6).tolist()
    [1.0, 0.0]
    """

    places: FloatArray
    shares: FloatArray


class Aligned(NamedTuple):
    """places: (n, 2), the moved points; disparity: 0 where they fall onto the target, 1 where nothing agrees.

    >>> round(laid_over([[0, 0], [0, 1], [1, 0]], [[5, 5], [7, 5], [5, 7]]).disparity, 6)
    0.0
    """

    places: FloatArray
    disparity: float


def pca(vectors: ArrayLike) -> Pca:
    """Principal components of vectors (n, d), n >= 1: the centred points along the two directions of most variance.

    The sign of an axis means nothing; it is fixed so that the direction's largest entry is positive.

    >>> pca([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]).places[:, 0].tolist()
    [-2.0, 0.0, 2.0]
    """
    data = np.asarray(vectors, dtype=np.float64)
    centred = data - data.mean(axis=0)
    variances, directions = np.linalg.eigh(centred.T @ centred)
    order = np.argsort(variances)[::-1][:2]
    chosen = directions[:, order]
    if chosen.shape[1] < 2:
        chosen = np.concatenate([chosen, np.zeros((data.shape[1], 1))], axis=1)
    largest = np.abs(chosen).argmax(axis=0)
    chosen = chosen * np.where(chosen[largest, [0, 1]] < 0, -1.0, 1.0)
    total = float(variances.sum())
    shares = np.zeros(2)
    shares[: len(order)] = variances[order] / total if total > 0 else 0.0
    return Pca(centred @ chosen, np.clip(shares, 0.0, 1.0))


def neighbours(
    vectors: ArrayLike, pool: ArrayLike, k: int, itself: bool = False
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """The k nearest rows of `pool` (m, d) for each of `vectors` (n, d) by cosine, the nearest first: rows and cosines,
    both (n, k); -1 and NaN where the pool is smaller. Vectors are L2-normalised. itself: vectors are the pool, and no
    row is its own neighbour. Equal cosines keep the order of the pool.

    >>> rows, cosines = neighbours([[1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]], 1)
    >>> rows.tolist(), cosines.tolist()
    ([[1]], [[1.0]])
    """
    queries, others = np.asarray(vectors, dtype=np.float32), np.asarray(pool, dtype=np.float32)
    n, m = len(queries), len(others)
    found = np.full((n, k), -1, dtype=np.intp)
    cosines = np.full((n, k), np.nan, dtype=np.float32)
    width = min(k, m - itself)
    if width < 1 or not n:
        return found, cosines
    step = max(1, _BLOCK // m)
    for start in range(0, n, step):
        block = queries[start : start + step] @ others.T
        rows = np.arange(len(block))
        if itself:
            block[rows, start + rows] = -np.inf
        # In small pieces: an order of a whole block takes four times its room, and a server keeps what it once had.
        for at in range(0, len(block), few_rows := max(1, _PIECE // m)):
            piece = block[at : at + few_rows]
            # A few more than k, so that a stable order settles ties at the edge.
            few = np.sort(np.argpartition(-piece, width - 1, axis=1)[:, :width], axis=1)
            values = np.take_along_axis(piece, few, axis=1)
            order = np.argsort(-values, axis=1, kind="stable")
            here = slice(start + at, start + at + len(piece))
            found[here, :width] = np.take_along_axis(few, order, axis=1)
            cosines[here, :width] = np.take_along_axis(values, order, axis=1)
    return found, cosines


def laid_over(places: ArrayLike, target: ArrayLike) -> Aligned:
    """Move, turn, mirror and scale points (n, 2) so that they lie as near as possible to the same points of another map
    (orthogonal Procrustes; Gower and Dijksterhuis 2004). The disparity is that of `scipy.spatial.procrustes`.

    >>> laid_over([[0, 0], [0, 1], [1, 0]], [[5, 5], [7, 5], [5, 7]]).places.round(6).tolist()
    [[5.0, 5.0], [7.0, 5.0], [5.0, 7.0]]
    """
    mine, theirs = np.asarray(places, dtype=np.float64), np.asarray(target, dtype=np.float64)
    middle = theirs.mean(axis=0)
    a, b = mine - mine.mean(axis=0), theirs - middle
    size_a, size_b = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    if size_a == 0 or size_b == 0:
        return Aligned(a + middle, 1.0)
    u, singular, vt = np.linalg.svd((a / size_a).T @ (b / size_b))
    agreement = float(singular.sum())
    return Aligned(a / size_a @ (u @ vt) * agreement * size_b + middle, max(0.0, 1.0 - agreement**2))
