"""How alike several measures rank the same models: Spearman's ρ, with intervals, and what a third one leaves of it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
#: The largest ρ that has a z.
_NEAR_ONE = 1.0 - 1e-12


def spearman(values: Floats) -> Floats:
    """(n, k) → (k, k): ρ of every pair of columns over the n rows, ties sharing their mean rank; NaN where a column is
    constant or there are fewer than three rows.

    >>> spearman(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 9.0]])).round(3).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    n, k = values.shape
    if n < 3:
        return np.full((k, k), np.nan)
    ranks = _ranks(values)
    centred = ranks - ranks.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    norms[norms == 0] = np.nan
    found = (centred.T @ centred) / np.outer(norms, norms)
    return np.asarray(np.clip(found, -1.0, 1.0), dtype=np.float64)


def _ranks(values: Floats) -> Floats:
    """(n, k) → (n, k): each value's rank in its column from 1, equal ones sharing their mean; NaN in a column that has
    one."""
    import pandas as pd

    ranks = pd.DataFrame(values).rank().to_numpy(dtype=np.float64)
    return np.asarray(np.where(np.isnan(values).any(axis=0), np.nan, ranks), dtype=np.float64)


def given(rho: Floats, third: ArrayLike) -> Floats:
    """(k, k) → (k, k): partial rank correlations once a further measure is known (Kendall 1942), from ρ and the
    measure's own ρ with each of the k, (k,). NaN where the measure leaves a column nothing.

    >>> given(np.array([[1.0, 0.5], [0.5, 1.0]]), [0.5, 0.5]).round(3)[0, 1]
    np.float64(0.333)
    """
    other = np.asarray(third, dtype=np.float64)
    left = 1.0 - other**2
    left[left < 1e-12] = np.nan
    found = (rho - np.outer(other, other)) / np.sqrt(np.outer(left, left))
    return np.asarray(np.clip(found, -1.0, 1.0), dtype=np.float64)


def intervals(values: Floats, clusters: ArrayLike, third: Floats | None = None) -> tuple[Floats, Floats]:
    """(k, k) twice: the ends of the 95 % interval of ρ, by a jackknife that leaves out one whole cluster of rows at a
    time.

    The jackknife is of Fisher's z = artanh ρ, with Student's t of one degree of freedom less than there are clusters. A
    percentile bootstrap of whole clusters covers too rarely here: clusters are few and one holds two rows of five
    (tests/metrics/test_rank_correlation.py has both coverages).

    values: (n, k); clusters: (n,) names what rows share; third: (n,), for partial correlations. NaN where ρ is not
    defined on all rows and without each cluster, and where fewer than two clusters are there.

    >>> rows = np.array([1.0, 2, 3, 4, 5, 6])
    >>> low, high = intervals(np.column_stack([rows, rows, [1, 3, 2, 4, 6, 5]]), np.arange(6))
    >>> [round(low[0, 1].item(), 2), round(low[0, 2].item(), 2), round(high[0, 2].item(), 2)]
    [1.0, 0.33, 0.99]
    """
    from scipy.special import stdtrit  # scipy.stats, which has it as `t.ppf`, takes half a second to load

    of = np.asarray(clusters)
    names = np.unique(of)
    k = values.shape[1]
    if len(names) < 2:
        nothing = np.full((k, k), np.nan)
        return nothing, nothing.copy()
    whole = values if third is None else np.column_stack([values, third])

    def z(rows: Floats) -> Floats:
        rho = spearman(rows)
        rho = rho if third is None else given(rho[:k, :k], rho[:k, k])
        return np.arctanh(np.clip(rho, -_NEAR_ONE, _NEAR_ONE))

    here = z(whole)
    without = np.stack([z(whole[of != name]) for name in names])
    g = len(names)
    error = np.sqrt((g - 1) / g * ((without - here) ** 2).sum(axis=0))
    reach = float(stdtrit(g - 1, 0.975)) * error
    return np.tanh(here - reach), np.tanh(here + reach)


def order(rho: Floats) -> list[int]:
    """The columns in an order in which those that rank alike stand together: average linkage of 1 − ρ, its leaves
    turned so that neighbours are as near as they can be. Undefined correlations count as zero.

    >>> order(np.array([[1.0, -0.5, 0.9], [-0.5, 1.0, -0.4], [0.9, -0.4, 1.0]]))
    [1, 2, 0]
    """
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    if len(rho) < 3:
        return list(range(len(rho)))
    distance = 1.0 - np.nan_to_num(rho, nan=0.0)
    np.fill_diagonal(distance, 0.0)
    condensed = squareform((distance + distance.T) / 2, checks=False)
    return [int(leaf) for leaf in leaves_list(optimal_leaf_ordering(linkage(condensed, "average"), condensed))]
