"""Probabilities of the hypergeometric distribution, of scipy.special alone: scipy.stats takes half a second to load.

The functions that scipy.stats itself calls (Boost's) have no public name there; where a version of scipy has them under
none, scipy.stats is asked.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

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
    found[asked] = np.clip(_functions()[0](k[asked], have[asked], drawn[asked], n[asked]), 0.0, 1.0)
    return found


def mass(k: ArrayLike, n: ArrayLike, have: ArrayLike, drawn: ArrayLike) -> FloatArray:
    """P(k of `drawn` items have what `have` of all n have), for possible k; see `beyond`.

    >>> mass([0, 1, 2, 3], 6, 3, 3).round(3).tolist()
    [0.05, 0.45, 0.45, 0.05]
    """
    return np.asarray(np.clip(_functions()[1](k, have, drawn, n), 0.0, 1.0))


@cache
def _functions() -> tuple[Callable[..., FloatArray], Callable[..., FloatArray]]:
    """(survival, mass) of (k, have, drawn, n)."""
    from scipy.special import _ufuncs

    if hasattr(_ufuncs, "_hypergeom_sf") and hasattr(_ufuncs, "_hypergeom_pmf"):
        return _ufuncs._hypergeom_sf, _ufuncs._hypergeom_pmf
    return by_stats()


def by_stats() -> tuple[Callable[..., FloatArray], Callable[..., FloatArray]]:
    """The same of scipy.stats."""
    from scipy.stats import hypergeom

    return (
        lambda k, have, drawn, n: np.asarray(hypergeom.sf(k, n, have, drawn)),
        lambda k, have, drawn, n: np.asarray(hypergeom.pmf(k, n, have, drawn)),
    )
