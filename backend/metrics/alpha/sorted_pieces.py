"""Open pieces of alpha, sorted once, for any number of draws of their items: each draw's curve, exactly.

A draw says how often each cluster of items is in it. Its curve rises and falls by whole numbers at the pieces' ends, so
one running sum over the ends, which are sorted already, is all that a draw takes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.metrics.alpha.curves import Domain
from backend.metrics.alpha.open_intervals import Intervals
from backend.metrics.alpha.unions import Unions
from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray

Sets = Intervals | Unions
Plateau = tuple[float, float]
#: How often each cluster is in a draw, or other small whole numbers.
Counts = NDArray[np.int32]


@dataclass(frozen=True)
class Where:
    """What the draws have in common. domain: where alpha is looked for; room: the same with as much on either side as
    is known; cluster: intp (n,), of each item, below n_clusters; alphas: float64, in the domain, where the curve is
    asked."""

    domain: Domain
    room: Domain
    cluster: IntArray
    n_clusters: int
    alphas: FloatArray


@dataclass(frozen=True)
class Pieces:
    """The pieces of all items, for any draw of the clusters.

    edges: float64 (s + 1,), the different ends, ascending, from the room's low end to its high one; those of the domain
    are among them. sign: int32 (m,), of each end 1 where a piece begins, -1 where it ends, 0 of the domain's; place:
    intp (m,), its item's cluster; both by ascending ends. last: intp (s,), how many ends come before each segment
    between two edges; None where that is 0, 1, 2, ... asked: intp, the same for each alpha that is asked. begun, size:
    int32 (clusters,), pieces that reach beyond the room's low end, and items with a verdict. inside: the first segment
    of the domain and the first one after it. raw: (cluster, lo, hi) of all pieces; first: which hold the domain's low
    end.

    >>> half = Intervals(np.array([0.25, -np.inf]), np.array([np.inf, 0.75]))
    >>> where = Where((0.0, 1.0), (-1.0, 2.0), np.arange(2), 2, np.array([0.0, 0.5, 1.0]))
    >>> pieces = Pieces.of(half, where)
    >>> shares, best, widest = pieces.curve(np.array([1, 1], dtype=np.int32))
    >>> shares.tolist(), best, pieces.curve(np.array([2, 0], dtype=np.int32))[1]
    ([0.5, 1.0, 0.5], (0.25, 0.75), (0.25, 1.0))
    """

    edges: FloatArray
    sign: Counts
    place: IntArray
    last: IntArray | None
    asked: IntArray
    begun: Counts
    size: Counts
    inside: tuple[int, int]
    raw: tuple[IntArray, FloatArray, FloatArray]
    first: BoolArray

    @classmethod
    def of(cls, sets: Sets, where: Where, drawn: Counts | None = None) -> "Pieces":
        """drawn: (clusters,), a draw; with it the result is good for that draw alone, and sooner there: pieces of what
        is not in it are not sorted."""
        (start, stop), (low, high), n = where.room, where.domain, where.n_clusters
        owner, lo, hi = sets.pieces()
        known = np.asarray(sets.defined)
        if not (judged := known[owner]).all():
            owner, lo, hi = owner[judged], lo[judged], hi[judged]
        cluster = where.cluster[owner]
        near = (lo < stop) & (hi > start)
        if drawn is not None:
            near &= (drawn > 0)[cluster]
        begins, ends = near & (lo > start), near & (hi < stop)
        limits = [end for end in (low, high) if start < end < stop]
        at = np.concatenate([lo[begins], hi[ends], limits])
        order = np.argsort(at)  # of equal ends in any order: there is nothing between them
        at = at[order]
        kinds = np.repeat(np.array([1, -1, 0], dtype=np.int32), [begins.sum(), ends.sum(), len(limits)])
        place = np.concatenate([cluster[begins], cluster[ends], np.zeros(len(limits), dtype=np.intp)])
        edges, last = np.concatenate([[start], at, [stop]]), None
        wide = edges[1:] > edges[:-1]
        if not wide.all():
            last = np.flatnonzero(wide)
            edges = np.append(edges[last], stop)
        return cls(
            edges, kinds[order], place[order], last,
            np.minimum(np.searchsorted(at, where.alphas, "right"), np.searchsorted(at, high, "left")),
            np.bincount(cluster[near & ~begins], minlength=n).astype(np.int32),
            np.bincount(where.cluster[known], minlength=n).astype(np.int32),
            (int(np.searchsorted(edges, low)), int(np.searchsorted(edges, high))),
            (cluster, lo, hi), (lo < low) & (low < hi),
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        """Bytes of the long arrays."""
        return sum(each.nbytes for each in (self.edges, self.sign, self.place, self.first, *self.raw))

    def curve(self, drawn: Counts) -> tuple[FloatArray, Plateau, Plateau]:
        """(the share right at the alphas that are asked, the widest plateau with the largest share inside the domain,
        and the one of the whole room where a larger share lies outside). On a break-point the value just above stands
        for it. drawn: int32 (clusters,), how often each is in the draw."""
        total = int(drawn @ self.size)
        times = drawn[self.place]
        level = np.empty(len(times) + 1, dtype=np.int32)
        level[0] = drawn @ self.begun
        np.multiply(times, self.sign, out=level[1:])
        np.cumsum(level, dtype=np.int32, out=level)
        shares = level[self.asked] / total if total else np.full(len(self.asked), np.nan)
        value = level if self.last is None else level[self.last]
        low, high = self.inside
        here = int(value[low:high].max())
        beyond = max(int(side.max(initial=-1)) for side in (value[:low], value[high:]))
        best = self._widest(value, here, low, high, times)
        return shares, best, best if here >= beyond else self._widest(value, beyond, 0, len(value), times)

    def _widest(self, value: Counts, top: int, low: int, high: int, times: Counts) -> Plateau:
        """The widest plateau of a value among the segments from low up to high; of equally wide ones the first. What is
        not in the draw breaks no plateau."""
        found = low + np.flatnonzero(value[low:high] == top)
        joined = (np.diff(found) == 1) & (found[1:] != self.inside[0]) & (found[1:] != self.inside[1])
        if self.last is not None:
            # Items that begin where others end leave the value as it is, and yet break the plateau between them.
            for k in np.flatnonzero(joined):
                joined[k] = not times[self.last[found[k]] : self.last[found[k + 1]]].any()
        first, final = found[np.append(True, ~joined)], found[np.append(~joined, True)]
        lo, hi = self.edges[first], self.edges[final + 1]
        widest = int(np.argmax(hi - lo))
        return float(lo[widest]), float(hi[widest])

    def gained(self, drawn: Counts, alpha: float) -> float:
        """Of the items that are not in the draw the share right at alpha less that at the low end of the domain; NaN
        where all are. The pieces of one item are disjoint."""
        cluster, lo, hi = self.raw
        out = drawn == 0
        n = int(self.size[out].sum())
        if not n:
            return float("nan")
        left = out[cluster]
        after, before = np.count_nonzero((lo < alpha) & (alpha < hi) & left), np.count_nonzero(self.first & left)
        return (after - before) / n
