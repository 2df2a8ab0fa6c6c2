"""Random choices that are the same on every machine: drawn from the raw bits of a seeded generator."""

from collections.abc import MutableSequence, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Dice:
    """Fast small random choices.

    NumPy keeps the raw stream of a bit generator the same in all versions, which it does not promise for
    `Generator.integers`; so scenes drawn from a seed stay the same. Bits are taken 64 words at a time.
    """

    __slots__ = ("_bits", "_pool")

    def __init__(self, rng: np.random.Generator) -> None:
        self._bits = rng.bit_generator
        self._pool: list[int] = []

    def below(self, n: int) -> int:
        """An integer from 0 to n - 1 (n far below 2**32: the bias is negligible)."""
        if not self._pool:
            self._pool = (self._bits.random_raw(64) >> np.uint64(32)).tolist()
        return self._pool.pop() % n

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, each equally likely."""
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        """True in so many cases of a hundred."""
        return self.below(100) < percent

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle in place (Fisher-Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]


#: What every sampler takes: NumPy's generator, or dice that were made from one (faster over many calls).
Rng = np.random.Generator | Dice


def dice(rng: Rng) -> Dice:
    """Dice that draw from `rng`; dice are returned as they are."""
    return rng if isinstance(rng, Dice) else Dice(rng)


def seeded(*seed: int) -> Dice:
    """Dice that give the same choices for the same seed on any machine."""
    return Dice(np.random.Generator(np.random.PCG64(seed)))
