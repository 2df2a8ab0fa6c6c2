"""How the margins of a list are spread: a histogram, right and wrong apart, whose bars are a filter."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: About so many bars between the two at the ends.
BARS = 60
#: The bars reach to these quantiles of all margins; what lies beyond is in the bars at the ends.
_TAILS = (0.004, 0.996)
_NICE = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Histogram:
    """Bar k goes from edges[k], which is left out, to edges[k + 1], which is in: a tie, whose margin is 0 and which
    counts as a failure, stands left of zero. The first and the last bar hold what lies beyond their edges, too.

    right, wrong: how many verdicts of each bar the other filters leave, whichever verdicts and margins are chosen.
    near: how many of the wrong ones are near misses (`labels.sensitive`); empty where no verdict has edits that tell.
    asked: how many of the wrong ones have such edits: of all others it is not known.
    edges, lows, bounds are the same under every filter: of all verdicts by the metric. lows: the smallest margin of
    each bar, None for an empty one; bounds: the smallest and the largest of all.
    """

    edges: tuple[float, ...]
    right: tuple[int, ...]
    wrong: tuple[int, ...]
    lows: tuple[float | None, ...]
    bounds: tuple[float, float]
    touched: tuple[bool, ...] = ()
    near: tuple[int, ...] = ()
    asked: int = 0

    def chosen(self, first: int, last: int) -> tuple[float, float]:
        """What `FailureFilter.margin`, which has both its ends in, has to be so that exactly these bars are left.

        touched: whether a margin stands on an edge; it belongs to the bar before, so the next one above is taken.
        """
        first, last = max(0, min(first, last)), min(len(self.right) - 1, max(first, last))
        low = self.edges[first] if first else self.bounds[0]
        if first and self.touched[first]:
            low = min((each for each in self.lows[first : last + 1] if each is not None), default=low)
        return low, self.bounds[1] if last == len(self.right) - 1 else self.edges[last + 1]


def histogram(
    margins: NDArray[np.float64], correct: NDArray[np.bool_], left: NDArray[np.bool_],
    near: NDArray[np.bool_] | None = None, asked: NDArray[np.bool_] | None = None,
) -> Histogram | None:  # fmt: skip
    """Of all verdicts (margins, finite; correct) those that the other filters leave; None without any verdict. near:
    which are near misses, None where this is not known of any; asked: of which it is known, None for all.

    >>> found = histogram(np.array([-0.1, 0.0, 0.3]), np.array([False, False, True]), np.array([True, True, False]))
    >>> sum(found.wrong), sum(found.right), 0.0 in found.edges
    (2, 0, True)
    """
    if not len(margins):
        return None
    edges = _edges(margins)
    bar = np.clip(np.searchsorted(edges, margins, side="left") - 1, 0, len(edges) - 2)
    n = len(edges) - 1
    lows = np.full(n, np.inf)
    np.minimum.at(lows, bar, margins)
    return Histogram(
        tuple(float(edge) for edge in edges),
        tuple(int(count) for count in np.bincount(bar[left & correct], minlength=n)),
        tuple(int(count) for count in np.bincount(bar[left & ~correct], minlength=n)),
        tuple(float(low) if np.isfinite(low) else None for low in lows),
        (float(margins.min()), float(margins.max())),
        tuple(bool(on) for on in np.isin(edges, margins)),
        () if near is None else tuple(int(n) for n in np.bincount(bar[left & ~correct & near], minlength=n)),
        0 if near is None else int((left & ~correct & (True if asked is None else asked)).sum()),
    )


def _edges(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiples of a round step around all but the tails; zero is one of them."""
    low, high = (float(each) for each in np.quantile(margins, _TAILS))
    low, high = min(low, 0.0), max(high, 0.0)
    if high <= low:
        low, high = -1.0, 1.0
    rough = (high - low) / BARS
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(nice * power for nice in _NICE if nice * power >= rough * (1 - 1e-9))
    first, last = int(np.floor(low / step)), int(np.ceil(high / step))
    # Rounded, or a step of 0.05 would give 0.15000000000000002.
    digits = max(0, 3 - int(np.floor(np.log10(step))))
    edges: NDArray[np.float64] = np.round(np.arange(min(first, -1), max(last, 1) + 1) * step, digits)
    return edges
