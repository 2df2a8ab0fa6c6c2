"""Intervals by random halves of the clusters: what is left of a test by changing signs when it is turned round.

Each cluster is in a random half or not, like a coin. Of a ratio of sums (a mean difference) the values that the exact
test of `signflip` does not reject lie between the outer halves' ratios (Hartigan 1969, typical values): at sums d and
sizes m the test of "the difference is Δ" changes the signs of d − Δ m, and these are as far out as seen just where the
half with one sign has a ratio beyond Δ. So interval and test say the same, whatever the sizes of the clusters; it is
exact where a cluster's difference is as likely above the true one as below. Other statistics of sums take the same
halves in place of a bootstrap's resamples, whose spread theirs has, too: with few clusters, or some large ones, it is
the bootstrap that is too narrow.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import FloatArray
from backend.metrics.paired.resampling import types_of

SAMPLES = 2000
#: With fewer clusters no half is rare enough for a test at 5 %, and so no interval of 95 % has an end.
LEAST = 6
#: Up to so many clusters all halves are taken, each once.
_ALL = 12
_BLOCK = 4_000_000  # coins in memory at a time


def half_sums(columns: ArrayLike, samples: int = SAMPLES, seed: int = 0) -> FloatArray:
    """Column sums over random halves of the rows, float64 (samples, m); over all 2**c of them up to 12 rows. columns:
    (c, m), one row a cluster.

    >>> half_sums([[1.0], [2.0]])[:, 0].tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    rows = np.asarray(columns, dtype=np.float64)
    c = len(rows)
    if c <= _ALL:
        inside = (np.arange(2**c)[:, None] >> np.arange(c)) & 1
        return np.asarray(inside @ rows, dtype=np.float64)
    rng = np.random.default_rng(seed)
    unique, alike = types_of(rows)
    if len(unique) <= max(8, c // 8):  # of rows that are alike only their number matters
        return np.asarray(rng.binomial(alike, 0.5, (samples, len(alike))) @ unique, dtype=np.float64)
    result = np.empty((samples, rows.shape[1]))
    step = max(1, _BLOCK // c)
    for start in range(0, samples, step):
        size = min(step, samples - start)
        coins = np.unpackbits(rng.integers(0, 256, (size, -(-c // 8)), dtype=np.uint8), axis=1, count=c)
        result[start : start + size] = coins.astype(np.float64) @ rows
    return result


@dataclass(frozen=True)
class Ends:
    """low, high: the interval; above, below: the halves' values nearest to 0 on its either side, NaN where there are
    none.

    >>> Ends(-1.0, 2.0, 0.5, -0.5).holding(0.2)
    (-1.0, 2.0)
    """

    low: float
    high: float
    above: float
    below: float

    def holding(self, p: float | None) -> tuple[float, float]:
        """The interval that holds 0 just where p, of the exact test, is above .05: halves are drawn, and may miss it by
        a little.

        >>> Ends(0.1, 2.0, 0.1, -0.5).holding(0.06), Ends(0.0, 2.0, 0.5, -0.5).holding(0.04)
        ((0.0, 2.0), (0.5, 2.0))
        """
        low, high = self.low, self.high
        if p is None:
            return low, high
        if p > 0.05:
            return min(low, 0.0), max(high, 0.0)
        if low <= 0 <= high:  # the end that is nearer to 0 is past it
            rising = high > -low
            return (self.above, high) if rising else (low, self.below)
        return low, high


def ends(values: FloatArray, level: float = 0.95) -> Ends | None:
    """The interval of the values of halves (samples,), NaN for a half with nothing in it, which counts as beyond either
    end. None where so many have nothing that there is no end.

    >>> ends(np.arange(101.0), level=0.9)
    Ends(low=5.0, high=95.0, above=1.0, below=nan)
    """
    known = np.sort(values[~np.isnan(values)])
    place = int(np.floor((1 - level) / 2 * len(values) + 1e-9)) - (len(values) - len(known))
    if place < 0 or 2 * place >= len(known):
        return None
    above, below = known[known > 1e-12], known[known < -1e-12]
    return Ends(
        float(known[place]), float(known[-1 - place]), float(above[0]) if len(above) else np.nan,
        float(below[-1]) if len(below) else np.nan,
    )  # fmt: skip


def between(values: FloatArray) -> tuple[float, float] | None:
    """The 95 % interval alone, as `ends`; None without spread, too.

    >>> between(np.arange(1001.0)), between(np.ones(100))
    ((25.0, 975.0), None)
    """
    found = ends(values)
    return None if found is None or found.high - found.low < 1e-12 else (found.low, found.high)


def two_sided(values: FloatArray) -> float:
    """p of "the truth is 0" from the values of halves (samples,), as the test by changing signs has it.

    >>> two_sided(np.array([np.nan, 1.0, 2.0, 3.0]))
    0.5
    """
    nothing = int(np.isnan(values).sum())
    tail = min(int(np.sum(values <= 1e-12)), int(np.sum(values >= -1e-12))) + nothing
    return min(1.0, 2 * max(tail, 1) / len(values))


__all__ = ["LEAST", "SAMPLES", "Ends", "between", "ends", "half_sums", "two_sided"]
