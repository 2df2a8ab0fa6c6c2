"""`bootstrap.spread` as it was written down first: every draw from the sets themselves, in floating point, with nothing
kept from one draw to the next and no sorted pieces."""

import numpy as np

from backend.metrics.alpha.bootstrap import DRAWS, PLACES, Priors, Spread, _inside, _widened
from backend.metrics.paired.resampling import cluster_index, percentiles


def spread(sets, clusters=None, priors: Priors | None = None, domain=(0.0, 1.0), draws=DRAWS, seed=0) -> Spread | None:
    """The same question, the same random numbers in the same order."""
    index, _ = cluster_index(clusters, len(sets))
    known = np.flatnonzero(sets.defined)
    if not len(known):
        return None
    _, place = np.unique(index[known], return_inverse=True)
    n_clusters = int(place.max()) + 1
    if n_clusters < 2:
        return None
    cluster = np.zeros(len(sets), dtype=np.intp)
    cluster[known] = place.reshape(-1)
    rng = np.random.default_rng(seed)
    alphas, room = np.linspace(*domain, PLACES), _widened(domain, sets.valid)
    curves, stars, gains = np.empty((draws, PLACES)), np.empty((draws, 2)), np.full(draws, np.nan)
    for k in range(draws):
        own = sets if priors is None else priors.drawn(rng)
        drawn = np.bincount(rng.integers(0, n_clusters, n_clusters), minlength=n_clusters).astype(np.float64)
        weight = np.where(own.defined, drawn[cluster], 0.0)
        curves[k], (low, high), stars[k] = curve(own, weight, alphas, domain, room)
        out = (drawn[cluster] == 0) & own.defined
        if out.any():
            middle = low + (high - low) / 2
            gains[k] = (
                int((own.contains(middle) & out).sum()) - int((own.contains(domain[0]) & out).sum())
            ) / out.sum()
    low, high = np.nanpercentile(curves, [2.5, 97.5], axis=0)
    told = gains[~np.isnan(gains)]
    if not len(told):
        return None
    return Spread(
        draws, n_clusters, 0 if priors is None else priors.n_samples, alphas, low, high,
        (_inside(percentiles(stars[:, 0])[0], domain), _inside(percentiles(stars[:, 1])[1], domain)),
        float(told.mean()), percentiles(told), float(np.mean(told > 0)),
    )  # fmt: skip


def curve(sets, weight, alphas, domain, room):
    """(shares at alphas, the widest best plateau inside the domain, the same of the room where more is reached)."""
    owner, lo, hi = sets.pieces()
    inside = (lo < room[1]) & (hi > room[0])
    ends = np.clip(np.concatenate([lo[inside], hi[inside], domain]), *room)
    order = np.argsort(ends, kind="stable")
    whose = np.concatenate([owner[inside], owner[inside], np.zeros(2, dtype=np.intp)])[order]
    step = np.repeat([1.0, -1.0, 0.0], [inside.sum(), inside.sum(), 2])[order]
    total = weight.sum()
    moved = step * weight[whose]
    turns = np.flatnonzero((moved != 0) | (step == 0))  # items that were not drawn break no plateau
    at = np.concatenate([room[:1], ends[order][turns], room[1:]])
    value = np.concatenate([[0.0], np.cumsum(moved[turns])])
    width = np.diff(at)
    level = np.where(width > 0, value, -1.0)
    here = np.where((at[:-1] >= domain[0]) & (at[1:] <= domain[1]), level, -1.0)
    place = np.minimum(np.searchsorted(at, alphas, "right"), np.searchsorted(at, domain[1], "left")) - 1
    shares = value[place] / total if total else np.full(len(alphas), np.nan)
    found = [int(np.argmax(np.where(of == of.max(), width, -1.0))) for of in (here, level)]
    best, widest = ((float(at[k]), float(at[k + 1])) for k in found)
    return shares, best, best if here.max() == level.max() else widest
