"""Whether wrong answers lie together in a model's space: how often the neighbours of a wrong one are wrong, too,
against what the same verdicts give when they are dealt to the items at random.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.metrics.core.arrays import FloatArray
from backend.metrics.paired.resampling import percentiles

SHUFFLES, SAMPLES = 400, 1000


@dataclass(frozen=True)
class NearErrors:
    """share: of the neighbours of wrong contents, how many are wrong; low, high: its 95 % interval over items; chance:
    the mean of the same share when verdicts are dealt to items anew; p: how often that is as far from its mean (two
    ends). n: wrong items; k: neighbours that were looked at.

    >>> NearErrors(share=0.58, low=0.5, high=0.66, chance=0.41, p=0.005, n=187, k=5).share
    0.58
    """

    share: float
    low: float
    high: float
    chance: float
    p: float
    n: int
    k: int

    @property
    def together(self) -> bool:
        """Whether wrong ones lie together beyond chance."""
        return self.p <= 0.05 and self.share > self.chance


def near_errors(
    neighbours: NDArray[np.intp], item: NDArray[np.intp], wrong: NDArray[np.floating], seed: int = 0
) -> NearErrors | None:
    """neighbours: (contents, k) the nearest contents of other items, -1 for none. item: (contents,) whose they are.
    wrong: (items,) 1, 0 or NaN without a verdict. None where fewer than two items are right, or wrong.

    Each wrong item counts once: the mean over its contents. Verdicts are dealt anew to whole items.

    >>> wrong = np.array([1.0, 1, 1, 0, 0, 0])
    >>> near_errors(np.array([[1], [2], [0], [4], [5], [3]]), np.arange(6), wrong).share
    1.0
    """
    known = ~np.isnan(wrong)
    n_wrong, n_right = int((wrong[known] > 0.5).sum()), int((wrong[known] <= 0.5).sum())
    if min(n_wrong, n_right) < 2 or not neighbours.size:
        return None
    # Of an item that is not there, or has no verdict, the value is 0; the item after the last one stands for the first.
    others = np.where(neighbours >= 0, item[np.maximum(neighbours, 0)], len(wrong))
    counts = np.bincount(item, np.append(known, False)[others].sum(axis=1), len(wrong))
    of_each = np.maximum(counts, 1)

    def by_item(verdict: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Per item: share of its contents' neighbours that are wrong; and which items are wrong and have some. verdict:
        (items + 1,) with 0 for those without one, and last."""
        sums = np.bincount(item, verdict[others].sum(axis=1), len(wrong))
        return sums / of_each, (verdict[:-1] > 0.5) & (counts > 0)

    plain = np.append(np.where(known, wrong, 0.0), 0.0)
    share, chosen = by_item(plain)
    if not chosen.any():
        return None
    mine = share[chosen]
    rng = np.random.default_rng(seed)
    dealt = np.empty(SHUFFLES)
    moved, places, dealt_out = plain.copy(), np.flatnonzero(known), wrong[known]
    for k in range(SHUFFLES):
        moved[places] = rng.permutation(dealt_out)
        some, these = by_item(moved)
        dealt[k] = some[these].mean() if these.any() else np.nan
    chance = float(np.nanmean(dealt))
    far = np.abs(dealt - chance) >= abs(mine.mean() - chance) - 1e-12
    drawn = mine[rng.integers(0, len(mine), (SAMPLES, len(mine)))].mean(axis=1)
    low, high = percentiles(drawn)
    p = float((1 + far.sum()) / (1 + SHUFFLES))
    return NearErrors(float(mine.mean()), low, high, chance, p, n_wrong, neighbours.shape[1])
