"""Accuracy as a function of alpha: an exact step function, sorted once, then any alpha is a binary search."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.alpha.open_intervals import Intervals
from backend.metrics.alpha.unions import Unions
from backend.metrics.core.arrays import FloatArray, IntArray

Domain = tuple[float, float]
_SAME = 1e-12  # values closer than this are equal: weighted sums carry rounding


@dataclass(frozen=True)
class Best:
    """Where a curve is highest: alpha is the midpoint of (lo, hi), the widest maximal interval.

    lo_closed, hi_closed: whether the end itself attains the maximum (a single point has lo == hi, both closed).

    >>> Best(0.5, 1.0, 0.0, 1.0, True, False).text()
    '0.500 in [0.000, 1.000)'
    >>> Best(0.99998, 1.0, 0.99996, 1.0, False, True).text()
    '0.99998 in (0.99996, 1.00000]'
    """

    alpha: float
    value: float
    lo: float
    hi: float
    lo_closed: bool
    hi_closed: bool

    def text(self) -> str:
        """For people: alpha and its interval with the right brackets; three decimals, or as many as tell them apart."""
        left, right = "[" if self.lo_closed else "(", "]" if self.hi_closed else ")"
        lo, at, hi = _apart(self.lo, self.alpha, self.hi)
        return f"{at} in {left}{lo}, {hi}{right}"

    def number(self) -> str:
        """alpha alone, see `star_number`."""
        return star_number(self.alpha, (self.lo, self.hi))


def star_number(alpha: float, interval: Sequence[float] | None) -> str:
    """The best alpha as it is written wherever it is named: with as many decimals as in `Best.text`. interval: its
    plateau; None for an alpha of a grid, which has three.

    >>> star_number(0.00338, (0.0027, 0.0041)), star_number(0.5, (0.0, 1.0)), star_number(0.95, None)
    ('0.0034', '0.500', '0.950')
    """
    return f"{alpha:.3f}" if interval is None else _apart(interval[0], alpha, interval[1])[1]


def _apart(lo: float, at: float, hi: float) -> tuple[str, str, str]:
    inside = lo < at < hi
    for digits in range(3, 10):
        texts = (f"{lo:.{digits}f}", f"{at:.{digits}f}", f"{hi:.{digits}f}")
        if not inside or texts[0] != texts[1] != texts[2]:
            break
    return texts


@dataclass(frozen=True)
class Steps:
    """What to draw: the polyline (x, y), float64 (2m,), and the values at single alphas (at_x, at_y), float64 (m+1,).

    The polyline runs over the m open segments; at_x are the ends of the segments, break-points and domain ends.

    >>> Steps(np.zeros(2), np.ones(2), np.zeros(2), np.ones(2)).y.tolist()
    [1.0, 1.0]
    """

    x: FloatArray
    y: FloatArray
    at_x: FloatArray
    at_y: FloatArray


@dataclass(frozen=True)
class Curve:
    """A step function of alpha.

    breakpoints: float64 (b,), ascending. value_between: (b+1,), before, between and after them. value_at: (b,), on
    them (comparisons are strict, so a value there is never above its neighbours). n: defined items; values are NaN
    where n is 0. domain: the default of `steps` and `best`. valid: closed range outside which `at` is NaN (the whole
    line except for retrieval). note: see `Intervals.note`.

    >>> two = curve(Intervals(np.array([-np.inf, 0.25]), np.array([0.5, np.inf])))
    >>> two.breakpoints.tolist(), two.value_between.tolist(), two.value_at.tolist()
    ([0.25, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5])
    >>> two.at([0.0, 0.25, 0.3]).tolist(), two.best().text()
    ([0.5, 0.5, 1.0], '0.375 in (0.250, 0.500)')
    """

    breakpoints: FloatArray
    value_between: FloatArray
    value_at: FloatArray
    n: int
    domain: Domain = (0.0, 1.0)
    note: str = ""
    valid: Domain = (-np.inf, np.inf)

    def at(self, alpha: ArrayLike) -> FloatArray:
        """Exact values at any alphas, same shape as `alpha`."""
        x = np.asarray(alpha, dtype=np.float64)
        place = np.searchsorted(self.breakpoints, x, side="left")
        result = self.value_between[place]
        if len(self.breakpoints):
            clipped = np.minimum(place, len(self.breakpoints) - 1)
            result = np.where(self.breakpoints[clipped] == x, self.value_at[clipped], result)
        return np.where((x >= self.valid[0]) & (x <= self.valid[1]), result, np.nan)

    def _edges(self, domain: Domain | None) -> FloatArray:
        """Domain ends with the break-points strictly inside."""
        low, high = domain or self.domain
        if not low <= high:
            raise ValueError(f"the domain of alpha must ascend, got ({low}, {high})")
        if low < self.valid[0] or high > self.valid[1]:
            raise ValueError(f"this curve was worked out for alpha in {self.valid}, not for ({low}, {high})")
        first, last = np.searchsorted(self.breakpoints, low, "right"), np.searchsorted(self.breakpoints, high, "left")
        inside = self.breakpoints[first : max(first, last)]
        return np.concatenate([[low], inside, [high]]) if low < high else np.array([low], dtype=np.float64)

    def _segments(self, edges: FloatArray) -> FloatArray:
        """Values on the open segments between successive edges."""
        return self.value_between[np.searchsorted(self.breakpoints, edges[:-1], side="right")]

    def steps(self, domain: Domain | None = None) -> Steps:
        """Arrays to draw over a domain (None: the curve's own)."""
        edges = self._edges(domain)
        x = np.repeat(edges, 2)[1:-1]
        return Steps(x, np.repeat(self._segments(edges), 2), edges, self.at(edges))

    def best(self, domain: Domain | None = None) -> Best | None:
        """The widest maximal interval within the closed domain, the smaller alpha on ties; None without items."""
        if self.n == 0:
            return None
        edges = self._edges(domain)
        values = np.empty(2 * len(edges) - 1)  # point, segment, point, ...
        values[0::2], values[1::2] = self.at(edges), self._segments(edges)
        values[1::2][np.nextafter(edges[:-1], np.inf) >= edges[1:]] = -np.inf  # no float lies inside
        top = float(values.max())
        turns = np.diff(np.concatenate([[0], (values >= top - _SAME).astype(np.int8), [0]]))
        starts, ends = np.flatnonzero(turns == 1), np.flatnonzero(turns == -1) - 1
        low, high = edges[starts // 2], edges[(ends + 1) // 2]
        width = high - low
        pick = int(np.argmax(width >= width.max() - _SAME))
        lo, hi = float(low[pick]), float(high[pick])
        return Best(lo + (hi - lo) / 2, top, lo, hi, bool(starts[pick] % 2 == 0), bool(ends[pick] % 2 == 0))


def curve(
    intervals: Intervals | Unions,
    weights: ArrayLike | None = None,
    domain: Domain = (0.0, 1.0),
) -> Curve:
    """The share of items that are right, as an exact function of alpha.

    intervals: one open interval, or a union, an item. weights: (n,) non-negative, for example 1 / class size for a
    mean per class. domain: the default of `steps` and `best`; the curve itself holds every break-point.

    Raises ValueError where the weights have another length.

    >>> curve(Intervals(np.array([-np.inf]), np.array([0.5]))).best().alpha
    0.25
    """
    weight = np.ones(len(intervals)) if weights is None else np.asarray(weights, dtype=np.float64).reshape(-1)
    if len(weight) != len(intervals):
        raise ValueError(f"weights must hold {len(intervals)} values, got {len(weight)}")
    total = weight[intervals.defined].sum()
    owner, lo, hi = intervals.pieces()
    if weights is None:  # every item counts 1: sorting values is several times as fast as sorting positions
        lo_sorted, hi_sorted = np.sort(lo), np.sort(hi)
        started = ended = np.arange(len(lo) + 1, dtype=np.float64)
    else:
        starts, ends = np.argsort(lo, kind="stable"), np.argsort(hi, kind="stable")
        lo_sorted, hi_sorted = lo[starts], hi[ends]
        started = np.concatenate([[0.0], np.cumsum(weight[owner][starts])])
        ended = np.concatenate([[0.0], np.cumsum(weight[owner][ends])])
    points, below, upto, over = _merged(lo_sorted, hi_sorted)
    after, on = started[upto] - ended[over], started[below] - ended[over]
    before = started[np.searchsorted(lo_sorted, -np.inf, "right")]
    scale = total if total > 0 else np.nan
    between = np.concatenate([[before], after]) / scale
    return Curve(points, between, on / scale, int(intervals.defined.sum()), domain, intervals.note, intervals.valid)


def _merged(lo: FloatArray, hi: FloatArray) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Two ascending arrays as one: the different finite values of both, float64 (b,), and for each of them how many of
    `lo` are smaller, how many are at most as large, and how many of `hi` are at most as large, intp (b,).

    One is put into the other by a binary search, the rest is counting: the result is that of three searches.

    >>> [found.tolist() for found in _merged(np.array([-np.inf, 0.2, 0.2]), np.array([0.2, 0.5, np.inf]))]
    [[0.2, 0.5], [1, 3], [3, 3], [1, 2]]
    """
    n = len(lo) + len(hi)
    place = np.searchsorted(lo, hi, "right") + np.arange(len(hi))  # of each of `hi` among all
    is_end = np.zeros(n, dtype=np.bool_)
    is_end[place] = True
    every = np.empty(n)
    every[place], every[~is_end] = hi, lo
    differs = every[1:] != every[:-1]
    first = np.flatnonzero(np.concatenate([[True], differs])[:n])
    last = np.flatnonzero(np.concatenate([differs, [True]])[:n])
    ended = np.concatenate([[0], np.cumsum(is_end)])
    keep = np.isfinite(every[last])
    first, last = first[keep], last[keep]
    return every[last], first - ended[first], last + 1 - ended[last + 1], ended[last + 1]
