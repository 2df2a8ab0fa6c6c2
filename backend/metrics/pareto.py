"""Which points nothing beats: no other is at least as high on every axis and higher on one."""

import numpy as np
from numpy.typing import NDArray


def front(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(n, k) → (n,): whether each point is on the Pareto front, higher being better on every axis.

    Points that are equal on every axis do not beat each other. A point with a NaN is never on it and beats nobody.

    >>> front(np.array([[1.0, 3.0], [2.0, 2.0], [1.0, 2.0], [3.0, np.nan]])).tolist()
    [True, True, False, False]
    """
    found: NDArray[np.bool_] = np.asarray(~np.isnan(points).any(axis=1))
    known = points[found]
    for row in np.flatnonzero(found):
        beats = (known >= points[row]).all(axis=1) & (known > points[row]).any(axis=1)
        found[row] = not beats.any()
    return found
