"""What an edit of the captions does to verdicts: the drop of a rate and the verdicts that flip, paired by item.

Every verdict before the edit stands beside the verdict of the same question after it. Clusters (items that share an
image, and all editions of one item) stay whole, so several seeds of one edit do not count as more items than they are.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import FloatArray, IntArray
from backend.metrics.paired.differences import no_narrower, of_halves, tell, widened
from backend.metrics.paired.halves import SAMPLES, ends, half_sums, two_sided
from backend.metrics.paired.resampling import cluster_index
from backend.metrics.paired.signflip import sign_flip
from backend.metrics.statistics import UNDEFINED, Rate, mcnemar, rate


@dataclass(frozen=True)
class SumChange:
    """A sum of rates (rsum) before and after, fractions added up; drop = before − after with its 95 % interval.

    >>> found = sum_change([1, 1], [0, 1], ["a", "b"], [1, 2])
    >>> found.before, found.after, found.drop
    (2.0, 1.0, 1.0)
    """

    n: int
    clusters: int
    before: float | None
    after: float | None
    drop: float | None
    ci95: tuple[float, float] | None
    p: float | None


@dataclass(frozen=True)
class Change(SumChange):
    """Verdicts before and after an edit.

    n: pairs with both verdicts; clusters: independent ones among them. before, after: shares right, as fractions. drop:
    before − after, its 95 % interval `ci95` and the two-sided p of `signflip.sign_flip`. lost: right before, wrong
    after; won: the other way; flipped: either, each a `Rate` over the n pairs. mcnemar_p: exact, two-sided; None where
    items come several times, because it takes them as independent. Undefined: n = 0 and None.

    >>> found = change([1, 1, 0], [0, 1, 0])
    >>> found.n, round(found.before, 3), round(found.after, 3)
    (3, 0.667, 0.333)
    """

    lost: Rate
    won: Rate
    flipped: Rate
    mcnemar_p: float | None


NOTHING = Change(0, 0, None, None, None, None, None, UNDEFINED, UNDEFINED, UNDEFINED, None)


def change(before: ArrayLike, after: ArrayLike, clusters: ArrayLike | None = None, seed: int = 0) -> Change:
    """Compare verdicts (n,), 1 right, 0 wrong, NaN undefined; a pair with a NaN is left out. clusters: (n,) ids.

    Shares have the interval of `statistics.rate`; the drop that of random halves, with the exact test's p, as a gain in
    `paired.pair` has. One cluster has no interval.

    >>> found = change([1, 1, 0, 1], [0, 1, 1, 1])
    >>> found.drop, found.lost.value, found.won.value, found.flipped.value, found.mcnemar_p
    (0.0, 0.25, 0.25, 0.5, 1.0)
    """
    was, now = (np.asarray(values, dtype=np.float64).reshape(-1) for values in (before, after))
    index, _ = cluster_index(clusters, len(was))
    keep = ~(np.isnan(was) | np.isnan(now))
    was, now = was[keep], now[keep]
    index, n_clusters = cluster_index(index[keep], int(keep.sum()))
    n = len(was)
    if not n:
        return NOTHING
    lost, won = (was > now).astype(np.float64), (now > was).astype(np.float64)
    p = sign_flip(lost - won, index)
    moved = of_halves(np.bincount(index, lost - won, n_clusters), np.bincount(index, minlength=n_clusters), seed=seed)
    alone = n_clusters == n
    shared = None if alone else index
    return Change(
        n, n_clusters, float(was.mean()), float(now.mean()), float((was - now).mean()),
        widened(ends(moved), lost, won, index, n_clusters, p), p if n_clusters > 1 else None,
        rate(lost, clusters=shared), rate(won, clusters=shared), rate(lost + won, clusters=shared),
        mcnemar(was, now).p if alone else None,
    )  # fmt: skip


def sum_change(before: ArrayLike, after: ArrayLike, metric: ArrayLike, clusters: ArrayLike, seed: int = 0) -> SumChange:
    """The change of a sum of rates. before, after: verdicts (n,) of all its metrics; metric: (n,) which one each is of.

    Each rate is its own share of right verdicts; clusters (images with all their queries, both ways) stay together in
    the halves that interval and p come from. Where few clusters hold a difference the interval is no narrower than the
    rates' own, `widened`, added up, as if all moved together. NaN leaves a pair out.

    >>> sum_change([1, 1, 0, 1], [0, 1, 0, 0], ["a", "a", "b", "b"], [1, 2, 1, 2]).drop
    1.0
    """
    was, now = (np.asarray(values, dtype=np.float64).reshape(-1) for values in (before, after))
    keep = ~(np.isnan(was) | np.isnan(now))
    which, n_metrics = cluster_index(np.asarray(metric).reshape(-1)[keep], int(keep.sum()))
    index, n_clusters = cluster_index(np.asarray(clusters).reshape(-1)[keep], int(keep.sum()))
    was, now = was[keep], now[keep]
    if not len(was):
        return SumChange(0, 0, None, None, None, None, None)
    place = index * n_metrics + which
    sums = [
        np.bincount(place, values, minlength=n_clusters * n_metrics).reshape(n_clusters, n_metrics)
        for values in (was, now, np.ones(len(was)))
    ]
    total = [s.sum(axis=0) for s in sums]
    first, second = (float((total[k] / total[2]).sum()) for k in (0, 1))
    ci95, p = None, None
    if n_clusters > 1:
        drawn = half_sums(np.concatenate([sums[0] - sums[1], sums[2]], axis=1), SAMPLES, seed)
        with np.errstate(invalid="ignore", divide="ignore"):
            moved = (drawn[:, :n_metrics] / drawn[:, n_metrics:]).sum(axis=1)
        found, p = ends(moved), two_sided(moved)
        ci95 = None if found is None else found.holding(p)
        if ci95 is not None and not tell(np.abs(was - now), index, n_clusters):
            ci95 = _no_narrower(ci95, was - now, which, index, p)
    return SumChange(len(was), n_clusters, first, second, first - second, ci95, p)


def _no_narrower(
    inside: tuple[float, float], fell: FloatArray, which: IntArray, index: IntArray, p: float
) -> tuple[float, float] | None:
    """An interval of a sum of drops, no narrower than the sum of each one's own. fell: (n,) 1, 0 or -1, of which rate
    (n,) and of which cluster (n,). None where a rate is of one cluster."""
    least = most = 0.0
    for rate_ in range(int(which.max()) + 1):
        own = fell[which == rate_]
        place, clusters = cluster_index(index[which == rate_], len(own))
        found = widened(None, np.maximum(own, 0.0), np.maximum(-own, 0.0), place, clusters, None)
        if found is None:
            return None
        least, most = least + found[0], most + found[1]
    return no_narrower(inside, least, most, p)


#: Verdicts (n,), which metric each is of (n,), and the image or other cluster that it belongs to (n,).
Side = tuple[ArrayLike, ArrayLike, ArrayLike]


def gain(a: Side, b: Side, seed: int = 0) -> tuple[float, tuple[float, float] | None] | None:
    """Sum of rates of b minus that of a, where both were asked different questions about the same clusters (other
    captions of the same images), with its 95 % interval by halves of the clusters, with all their questions on both
    sides. None where a side has no verdict; no interval for a few clusters.

    >>> gain(([1, 0], ["r", "r"], [1, 2]), ([1, 1, 1], ["r", "r", "r"], [1, 1, 2]))[0]
    0.5
    """
    tables = []
    names = sorted({str(name) for side in (a, b) for name in np.asarray(side[1]).reshape(-1)})
    ids = np.unique(np.concatenate([np.asarray(side[2]).reshape(-1).astype(str) for side in (a, b)]))
    for values, metric, clusters in (a, b):
        known = np.asarray(values, dtype=np.float64).reshape(-1)
        keep = ~np.isnan(known)
        which = np.searchsorted(names, np.asarray(metric).reshape(-1).astype(str)[keep])
        place = np.searchsorted(ids, np.asarray(clusters).reshape(-1).astype(str)[keep]) * len(names) + which
        sums = (np.bincount(place, w, minlength=len(ids) * len(names)) for w in (known[keep], np.ones(keep.sum())))
        tables += [each.reshape(len(ids), len(names)) for each in sums]
    totals = [table.sum(axis=0) for table in tables]
    if not len(ids) or not all((totals[k] > 0).all() for k in (1, 3)):
        return None
    difference = float((totals[2] / totals[3]).sum() - (totals[0] / totals[1]).sum())
    if len(ids) < 2:
        return difference, None
    drawn = np.split(half_sums(np.concatenate(tables, axis=1), SAMPLES, seed), 4, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        moved = (drawn[2] / drawn[3]).sum(axis=1) - (drawn[0] / drawn[1]).sum(axis=1)
    found = ends(moved)
    return difference, None if found is None or found.high - found.low < 1e-12 else (found.low, found.high)


__all__ = ["NOTHING", "Change", "Side", "SumChange", "change", "gain", "sum_change"]
