"""Semantically close pairs mined from a pool: the top-k selection under which EqSim applies its v2 condition.

EqSim (section 3, and its implementation details) calls samples with the top-k scores s "close", k = 8: cosines for
dual encoders, the matching head's output for fusion encoders. Within a batch each image stands with one caption, so the
scores form a square matrix with the matches on its diagonal (its Figure 4). For each image the k best captions of
*other* images are close, for each caption the k best other images; each makes a quad of two matching pairs. Here the
batch is a whole pool. Rows are asked for in blocks, so that memory grows with the pool, not with its square.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray

#: (start, stop) -> scores of images start to stop with every caption, (stop - start, n).
Rows = Callable[[int, int], NDArray[np.floating]]
Side = Literal["both", "image", "text"]

#: EqSim's k.
K = 8
_CELLS = 4_000_000  # of the matrix, held at a time


class ClosePairs(NamedTuple):
    """m quads of a pool of n matching pairs.

    first, second: intp (m,), positions in the pool, first < second. rank: intp (m,), from 1, the best place at which
    either found the other. scores: float64 (m, 2, 2), image i with caption j of first and second, as given.
    log_sum_exp: log of the sum of exp(logit_scale x score) over the whole n x n matrix, for the softmax over the pool.

    >>> ClosePairs(np.zeros(0, int), np.zeros(0, int), np.zeros(0, int), np.zeros((0, 2, 2)), 0.0).scores.shape
    (0, 2, 2)
    """

    first: IntArray
    second: IntArray
    rank: IntArray
    scores: FloatArray
    log_sum_exp: float


def close_pairs(scores: ArrayLike, k: int = K, side: Side = "both", logit_scale: float = 1.0) -> ClosePairs:
    """Close pairs of a square matrix (n, n): row i an image, column i its caption; see `mined`.

    >>> found = close_pairs([[9.0, 5.0, 1.0], [4.0, 9.0, 2.0], [1.0, 2.5, 9.0]], k=1)
    >>> found.first.tolist(), found.second.tolist(), found.rank.tolist(), found.scores[0].tolist()
    ([0, 1], [1, 2], [1, 1], [[9.0, 5.0], [4.0, 9.0]])
    """
    matrix = np.asarray(scores)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"scores must have shape (n, n), an image and its caption each, got {matrix.shape}")
    return mined(lambda start, stop: matrix[start:stop], len(matrix), k, side, logit_scale)


def mined(rows: Rows, n: int, k: int = K, side: Side = "both", logit_scale: float = 1.0) -> ClosePairs:
    """Every pair (i, j) of which one is among the k closest of the other.

    side: `image` asks each image for its k best captions of other images, `text` each caption for its k best other
    images, `both` takes either. Equal scores: the earlier in the pool. A missing score (NaN) makes no pair close, and
    a quad with one is left out. Softmax over the pool is monotone, so it selects the same pairs.

    Raises ValueError for k below 1 or another side.

    >>> matrix = np.arange(16.0).reshape(4, 4)
    >>> mined(lambda a, b: matrix[a:b], 4, k=1, side="image").second.tolist()
    [3, 3, 3]
    """
    if k < 1 or side not in ("both", "image", "text"):
        raise ValueError(f"k must be at least 1 and side 'both', 'image' or 'text', got {k} and {side!r}")
    k = min(k, n - 1)
    found: list[tuple[IntArray, IntArray, IntArray]] = []
    best, owner = np.full((0, n), -np.inf), np.zeros((0, n), dtype=np.intp)
    highest, total = -np.inf, 0.0
    for start, block in _blocks(rows, n):
        logits = logit_scale * block[~np.isnan(block)]
        if logits.size:
            top = max(highest, float(logits.max()))
            total = (total * np.exp(highest - top) if total else 0.0) + float(np.exp(logits - top).sum())
            highest = top
        others = np.where(np.isnan(block), -np.inf, block)
        others[np.arange(len(block)), start + np.arange(len(block))] = -np.inf  # its own caption
        if side != "text" and k > 0:
            found.append(_of_images(others, start, k))
        if side != "image" and k > 0:
            best = np.concatenate([best, others])
            here = np.broadcast_to(np.arange(start, start + len(block))[:, None], block.shape)
            owner = np.concatenate([owner, here])
            best, owner = _largest_rows(best, owner, k)
    if side != "image" and k > 0:
        rank, text = np.nonzero(best > -np.inf)
        found.append((owner[rank, text], text.astype(np.intp), rank.astype(np.intp) + 1))
    first, second, rank = _unordered(found, n)
    cells = _cells(rows, n, first, second)
    whole = ~np.isnan(cells).any(axis=(1, 2))
    log_sum = highest + float(np.log(total)) if total else float("nan")
    return ClosePairs(first[whole], second[whole], rank[whole], cells[whole], log_sum)


def _blocks(rows: Rows, n: int) -> Iterator[tuple[int, FloatArray]]:
    step = max(1, _CELLS // max(1, n))
    for start in range(0, n, step):
        yield start, np.asarray(rows(start, min(n, start + step)), dtype=np.float64)


def _largest(values: FloatArray, k: int, axis: int) -> BoolArray:
    """The k largest along an axis, of equal ones the earlier."""
    size = values.shape[axis]
    if size <= k:
        return np.ones(values.shape, dtype=np.bool_)
    kth = np.take(np.partition(values, size - k, axis=axis), [size - k], axis=axis)
    above, level = values > kth, values == kth
    room = k - above.sum(axis=axis, keepdims=True)
    result: BoolArray = above | (level & (np.cumsum(level, axis=axis) <= room))
    return result


def _of_images(others: FloatArray, start: int, k: int) -> tuple[IntArray, IntArray, IntArray]:
    """(image, caption, rank) of the k best captions of each image of a block."""
    chosen = _largest(others, k, axis=1)
    columns = np.nonzero(chosen)[1].reshape(len(others), -1)  # the same number in each row, ascending
    values = np.take_along_axis(others, columns, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    columns, values = np.take_along_axis(columns, order, axis=1), np.take_along_axis(values, order, axis=1)
    row, rank = np.nonzero(values > -np.inf)
    return (row + start).astype(np.intp), columns[row, rank].astype(np.intp), rank.astype(np.intp) + 1


def _largest_rows(best: FloatArray, owner: IntArray, k: int) -> tuple[FloatArray, IntArray]:
    """The k largest of each column with whose they are, the largest first; rows stand in pool order where equal."""
    order = np.argsort(-best, axis=0, kind="stable")[:k] if len(best) <= 4 * k else _top_order(best, k)
    return np.take_along_axis(best, order, axis=0), np.take_along_axis(owner, order, axis=0)


def _top_order(best: FloatArray, k: int) -> IntArray:
    """Row positions (k, n) of the k largest of each column, the largest first."""
    rows = np.nonzero(_largest(best, k, axis=0).T)[1].reshape(best.shape[1], -1).T  # ascending in each column
    order = np.argsort(-np.take_along_axis(best, rows, axis=0), axis=0, kind="stable")
    return np.take_along_axis(rows, order, axis=0).astype(np.intp)


def _unordered(found: list[tuple[IntArray, IntArray, IntArray]], n: int) -> tuple[IntArray, IntArray, IntArray]:
    """Each pair once, first < second, with its best rank; in pool order."""
    if not found:
        nothing = np.zeros(0, dtype=np.intp)
        return nothing, nothing, nothing
    a, b, rank = (np.concatenate(parts) for parts in zip(*found, strict=True))
    code = np.minimum(a, b) * n + np.maximum(a, b)
    order = np.lexsort((rank, code))
    code, rank = code[order], rank[order]
    fresh = np.ones(len(code), dtype=np.bool_)
    fresh[1:] = code[1:] != code[:-1]
    return code[fresh] // n, code[fresh] % n, rank[fresh]


def _cells(rows: Rows, n: int, first: IntArray, second: IntArray) -> FloatArray:
    """The 2 x 2 scores of each pair, gathered in one more pass over the rows."""
    result = np.full((len(first), 2, 2), np.nan)
    for start, block in _blocks(rows, n) if len(first) else ():
        for row, image in enumerate((first, second)):
            here = np.flatnonzero((image >= start) & (image < start + len(block)))
            for column, text in enumerate((first, second)):
                result[here, row, column] = block[image[here] - start, text[here]]
    return result
