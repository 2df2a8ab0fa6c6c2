"""Probabilities of the hypergeometric distribution, of scipy.special alone: scipy.stats takes half a second to load.

The function that scipy.stats itself calls (Boost's) has no public name there; where a version of scipy has it under
none, scipy.stats is asked.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from backend.metrics.core.arrays import FloatArray


def beyond(k: ArrayLike, n: ArrayLike, have: ArrayLike, drawn: ArrayLike) -> FloatArray:
    """P(more than k of `drawn` items have what `have` of all n have), to the bit scipy.stats' hypergeom.sf. All whole
    numbers, n ≥ 1, have and drawn ≤ n, broadcast.

    >>> beyond([1, 2, 3], 6, 3, 3).round(3).tolist()
    [0.5, 0.05, 0.0]
    """
    k, n, have, drawn = np.broadcast_arrays(k, n, have, drawn)
    found = np.where(k < np.maximum(drawn - (n - have), 0), 1.0, 0.0)
    asked = (found == 0.0) & (k < np.minimum(have, drawn))
    found[asked] = np.clip(_survival()(k[asked], have[asked], drawn[asked], n[asked]), 0.0, 1.0)
    return found


def log_mass(k: ArrayLike, n: float, have: ArrayLike, drawn: ArrayLike) -> FloatArray:
    """The logarithm of P(k of `drawn` items have what `have` of all n have), for possible k; broadcast. From logarithms
    of the gamma function: hundreds of times faster than Boost's, and right to some 1e-10 up to 100,000 items.

    >>> np.exp(log_mass([0, 1, 2, 3], 6, 3, 3)).round(3).tolist()
    [0.05, 0.45, 0.45, 0.05]
    """
    k, h, s = (np.asarray(each, dtype=np.float64) for each in (k, have, drawn))
    return _choose(h, k) + _choose(n - h, s - k) - _choose(np.float64(n), s)


def _choose(n: FloatArray | np.float64, k: FloatArray) -> FloatArray:
    """The logarithm of n over k."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


@cache
def _survival() -> Callable[..., FloatArray]:
    """P(more than k), of (k, have, drawn, n)."""
    from scipy.special import _ufuncs

    return _ufuncs._hypergeom_sf if hasattr(_ufuncs, "_hypergeom_sf") else by_stats()


def by_stats() -> Callable[..., FloatArray]:
    """The same of scipy.stats.

    >>> round(float(by_stats()(1, 3, 3, 6)), 3)
    0.5
    """
    from scipy.stats import hypergeom

    return lambda k, have, drawn, n: np.asarray(hypergeom.sf(k, n, have, drawn))
