"""Whether wrong answers lie together in a model's space: how often the neighbours of a wrong one are wrong, too,
against what the same verdicts give when they are dealt to the items at random.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.metrics.clustered import Z, score_interval
from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray

SHUFFLES = 400


@dataclass(frozen=True)
class NearErrors:
    """share: of the neighbours of wrong contents, how many are wrong; low, high: its 95 % interval over items, which
    count both as wrong ones and as neighbours; chance: the mean of the same share when verdicts are dealt to items
    anew; p: how often that is as far from its mean (two ends). n: wrong items; k: neighbours that were looked at.

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
    low, high = _interval(share, chosen, plain, np.where(np.append(known, False)[others], others, -1), item, counts)
    p = float((1 + far.sum()) / (1 + SHUFFLES))
    return NearErrors(float(mine.mean()), low, high, chance, p, n_wrong, neighbours.shape[1])


def _interval(
    share: FloatArray, chosen: BoolArray, verdict: FloatArray, others: IntArray, item: IntArray, counts: IntArray
) -> tuple[float, float]:
    """95 % interval of the mean of `share` over the chosen items: Wilson's at the effective sample size.

    Its variance is the jackknife's, to first order: an item that is left out takes with it its own share, and its
    verdict from the shares of all whose neighbour it is. To draw the wrong items alone leaves the neighbours' verdicts
    as they are, and covers 58 to 79 % (docs/methods.md). share, chosen, counts: (items,); verdict: (items + 1,);
    others: (contents, k), neighbours as items, -1 where there is none with a verdict; item: (contents,).
    """
    mean, n = float(share[chosen].mean()), int(chosen.sum())
    centre, other = np.repeat(item, others.shape[1]), others.reshape(-1)
    looked = chosen[centre] & (other >= 0)
    centre, other = centre[looked], other[looked]
    pull = np.where(chosen, share - mean, 0.0)
    pull += np.bincount(other, (verdict[other] - share[centre]) / counts[centre], len(share))
    variance = float(pull @ pull) / n**2
    if mean in (0.0, 1.0) or variance < 1e-15:
        return score_interval(mean, n, Z)
    return score_interval(mean, mean * (1 - mean) / variance, Z)
