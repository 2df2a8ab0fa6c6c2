"""The machines of a simulated cluster, and what goes wrong with them. Time in seconds."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Chances:
    """What goes wrong. spread: standard deviation of the logarithm of a window's time. slow: part of the GPUs that take
    `slowness` times as long, always. taken: of one machine, times an hour. back: seconds until another stands in.
    """

    spread: float = 0.0
    slow: float = 0.0
    slowness: float = 1.0
    taken: float = 0.0
    back: float = 0.0


#: Machine -> the moments at which it is taken away.
Taking = Callable[[int], Iterator[float]]


class Machines:
    """The machines of one cluster, and when they are there. The first is the driver's."""

    def __init__(self, n: int, gpus: int, chances: Chances, taking: Taking) -> None:
        self.gpus, self.chances = gpus, chances
        self._moments = [taking(machine) for machine in range(n)]
        self.since = [0.0] * n
        self.until = [next(moments, math.inf) for moments in self._moments]
        self.held = 0.0

    def __len__(self) -> int:
        return len(self.until)

    def take(self, machine: int) -> float:
        """The machine goes at its moment; when it is back."""
        now = self.until[machine]
        self.held += self.gpus * (now - self.since[machine])
        back = self.since[machine] = now + self.chances.back
        self.until[machine] = next((at for at in self._moments[machine] if at > back), math.inf)
        return back

    def there(self, now: float) -> list[int]:
        """The machines that are there."""
        return [machine for machine, since in enumerate(self.since) if since <= now]

    def pass_to(self, now: float) -> int:
        """Let go whatever is taken until then, unseen; how often."""
        taken = 0
        for machine in range(len(self)):
            while self.until[machine] <= now:
                self.take(machine)
                taken += 1
        return taken

    def ended(self, now: float) -> float:
        """GPU seconds for which they were there."""
        return self.held + self.gpus * sum(max(0.0, now - since) for since in self.since)


def by_chance(chances: Chances, seed: int) -> Taking:
    """Poisson moments for each machine, the same whatever is scheduled."""

    def moments(machine: int) -> Iterator[float]:
        draw = random.Random(f"{seed}-{machine}")  # noqa: S311 - a seeded draw keeps no secret
        at = 0.0
        while chances.taken:
            at += draw.expovariate(chances.taken / 3600)
            yield at

    return moments
