"""Retrieval under alpha: for which alpha is a query's recall a hit? A union of open intervals a query."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.alpha.open_intervals import CANCELS
from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray, as_scores
from backend.metrics.core.compare import differences


@dataclass(frozen=True)
class Unions:
    """Several disjoint open intervals an item: piece m belongs to item owner[m] and is (lo[m], hi[m]).

    known: bool (n,), items that have a verdict. note: as in `Intervals`. valid: the closed range of alpha for which the
    pieces were worked out; outside it they say nothing.

    >>> both = Unions(np.array([0, 0]), np.array([0.1, 0.6]), np.array([0.2, 0.9]), np.array([True]))
    >>> both.contains(0.7).tolist(), both.contains(0.5).tolist()
    ([True], [False])
    """

    owner: IntArray
    lo: FloatArray
    hi: FloatArray
    known: BoolArray
    note: str = ""
    valid: tuple[float, float] = (-np.inf, np.inf)

    def __len__(self) -> int:
        return len(self.known)

    @property
    def defined(self) -> BoolArray:
        """Which items have a verdict, bool (n,)."""
        return self.known

    @property
    def constant(self) -> bool:
        """True where no verdict depends on alpha."""
        return not (np.isfinite(self.lo).any() or np.isfinite(self.hi).any())

    def contains(self, alpha: float) -> BoolArray:
        """Which items are right at this alpha, bool (n,); False where undefined."""
        result = np.zeros(len(self), dtype=np.bool_)
        result[self.owner[(self.lo < alpha) & (alpha < self.hi)]] = True
        return result

    def take(self, index: ArrayLike) -> "Unions":
        """The unions of some items, by boolean mask or positions (each at most once)."""
        chosen = np.arange(len(self))[np.asarray(index)]
        place = np.full(len(self), -1, dtype=np.intp)
        place[chosen] = np.arange(len(chosen))
        keep = place[self.owner] >= 0
        return Unions(place[self.owner[keep]], self.lo[keep], self.hi[keep], self.known[chosen], self.note, self.valid)

    def pieces(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Non-empty open intervals as (owner, lo, hi); disjoint for one owner."""
        return self.owner, self.lo, self.hi


def _below(ahead: IntArray, points: FloatArray, k: int) -> list[tuple[float, float]]:
    """Maximal open intervals where fewer than k are ahead; `ahead` alternates segment, point, segment, ..."""
    good = np.concatenate([[0], (ahead < k).astype(np.int8), [0]])
    turns = np.diff(good)
    starts, ends = np.flatnonzero(turns == 1), np.flatnonzero(turns == -1) - 1
    edges = np.concatenate([[-np.inf], points, [np.inf]])
    # Comparisons are strict, so a good set is open: it starts and ends with a segment (even positions).
    return [(float(edges[s // 2]), float(edges[e // 2 + 1])) for s, e in zip(starts, ends, strict=True)]


def hits(
    gen_diff: FloatArray, prior_diff: FloatArray, k: int, valid: tuple[float, float] = (-np.inf, np.inf)
) -> list[tuple[float, float]]:
    """Where one relevant candidate has fewer than k competitors at or above it: disjoint open intervals, ascending.

    gen_diff, prior_diff: float64 (c,), relevant minus competitor, no NaN. A competitor is ahead (or tied) on the closed
    half-line gen_diff - alpha prior_diff <= 0. Those that do not cross the candidate within `valid` are only counted.

    >>> hits(np.array([1.0, 1.0]), np.array([2.0, -4.0]), 1)
    [(-0.25, 0.5)]
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        end = gen_diff / prior_diff
    rising, falling = prior_diff > 0, prior_diff < 0  # ahead from its end on, ahead up to its end
    fixed = ~(rising | falling) | ~np.isfinite(end)
    always = fixed & (gen_diff <= 0) | ~fixed & np.where(rising, end < valid[0], end > valid[1])
    crossing = ~fixed & (end >= valid[0]) & (end <= valid[1])
    n_always = int(always.sum())
    if n_always >= k:
        return []
    from_here, up_to = np.sort(end[crossing & rising]), np.sort(end[crossing & falling])
    points = np.unique(np.concatenate([from_here, up_to]))
    began = np.searchsorted(from_here, points, "right")
    ahead = np.empty(2 * len(points) + 1, dtype=np.intp)
    ahead[0] = len(up_to)
    ahead[1::2] = began + len(up_to) - np.searchsorted(up_to, points, "left")
    ahead[2::2] = began + len(up_to) - np.searchsorted(up_to, points, "right")
    return _below(ahead + n_always, points, k)


def merge(pieces: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The union of open intervals as disjoint ones; two that only touch stay apart, their common end is in neither.

    >>> merge([(0.5, 0.7), (0.0, 0.5), (0.6, 0.9)])
    [(0.0, 0.5), (0.5, 0.9)]
    """
    result: list[tuple[float, float]] = []
    for lo, hi in sorted(pieces):
        if result and lo < result[-1][1]:
            result[-1] = (result[-1][0], max(hi, result[-1][1]))
        else:
            result.append((lo, hi))
    return result


def recall_unions(
    gen: ArrayLike,
    prior: ArrayLike,
    relevance: ArrayLike,
    k: int = 1,
    side: str = "i2t",
    valid: tuple[float, float] = (0.0, 2.0),
) -> Unions:
    """Recall at k on a retrieval pool as exact sets of alpha (VisualGPTScore, Eq. 7 and Table 3), one union a query.

    gen: (images, texts); prior: (texts,), or (images, texts) where each image leaves its own samples out; both on one
    scale; relevance: bool (images, texts). Image queries (`i2t`): a hit where fewer than k irrelevant texts are at or
    above the best relevant one; the ranking changes at pairwise crossings. Text queries (`t2i`): alpha cancels, each
    union is the whole line or empty, and `note` says so. A query with a missing score or nothing relevant is undefined.
    valid: the closed range of alpha of interest; competitors that never cross within it are counted, not sorted.

    Raises ValueError for another side or shape.

    >>> recall_unions([[-1.0, -2.0]], [-1.0, -3.0], [[True, False]]).hi.tolist()
    [0.5]
    """
    if side not in ("i2t", "t2i"):
        raise ValueError(f"side must be 'i2t' or 't2i', got {side!r}")
    g = as_scores(gen, (None,), "gen")
    p, good = np.asarray(prior, dtype=np.float64), np.asarray(relevance, dtype=np.bool_)
    if (p.shape != g.shape and p.shape != g.shape[1:]) or (good.shape != g.shape and len(g)):
        raise ValueError(f"gen {g.shape}, prior {p.shape} and relevance {good.shape} do not fit together")
    table = np.broadcast_to(p, g.shape)
    if side == "t2i":
        g, good, table = g.T, good.T, np.zeros(g.T.shape)
    known: BoolArray = np.asarray(good.any(axis=1) & ~np.isnan(g).any(axis=1) & np.isfinite(table).all(axis=1))
    owner, lo, hi = [], [], []
    for query in np.flatnonzero(known):
        right, wrong = np.flatnonzero(good[query]), np.flatnonzero(~good[query])
        found: list[tuple[float, float]] = []
        for r in right:
            gaps = differences(g[query, r], g[query, wrong])
            found += hits(gaps, table[query, r] - table[query, wrong], k, valid)
        for low, high in merge(found):
            owner.append(query)
            lo.append(low)
            hi.append(high)
    note = CANCELS if side == "t2i" else ""
    ends = np.array(lo, np.float64), np.array(hi, np.float64)
    return Unions(np.array(owner, dtype=np.intp), *ends, known, note, valid)
