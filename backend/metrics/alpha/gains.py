"""What one alpha wins over another on given items, and which items alpha can make right at all."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.alpha.curves import Domain
from backend.metrics.alpha.open_intervals import Intervals
from backend.metrics.alpha.unions import Unions
from backend.metrics.core.arrays import as_mask
from backend.metrics.paired.flips import change
from backend.metrics.paired.signflip import sign_flip


@dataclass(frozen=True)
class Gain:
    """before, after: shares right at alpha_from and alpha_to on n items; value: after - before with its 95 % interval;
    won, lost: items; p: two-sided, whether they are split evenly (McNemar's exact test; whole clusters where items
    share images). None without items.

    >>> Gain(0, 0.0, 0.5, None, None, None, None, 0, 0, None).as_dict()["n"]
    0
    """

    n: int
    alpha_from: float
    alpha_to: float
    before: float | None
    after: float | None
    value: float | None
    ci95: tuple[float, float] | None
    won: int
    lost: int
    p: float | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the interval as a list."""
        return asdict(self) | {"ci95": None if self.ci95 is None else list(self.ci95)}


def gain(
    sets: Intervals | Unions, alpha_to: float, alpha_from: float = 0.0, keep: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Gain:  # fmt: skip
    """Verdicts at alpha_to against those at alpha_from. keep: bool (n,), these items only; clusters: (n,) ids.

    Where alpha_to was chosen on the same items the gain flatters itself, and so does its p.

    >>> found = gain(Intervals(np.array([0.2, 0.2, -np.inf]), np.array([np.inf, np.inf, 0.3])), 0.5)
    >>> found.won, found.lost, round(found.value, 3), found.p
    (2, 1, 0.333, 1.0)
    """
    kept = sets.defined & as_mask(keep, len(sets), "keep")
    before, after = (sets.contains(at)[kept].astype(np.float64) for at in (alpha_from, alpha_to))
    ids = None if clusters is None else np.asarray(clusters).reshape(-1)[kept]
    found = change(before, after, ids)
    won, lost = int(np.sum(after > before)), int(np.sum(before > after))
    ci95 = None if found.ci95 is None else (-found.ci95[1], -found.ci95[0])
    value = None if found.drop is None else -found.drop
    return Gain(
        found.n, alpha_from, alpha_to, found.before, found.after, value, ci95, won, lost, sign_flip(after - before, ids)
    )


@dataclass(frozen=True)
class Reach:
    """n items with a verdict: right all over the domain, somewhere in it, only outside it, at no alpha (that was looked
    at: `searched`, the closed range in which the sets were worked out).

    >>> Reach(4, 1, 1, 1, 1, (-np.inf, np.inf)).n
    4
    """

    n: int
    always: int
    somewhere: int
    beyond: int
    never: int
    searched: tuple[float, float]


def reach(sets: Intervals | Unions, domain: Domain = (0.0, 1.0)) -> Reach:
    """What alpha can do at all, from the exact sets.

    >>> four = Intervals(np.array([-np.inf, 0.2, 1.0, np.inf]), np.array([np.inf, 0.4, 3.0, -np.inf]))
    >>> found = reach(four)
    >>> found.always, found.somewhere, found.beyond, found.never
    (1, 1, 1, 1)
    """
    low, high = domain
    owner, lo, hi = sets.pieces()
    known = np.asarray(sets.defined)
    anywhere, inside, whole = (np.zeros(len(sets), dtype=np.bool_) for _ in range(3))
    anywhere[owner] = True
    inside[owner[(lo < high) & (hi > low)]] = True
    whole[owner[(lo < low) & (hi > high)]] = True
    always, somewhere, beyond, never = (
        int(np.sum(known & flags)) for flags in (whole, inside & ~whole, anywhere & ~inside, ~anywhere)
    )
    return Reach(int(known.sum()), always, somewhere, beyond, never, sets.valid)
