"""Before and after on several test sets: how many rose, how many fell, and whether that is more than a coin."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.exact_binomial import two_sided


@dataclass(frozen=True, slots=True)
class Directions:
    """n test sets: so many rose, fell, stayed. median: of the changes, in their unit; p: exact and two-sided, of a
    coin among those that moved (sign test), None where none did."""

    n: int
    rose: int
    fell: int
    median: float
    p: float | None


def directions(before: ArrayLike, after: ArrayLike) -> Directions:
    """Of two rates on each of n test sets, (n,) and (n,). Raises ValueError for none, or for different numbers.

    >>> directions([1.0, 2.0, 3.0], [2.0, 3.0, 3.0])
    Directions(n=3, rose=2, fell=0, median=1.0, p=0.5)
    """
    change = np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)
    if not len(change):
        raise ValueError("no test set")
    rose, fell = int((change > 0).sum()), int((change < 0).sum())
    p = two_sided(rose, rose + fell) if rose + fell else None
    return Directions(len(change), rose, fell, float(np.median(change)), p)
