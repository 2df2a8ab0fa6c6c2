"""What is more than luck: every item's decoy is the same item with its evidence's sign turned, its biases kept.

Without binding, exchanging the captions of a quad changes nothing that can be known, so the sign of gamma is a coin; so
is that of z where an image says nothing (docs/reasons.md). Pages ask for whole model x subset; never one small concept.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.clustered import interval
from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray, as_mask
from backend.metrics.paired.resampling import cluster_index
from backend.metrics.statistics import wilson

#: What is certified of an item, in the order of its codes; -1 is an undefined item.
STATES = ("uncertain", "seen", "not_seen", "reversed")
UNCERTAIN, SEEN, NOT_SEEN, REVERSED = range(4)
#: At most this share of the items called seen are luck; at most this share of those called not seen are bound.
SEEN_AT, MISSED_AT = 0.05, 0.08
#: Among so many items of a verdict it can be seen that few of them are bound; "seen" needs as many by its rate.
FEWEST = 20
#: A bootstrap over fewer clusters is too narrow: it knows no other clusters than these.
FEW_CLUSTERS = 20


@dataclass(frozen=True)
class Share:
    """At least `value` of n items bind. plus, minus: items with evidence for and against; the rest have exactly none.
    ci95: its interval; None without items, or with one cluster that disagrees.

    >>> Share(4, 3, 1, 0.5, None).value
    0.5
    """

    n: int
    plus: int
    minus: int
    value: float | None
    ci95: tuple[float, float] | None


def at_least(evidence: ArrayLike, clusters: ArrayLike | None = None) -> Share:
    """(n+ - n-)/n of evidence (n,), gamma or z, NaN left out: a lower bound, for bound items below 0 are missed.

    Interval: 2 Wilson - 1 with exact zeros counted half on each side, as a coin would; with clusters (n,) that of
    `clustered.interval` in place of Wilson's.

    >>> found = at_least([1.0] * 80 + [-1.0] * 20)
    >>> found.value, [round(end, 2) for end in found.ci95]
    (0.6, [0.42, 0.73])
    """
    values = np.asarray(evidence, dtype=np.float64).reshape(-1)
    index, _ = cluster_index(clusters, len(values))
    known = ~np.isnan(values)
    sign, index = np.sign(values[known]), index[known]
    n, plus, minus = len(sign), int(np.sum(sign > 0)), int(np.sum(sign < 0))
    if n == 0:
        return Share(0, 0, 0, None, None)
    index, trials = cluster_index(index, n)
    ends: tuple[float, float] | None = by_number(sign, n)
    if trials < n:
        inside = interval((sign + 1) / 2, index, trials)
        ends = None if inside is None else (2 * inside[0] - 1, 2 * inside[1] - 1)
    return Share(n, plus, minus, (plus - minus) / n, ends)


def by_number(sign: FloatArray, trials: float) -> tuple[float, float]:
    """2 Wilson - 1 of the mean sign (n,), as if so many coins had been thrown; zeros count half on each side.

    >>> [round(end, 2) for end in by_number(np.ones(3), 3)]
    [-0.12, 1.0]
    """
    inside = wilson(trials * float(np.mean(sign > 0) + np.mean(sign == 0) / 2), trials)
    return (-1.0, 1.0) if inside is None else (2 * inside[0] - 1, 2 * inside[1] - 1)


def shares(cell: ArrayLike, mirrored: ArrayLike, cells: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Cell -> (items in it, decoys in it): the second is what luck alone would put there.

    cell, mirrored: intp (n,), codes into `cells`, -1 left out.

    >>> shares([0, 0, 1], [1, 1, 0], ("right", "none"))
    {'right': (2, 1), 'none': (1, 2)}
    """
    own, decoy = np.asarray(cell), np.asarray(mirrored)
    return {name: (int(np.sum(own == code)), int(np.sum(decoy == code))) for code, name in enumerate(cells)}


@dataclass(frozen=True)
class Certified:
    """state: intp (n,), into `STATES`. q: float64 (n,), the share of luck among items at least as strong, of items with
    evidence above 0, of the turned items below 0; NaN elsewhere.

    >>> Certified(np.array([SEEN]), np.array([0.01])).state.tolist()
    [1]
    """

    state: IntArray
    q: FloatArray


