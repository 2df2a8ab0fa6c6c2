"""Whether the highest of several rates stands out: higher than each of the others, beyond what picking it brings."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri

from backend.metrics.paired.multiplicity import holm

#: Holm's p at which a rate is said to be higher than another.
LEVEL = 0.05
#: Of a 95 % interval's end.
Z = float(ndtri(0.975))
#: A value with its interval: all three on one scale, such as what is reached of what lies above chance.
Ends = tuple[float, float, float]


def p_higher(a: Ends, b: Ends) -> float:
    """p, two-sided, of a value that is higher than another: where the interval of their difference, of different items,
    has its end at 0. The interval is put together of theirs by square-and-add (Newcombe 1998, method 10), so that what
    made them wide, such as items that share images, counts here. a, b: value, low, high; 1 where a is no higher.

    >>> round(p_higher((0.9, 0.8, 0.95), (0.5, 0.4, 0.6)), 4), p_higher((0.5, 0.4, 0.6), (0.5, 0.4, 0.6))
    (0.0, 1.0)
    >>> round(p_higher((0.9, 0.85, 0.93), (0.86, 0.83, 0.88)), 3)
    0.145
    """
    gap, reach = a[0] - b[0], float(np.hypot(a[0] - a[1], b[2] - b[0]))
    if gap <= 0:
        return 1.0
    return float(2 * ndtr(-Z * gap / reach)) if reach > 0 else 0.0


def not_told_from(rates: Sequence[Ends]) -> list[int]:
    """Of the highest of some rates (the first of equal ones), the numbers of those that it is not told from: Holm's p
    over all others is above LEVEL. Empty where it stands out, or is alone. The highest of many is higher by luck alone:
    it has to be told from every other one, as a bold number of `flipside table` has.

    >>> not_told_from([(0.9, 0.88, 0.92), (0.89, 0.87, 0.91), (0.5, 0.4, 0.6)]), not_told_from([(0.9, 0.88, 0.92)])
    ([1], [])
    """
    if not rates:
        return []
    best = max(range(len(rates)), key=lambda k: rates[k][0])
    others = [k for k in range(len(rates)) if k != best]
    p = holm([p_higher(rates[best], rates[k]) for k in others])
    return [k for k, adjusted in zip(others, p, strict=True) if not adjusted <= LEVEL]


__all__ = ["LEVEL", "Ends", "not_told_from", "p_higher"]
