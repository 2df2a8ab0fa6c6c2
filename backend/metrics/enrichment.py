"""What is over-represented among some items against the rest: shares in and out, their ratio, Fisher's exact test,
corrected over everything that was tested. The unit is the item; a trait is something an item has or has not.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from backend.metrics import hypergeometric
from backend.metrics.core.arrays import FloatArray
from backend.metrics.paired.multiplicity import holm

#: A trait that fewer items have, or lack, is not tested: no selection could tell it from chance.
FEWEST = 5
LEVEL = 0.05
#: Numbers of groups times items that shufflings hold at once: 32 MB.
AT_ONCE = 8_000_000
#: Groups times traits times counts that shuffling is tabled for.
MOST_CELLS = 4_000_000


@dataclass(frozen=True)
class Contrast:
    """How often a trait occurs among some items and among the rest.

    k_in of n_in, k_out of n_out; ratio of the two shares (infinite where the rest has none, NaN where nobody has) with
    its 95 % interval; p: by Fisher's exact test; adjusted: by Holm, over everything that was tested with it.

    >>> contrast(8, 10, 2, 20, p=0.0004).ratio
    8.0
    """

    k_in: int
    n_in: int
    k_out: int
    n_out: int
    ratio: float
    low: float
    high: float
    p: float
    adjusted: float = float("nan")

    @property
    def holds(self) -> bool:
        """Whether it is beyond chance at 5 % after the correction."""
        return self.adjusted <= LEVEL


def over_represented(traits: NDArray[np.bool_], inside: NDArray[np.bool_]) -> FloatArray:
    """p of each trait for being more frequent inside than outside, one-sided, by Fisher's exact test (k,).

    traits: (n items, k). inside: (n items,), or (groups, n items): then (groups, k).

    >>> over_represented(np.array([[True], [True], [False], [False]]), np.array([True, True, False, False])).round(4)
    array([0.1667])
    """
    groups = np.atleast_2d(inside).astype(np.float64)
    n = traits.shape[0]
    k_in = np.rint(groups @ traits.astype(np.float64))
    n_in = groups.sum(axis=1, keepdims=True)
    have = traits.sum(axis=0, keepdims=True)
    found = hypergeometric.beyond(k_in - 1, n, have, n_in)
    return np.asarray(found[0] if np.ndim(inside) == 1 else found)


def two_sided(k_in: int, n_in: int, k_out: int, n_out: int) -> float:
    """p of Fisher's exact test for a difference either way: all tables of these margins that are no likelier than this.

    >>> round(two_sided(3, 3, 0, 3), 3)
    0.1
    """
    n, have = n_in + n_out, k_in + k_out
    possible = np.arange(max(0, have - n_out), min(have, n_in) + 1)
    log = hypergeometric.log_mass(possible, n, have, n_in)
    return float(min(1.0, np.exp(log[log <= log[possible == k_in] + 1e-7]).sum()))


def contrast(k_in: int, n_in: int, k_out: int, n_out: int, p: float, adjusted: float = float("nan")) -> Contrast:
    """The ratio of two shares and its interval on the log scale (Katz et al. 1978); where a count is 0, half an item is
    added to each (the interval alone: the ratio stays what it is).

    >>> found = contrast(10, 20, 10, 80, p=0.001)
    >>> found.ratio, round(found.low, 2), round(found.high, 2)
    (4.0, 1.93, 8.27)
    """
    share_in, share_out = k_in / n_in if n_in else np.nan, k_out / n_out if n_out else np.nan
    ratio = share_in / share_out if share_out else (np.inf if share_in else np.nan)
    a, b = float(k_in), float(k_out)
    m, n = float(n_in), float(n_out)
    if not (k_in and k_out):
        a, b, m, n = a + 0.5, b + 0.5, m + 0.5, n + 0.5
    low = high = float("nan")
    if n_in and n_out and k_in + k_out:
        spread = float(ndtri(0.975)) * np.sqrt(max(0.0, 1 / a - 1 / m + 1 / b - 1 / n))
        middle = np.log(a / m) - np.log(b / n)
        low, high = float(np.exp(middle - spread)), float(np.exp(middle + spread))
    return Contrast(k_in, n_in, k_out, n_out, float(ratio), low, high, p, adjusted)


def worth_testing(traits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which traits (n items, k) enough items have, and enough lack, to be tested (k,).

    >>> worth_testing(np.column_stack([np.arange(40) < 20, np.ones(40, dtype=bool)]))
    array([ True, False])
    """
    have = traits.sum(axis=0)
    return np.asarray((have >= FEWEST) & (len(traits) - have >= FEWEST))


