"""Many tests at once: p-values adjusted so that a table of concepts does not find differences by its length alone."""

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import FloatArray, IntArray


def holm(p: ArrayLike) -> FloatArray:
    """Holm's step-down adjustment (Holm 1979) of p (m,): the k-th smallest times m − k + 1, made monotone, at most 1.

    Rejecting where the result is at most .05 keeps the chance of any false rejection at 5 %, whatever the dependence
    between the tests. NaN (no test) stays NaN and does not count in m. Raises ValueError for a p outside [0, 1].

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    values, order = _sorted(p)
    m = len(order)
    stepped = np.maximum.accumulate(values[order] * np.arange(m, 0, -1)) if m else values[order]
    return _back(values, order, stepped)


def benjamini_hochberg(p: ArrayLike) -> FloatArray:
    """Benjamini and Hochberg's step-up adjustment (1995) of p (m,): the k-th smallest times m / k, made monotone from
    the largest down.

    Rejecting where the result is at most .05 keeps the expected share of false rejections at 5 % for independent or
    positively dependent tests. NaN as in `holm`.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    values, order = _sorted(p)
    m = len(order)
    scaled = values[order] * m / np.arange(1, m + 1)
    return _back(values, order, np.minimum.accumulate(scaled[::-1])[::-1] if m else scaled)


def _sorted(p: ArrayLike) -> tuple[FloatArray, IntArray]:
    values = np.asarray(p, dtype=np.float64).reshape(-1)
    known = np.flatnonzero(~np.isnan(values))
    if np.any((values[known] < 0) | (values[known] > 1)):
        raise ValueError("p-values lie between 0 and 1")
    return values, known[np.argsort(values[known], kind="stable")]


def _back(values: FloatArray, order: IntArray, adjusted: FloatArray) -> FloatArray:
    result = np.full(len(values), np.nan)
    result[order] = np.minimum(adjusted, 1.0)
    return result


__all__ = ["benjamini_hochberg", "holm"]