def certify(
    evidence: ArrayLike, right: ArrayLike, mirrored_right: ArrayLike, seen_at: float = SEEN_AT,
    missed_at: float = MISSED_AT,
) -> Certified:  # fmt: skip
    """Which items are seen to bind, which are not, which are read the other way round; the rest is uncertain.

    evidence: (n,), gamma or z. right: bool (n,), the items' verdicts; mirrored_right: those of their decoys. Targets
    are items with evidence above 0, decoys those below 0 with the sign turned, each under its own verdict. Within one
    verdict q(t) = min over t' <= t of (1 + decoys >= t') / targets >= t'; seen where q <= seen_at, which goes first.
    Not seen where evidence <= 0, or <= the largest t at which (targets - decoys at most t) / items at most t is at most
    missed_at, of `FEWEST` items or more. Reversed: seen with all signs turned.

    >>> t = np.array([3.0] * 30 + [-0.5] * 30 + [0.5] * 30)
    >>> found = certify(t, t > 2, np.zeros(90, dtype=bool))
    >>> [STATES[code] for code in found.state[[0, 30, 60]]]
    ['seen', 'not_seen', 'not_seen']
    """
    t = np.asarray(evidence, dtype=np.float64).reshape(-1)
    own, decoy = as_mask(right, len(t), "right"), as_mask(mirrored_right, len(t), "mirrored_right")
    known = ~np.isnan(t)
    state = np.where(known, UNCERTAIN, -1).astype(np.intp)
    state[known & (t <= 0)] = NOT_SEEN
    q = np.full(len(t), np.nan)
    for verdict in (True, False):
        mine = known & (own == verdict)
        targets, decoys = mine & (t > 0), known & (t < 0) & (decoy == verdict)
        q[targets] = q_values(t[targets], -t[decoys])
        if targets.any():
            state[targets & (t <= _not_seen_below(t[targets], -t[decoys], t[mine], missed_at))] = NOT_SEEN
        turned, back = known & (t < 0) & (decoy == verdict), known & (t > 0) & (own == verdict)
        q[turned] = q_values(-t[turned], t[back])
    state[(t > 0) & (q <= seen_at)] = SEEN
    state[(t < 0) & (q <= seen_at)] = REVERSED
    return Certified(state, q)


def q_values(targets: ArrayLike, decoys: ArrayLike, weights: ArrayLike | None = None) -> FloatArray:
    """Target-decoy q of each target, float64 (n,): min over t' <= t of (1 + decoys >= t') / (targets >= t').

    decoys: (m,); weights: (m,), how much each counts (None: 1), where an item has several decoys.

    >>> q_values([3.0, 2.0, 1.0], [1.5]).round(3).tolist()
    [0.5, 0.5, 0.667]
    """
    hits, luck = np.asarray(targets, dtype=np.float64), np.asarray(decoys, dtype=np.float64)
    if not len(hits):
        return np.zeros(0)
    at, place, counts = np.unique(hits, return_inverse=True, return_counts=True)
    if weights is None:
        above = len(luck) - np.searchsorted(np.sort(luck), at).astype(np.float64)
    else:
        order = np.argsort(luck)
        below = np.concatenate([[0.0], np.cumsum(np.asarray(weights, dtype=np.float64)[order])])
        above = below[-1] - below[np.searchsorted(luck[order], at)]
    ratio = (1 + above) / (len(hits) - (np.cumsum(counts) - counts))
    return np.asarray(np.minimum.accumulate(ratio)[place], dtype=np.float64)


def _not_seen_below(targets: FloatArray, decoys: FloatArray, items: FloatArray, missed_at: float) -> float:
    """The largest t at which the items at most t, `FEWEST` of them, hold at most this share of bound ones; -inf where
    there is none."""
    at = np.sort(np.concatenate([targets, decoys]))
    excess = np.searchsorted(np.sort(targets), at, "right") - np.searchsorted(np.sort(decoys), at, "right")
    there = np.searchsorted(np.sort(items), at, "right")
    fits = (there >= FEWEST) & (excess <= missed_at * there)
    return float(at[fits].max(initial=-np.inf))


def words(
    cell: ArrayLike, state: ArrayLike, cells: Sequence[str], nothing: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The words of the columns `cell` and `reason`, "" where undefined.

    cell: intp (n,), into `cells`. state: intp (n,), into `STATES`. nothing: (n,) of the word for an item not seen.

    >>> words([0, 4, -1], [SEEN, UNCERTAIN, -1], ("right", "a", "b", "c", "none"), ["none"] * 3)
    (['right', 'none', ''], ['right', 'uncertain', ''])
    """
    codes, states = np.asarray(cell, dtype=np.intp), np.asarray(state, dtype=np.intp)
    names = np.array([*cells, ""], dtype=object)[np.maximum(codes, -1)]
    said = np.array(STATES, dtype=object)[states]
    said = np.where(states == SEEN, names, np.where(states == NOT_SEEN, np.array(nothing, dtype=object), said))
    return names.tolist(), np.where(codes >= 0, said, "").tolist()


def unclear(certified: Certified, where: BoolArray) -> Certified:
    """The same with items made uncertain, bool (n,); undefined ones stay so.

    >>> unclear(Certified(np.array([SEEN, -1]), np.zeros(2)), np.array([True, True])).state.tolist()
    [0, -1]
    """
    return Certified(np.where(where & (certified.state >= 0), UNCERTAIN, certified.state), certified.q)
