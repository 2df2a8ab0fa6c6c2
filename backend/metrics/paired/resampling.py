"""Seeded bootstrap over clusters: the one place where randomness enters a metric.

Percentile intervals (Efron and Tibshirani 1993, chapter 13). Clusters are resampled whole, because items that share
an image are not independent.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.metrics.core.arrays import FloatArray, IntArray

Statistic = Callable[[FloatArray], float]
_BLOCK = 4_000_000  # draws whose counts are held in memory at a time
#: Draws that are counted at a time: as many as stay in a processor's own memory, which takes a quarter of the time that
#: millions do; the same numbers are drawn in the same order.
_COUNTED = 100_000
_WHOLE = 2.0**53  # whole numbers below it are exact
_DENSE = 8  # ids up to so many times their number are counted instead of sorted


def mean(values: FloatArray) -> float:
    """The arithmetic mean, the statistic with a vectorised path.

    >>> mean(np.array([1.0, 2.0]))
    1.5
    """
    return float(np.mean(values))


def cluster_index(clusters: ArrayLike | None, n: int) -> tuple[IntArray, int]:
    """Position of each item's cluster, intp (n,), and how many there are; without ids each item is its own cluster.

    Raises ValueError where the ids have another length.

    >>> cluster_index(["b", "a", "b"], 3)
    (array([1, 0, 1]), 2)
    """
    if clusters is None:
        return np.arange(n), n
    ids = np.asarray(clusters).reshape(-1)
    if len(ids) != n:
        raise ValueError(f"clusters must hold one id for each of the {n} items, got {len(ids)}")
    if ids.dtype.kind in "iu" and len(ids) and ids.min() >= 0 and ids.max() <= _DENSE * len(ids):
        there = np.zeros(int(ids.max()) + 1, dtype=np.bool_)  # numbers are counted, which is faster than sorting them
        there[ids] = True
        return (np.cumsum(there) - 1)[ids].astype(np.intp), int(there.sum())
    if ids.dtype.kind in "OU":  # of words the different ones alone are sorted, which gives every one the same place
        words = ids.tolist()
        different = set(words)
        if all(isinstance(word, str) for word in different):
            place = {word: at for at, word in enumerate(sorted(different))}
            return np.fromiter(map(place.__getitem__, words), dtype=np.intp, count=n), len(place)
    unique, inverse = np.unique(ids, return_inverse=True)
    return inverse.reshape(-1).astype(np.intp), len(unique)


def where_shared(clusters: ArrayLike) -> IntArray | None:
    """The clusters (n,) where some items share one, else None: independent items have Wilson's interval. They are
    numbered in the order of their ids, as `cluster_index` does, so that nobody has to sort the words again.

    >>> where_shared(["a", "b"]) is None, where_shared(["b", "a", "b"]).tolist()
    (True, [1, 0, 1])
    """
    ids = np.asarray(clusters).reshape(-1)
    index, n = cluster_index(ids, len(ids))
    return index if n < len(ids) else None


def resample_sums(columns: ArrayLike, samples: int = 2000, seed: int = 0) -> FloatArray:
    """Column sums of `samples` resamples of the rows with replacement, float64 (samples, m).

    columns: (c, m), one row a cluster. Equal rows are drawn together by one multinomial, which is the same
    distribution and takes milliseconds for 0/1 outcomes of any number.

    >>> resample_sums([[1.0], [1.0]], samples=2).tolist()
    [[2.0], [2.0]]
    """
    rows = np.asarray(columns, dtype=np.float64)
    rng = np.random.default_rng(seed)
    c = len(rows)
    unique, multiplicity = types_of(rows)
    if len(unique) <= max(8, c // 8):
        return np.asarray(rng.multinomial(c, multiplicity / c, size=samples) @ unique, dtype=np.float64)
    result = np.empty((samples, rows.shape[1]))
    if bool((rows == np.floor(rows)).all()) and float(np.abs(rows).max(initial=0)) * c < _WHOLE:
        few = samples * c <= _BLOCK
        for start, counts in _again(c, samples, seed) if few else _counts(rng, c, samples):
            result[start : start + len(counts)] = counts @ rows  # sums of whole numbers are exact in any order
        return result
    step = max(1, _BLOCK // c)  # else the last digit hangs on how many rows a product has
    for start in range(0, samples, step):
        held = np.empty((min(step, samples - start), c))
        for at, counts in _counts(rng, c, len(held)):
            held[at : at + len(counts)] = counts
        result[start : start + len(held)] = held @ rows
    return result


@lru_cache(maxsize=1)
def _again(c: int, samples: int, seed: int) -> list[tuple[int, NDArray[np.integer]]]:
    """`_counts` of a seed, in a byte each where they fit: rates of several systems on the same items are asked one
    after another, and the same clusters are drawn for each."""
    found: list[tuple[int, NDArray[np.integer]]] = []
    for start, counts in _counts(np.random.default_rng(seed), c, samples):
        found.append((start, counts.astype(np.uint8) if counts.max(initial=0) < 256 else counts))
    return found


def _counts(rng: np.random.Generator, c: int, samples: int) -> Iterator[tuple[int, NDArray[np.integer]]]:
    """(place of the first, how often each of c rows was drawn in some resamples, (some, c)), one after another."""
    step = max(1, _COUNTED // c)
    for start in range(0, samples, step):
        size = min(step, samples - start)
        draws = rng.integers(0, c, size=(size, c))
        draws += c * np.arange(size)[:, None]
        yield start, np.bincount(draws.reshape(-1), minlength=size * c).reshape(size, c)


def types_of(rows: FloatArray) -> tuple[FloatArray, IntArray]:
    """The different rows of (c, m), in ascending order, and how many are alike, intp (types,): `np.unique` of axis 0.

    Rows of small whole numbers, as counts of verdicts are, are told apart by one number each, which sorts in a tenth
    of the time that rows take.

    >>> [found.tolist() for found in types_of(np.array([[2.0, 1.0], [0.0, 1.0], [2.0, 1.0]]))]
    [[[0.0, 1.0], [2.0, 1.0]], [1, 2]]
    """
    if rows.size and np.isfinite(rows).all() and (rows == np.floor(rows)).all():
        low, high = rows.min(axis=0), rows.max(axis=0)
        sizes = high - low + 1
        if np.prod(sizes) <= 2**52:
            number = np.zeros(len(rows))
            for column, least, size in zip(rows.T, low, sizes, strict=True):
                number = number * size + (column - least)
            whole = number.astype(np.int64)
            if np.prod(sizes) <= max(64, len(rows)):  # so few that they are counted
                counts = np.bincount(whole)
                there = np.flatnonzero(counts)
                first = np.zeros(len(counts), dtype=np.intp)
                first[whole[::-1]] = np.arange(len(whole) - 1, -1, -1)
                return rows[first[there]], counts[there]
            _, first, multiplicity = np.unique(whole, return_index=True, return_counts=True)
            return rows[first], multiplicity
    unique, multiplicity = np.unique(rows, axis=0, return_counts=True)
    return unique, multiplicity


def percentiles(values: FloatArray, level: float = 0.95) -> tuple[float, float]:
    """The central interval of resampled values, NaN left out.

    >>> percentiles(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    tail = 100 * (1 - level) / 2
    low, high = np.nanpercentile(values, [tail, 100 - tail])
    return float(low), float(high)


def bootstrap(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    statistic: Statistic = mean,
    samples: int = 2000,
    seed: int = 0,
) -> tuple[float, float] | None:
    """95 % percentile interval of a statistic of values (n,), resampling clusters whole.

    NaN values are left out with their items. None with fewer than two clusters: one cluster shows no spread.
    Statistics other than `mean` are called once per resample.

    >>> low, high = bootstrap([0, 1] * 50)
    >>> round(low, 2), round(high, 2)
    (0.4, 0.6)
    """
    data = np.asarray(values, dtype=np.float64).reshape(-1)
    index, _ = cluster_index(clusters, len(data))
    keep = ~np.isnan(data)
    data, (index, n_clusters) = data[keep], cluster_index(index[keep], int(keep.sum()))
    if n_clusters < 2:
        return None
    if statistic is mean:
        sums = np.stack([np.bincount(index, data), np.bincount(index)], axis=1)
        resampled = resample_sums(sums, samples, seed)
        return percentiles(resampled[:, 0] / resampled[:, 1])
    rng = np.random.default_rng(seed)
    drawn = (np.bincount(rng.integers(0, n_clusters, n_clusters), minlength=n_clusters) for _ in range(samples))
    return percentiles(np.array([statistic(np.repeat(data, counts[index])) for counts in drawn]))