def compared(
    traits: NDArray[np.bool_], inside: NDArray[np.bool_], wrong: NDArray[np.floating] | None = None
) -> tuple[list[Contrast], Contrast | None]:
    """Every trait inside against outside, and the share of wrong items, all corrected together by Holm.

    traits: (n items, k), all worth testing. inside: (n items,). wrong: (n items,) 1, 0 or NaN for items without a
    verdict, which that test leaves out; None where there is none. Traits are tested for being more frequent inside
    (one-sided), errors for being more or less frequent (two-sided).

    >>> first = np.arange(40) < 20
    >>> traits, errors = compared(np.column_stack([first, np.arange(40) % 2 == 0]), first)
    >>> [round(one.adjusted, 3) for one in traits], errors
    ([0.0, 0.624], None)
    """
    n_in, n_out = int(inside.sum()), int((~inside).sum())
    p = over_represented(traits, inside) if traits.shape[1] else np.zeros(0)
    k_in, k_out = traits[inside].sum(axis=0), traits[~inside].sum(axis=0)
    found = [contrast(int(a), n_in, int(b), n_out, float(q)) for a, b, q in zip(k_in, k_out, p, strict=True)]
    errors = errors_inside(inside, wrong)
    adjusted = holm([*(one.p for one in found), *([errors.p] if errors else [])])
    told = [replace(one, adjusted=float(q)) for one, q in zip(found, adjusted, strict=False)]
    return told, replace(errors, adjusted=float(adjusted[-1])) if errors else None


def errors_inside(inside: NDArray[np.bool_], wrong: NDArray[np.floating] | None) -> Contrast | None:
    """The share of wrong items (n items,) inside against outside (see `compared`); None where a side has no verdict.

    >>> errors_inside(np.array([True, True, False, False]), np.array([1.0, 1.0, 0.0, 0.0])).k_in
    2
    """
    if wrong is None:
        return None
    known = ~np.isnan(wrong)
    bad = np.where(known, wrong, 0) > 0.5
    masks = (bad & inside, known & inside, bad & ~inside, known & ~inside)
    k_in, n_in, k_out, n_out = (int(mask.sum()) for mask in masks)
    return contrast(k_in, n_in, k_out, n_out, two_sided(k_in, n_in, k_out, n_out)) if n_in and n_out else None


def least_when_shuffled(
    traits: NDArray[np.bool_], groups: NDArray[np.bool_], times: int = 200, seed: int = 0
) -> FloatArray | None:
    """The least p over all groups and traits when items are dealt anew, (times,): what chance finds (Westfall and Young
    1993). groups: (g, n items). An item keeps its traits together, so that traits that go together count once. None
    where that is more than a moment's work.

    >>> first = np.arange(40) < 20
    >>> least_when_shuffled(first[:, None], first[None], times=3).shape
    (3,)
    """
    rng = np.random.default_rng(seed)
    if not groups.size or not traits.shape[1]:
        return np.ones(times)
    n, have, sizes = len(traits), traits.sum(axis=0), groups.sum(axis=1)
    if len(sizes) * len(have) * (min(have.max(), sizes.max()) + 1) > MOST_CELLS:
        return None
    tails = _tails(n, have, sizes)
    # Counts of whole items below 2^24 are exact in float32. Not the items' many traits are dealt anew but, in the same
    # order, who is in which group: fewer columns to move, and one product for many shufflings.
    data, inside = traits.astype(np.float32), groups.astype(np.float32)
    found = np.empty(times)
    step = max(1, AT_ONCE // (n * len(sizes)))
    moved = np.empty((step, len(sizes), n), np.float32)
    for start in range(0, times, step):
        here = min(step, times - start)
        for one in moved[:here]:
            one[:, rng.permutation(n)] = inside
        counts = (moved[:here].reshape(-1, n) @ data).astype(np.intp).reshape(here, len(sizes), -1)
        for k in range(here):
            found[start + k] = np.take_along_axis(tails, counts[k][..., None], axis=2).min()
    return found


def _tails(n: int, have: NDArray[np.integer], sizes: NDArray[np.integer]) -> FloatArray:
    """P(at least k of a group's items have a trait) for every group, trait and k (g, traits, most + 1)."""
    k = np.arange(int(min(have.max(), sizes.max())) + 1)
    h, s = have[None, :, None].astype(np.float64), sizes[:, None, None].astype(np.float64)
    fits = (k <= h) & (k <= s) & (s - k <= n - h)
    with np.errstate(invalid="ignore"):
        log = hypergeometric.log_mass(k, n, h, s)
    mass = np.where(fits, np.exp(np.where(fits, log, -np.inf)), 0.0)
    return np.asarray(np.minimum(1.0, np.cumsum(mass[..., ::-1], axis=2)[..., ::-1]))


__all__ = [
    "Contrast",
    "compared",
    "contrast",
    "errors_inside",
    "least_when_shuffled",
    "over_represented",
    "two_sided",
    "worth_testing",
]  # fmt: skip
