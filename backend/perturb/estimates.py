"""A mean with its standard error, from a stream."""

import math
from dataclasses import dataclass
from typing import Final

#: Of the 95 % interval of a normal distribution.
Z: Final = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over the n captions where a feature is defined. se: standard error, n − 1 in its denominator, captions
    taken as independent; None below n = 2. ci95: mean ± 1.96 se. All None where n = 0."""

    mean: float | None
    n: int
    se: float | None

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean."""
        return None if self.mean is None or self.se is None else (self.mean - Z * self.se, self.mean + Z * self.se)


class Running:
    """Mean and variance of a stream (Welford)."""

    def __init__(self) -> None:
        self.n, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        """One more value."""
        self.n += 1
        step = value - self.mean
        self.mean += step / self.n
        self.squares += step * (value - self.mean)

    def estimate(self) -> Estimate:
        """What has been seen so far."""
        if not self.n:
            return Estimate(None, 0, None)
        se = math.sqrt(self.squares / (self.n - 1) / self.n) if self.n > 1 else None
        return Estimate(self.mean, self.n, se)
