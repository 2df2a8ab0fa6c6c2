"""One cell of a simulated `study --ray` (schedule.py): the look at its model, the processes that score its windows, and
the driver, which takes what comes back and commits it. Time in seconds.
"""

import heapq
import math
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from backend.engine.cluster.session import AHEAD
from backend.engine.storage.ledger import Pace
from bench.scaling.machines import Chances, Machines

PACE = Pace()


@dataclass(frozen=True)
class Cell:
    """One model on one benchmark. seconds: of one window on a usual GPU. load: until a process has the model. rows: of
    one window."""

    name: str
    windows: int
    seconds: float
    load: float
    rows: int = 1


@dataclass(frozen=True)
class Driver:
    """What the process that was started does alone. before: seconds of a cell in which nobody scores yet, beside
    looking at the model. row: seconds of a row that it takes and commits."""

    before: float = 0.0
    row: float = 0.0


@dataclass
class Outcome:
    """GPU seconds by what they went into, and the end. busy: of committed windows. loading: models, the first look
    among it. waiting: for the driver alone, while it looks, plans, or commits the last windows. held: until each
    study's own end, while its machines were there; the rest of it was idle (a cell's last windows). loads: how often a
    model was loaded. taken: how often a machine was. done: windows committed, by cell.
    """

    end: float = 0.0
    busy: float = 0.0
    loading: float = 0.0
    waiting: float = 0.0
    lost: float = 0.0
    held: float = 0.0
    loads: int = 0
    taken: int = 0
    done: dict[str, int] = field(default_factory=dict)

    def with_(self, other: "Outcome") -> "Outcome":
        """Both studies, begun at the same time."""
        sums = {each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)[1:-1]}
        return Outcome(**sums, end=max(self.end, other.end), done=self.done | other.done)


class Pool:
    """A cell from the look at its model to its last commit, or until the driver's machine is taken."""

    def __init__(
        self, cell: Cell, left: int, machines: Machines, out: Outcome, driver: Driver, chances: Chances,
        slowness: Sequence[float], draw: random.Random,
    ) -> None:  # fmt: skip
        self.cell, self.machines, self.out, self.driver = cell, machines, out, driver
        self.chances, self.slowness, self.draw = chances, slowness, draw
        self.left = self.to_score = left
        self.events: list[tuple[float, int, str, int]] = []
        self.holds: dict[int, int] = {}  # GPU with the model -> the windows that it has
        self.begun: dict[int, tuple[float, str]] = {}  # GPU -> since when it loads or scores
        self.version = [0] * len(slowness)  # a GPU's events from before it was taken count no more
        self.free = 0.0  # when the driver has taken all windows that have come
        self.scored = 0.0  # when the last window came
        self.unwritten = deque[float]()  # the GPU seconds of windows that have come, in their order
        self.waits: list[float] = []  # … that the driver has taken and not committed
        self.committed, self.since = 0, 0.0

    def run(self, now: float) -> tuple[float, int]:
        """(when it ended, windows committed)."""
        driver, out, cell = self.driver, self.out, self.cell
        ready = now + cell.load + driver.before
        n = len(self.machines.there(now)) * self.machines.gpus
        looked = min(ready, self.machines.until[0])
        out.loads += 1
        out.loading += min(cell.load, looked - now)
        out.waiting += n * (looked - now) - min(cell.load, looked - now)
        if looked < ready:
            return self._stopped(), 0
        out.taken += self.machines.pass_to(ready)
        self.since = ready
        self._start(ready)
        while self.committed < self.left:
            at, gpu, what, version = heapq.heappop(self.events)
            if what == "taken":
                if gpu == 0:
                    return self._stopped(), self.committed
                self._take(gpu, at)
            elif what == "wrote":
                self._wrote(at)
            elif version == self.version[gpu]:
                getattr(self, f"_{what}")(gpu, at)
        end = self.free
        out.waiting += len(self.holds) * (end - self.scored)
        return end, self.committed

    def _start(self, now: float) -> None:
        """A process on each GPU that is there, no more than windows; each loads."""
        gpus = [m * self.machines.gpus + k for m in self.machines.there(now) for k in range(self.machines.gpus)]
        self.mine = gpus[: self.left]
        for gpu in self.mine:
            self._load(gpu, now)
        for machine, until in enumerate(self.machines.until):
            if until < math.inf:
                self._push(until, machine, "taken")

    def _push(self, at: float, gpu: int, what: str) -> None:
        heapq.heappush(self.events, (at, gpu, what, self.version[gpu] if what != "taken" else 0))

    def _load(self, gpu: int, now: float) -> None:
        self.begun[gpu] = now, "loading"
        self.out.loads += 1
        self._push(now + self.cell.load, gpu, "loaded")

    def _loaded(self, gpu: int, now: float) -> None:
        self.out.loading += now - self.begun.pop(gpu)[0]
        self.holds[gpu] = 0
        self._fill(gpu, now)

    def _fill(self, gpu: int, now: float) -> None:
        """Hand it windows until it has two, and let it score."""
        more = min(AHEAD - self.holds[gpu], self.to_score)
        self.holds[gpu] += more
        self.to_score -= more
        if self.holds[gpu] and gpu not in self.begun:
            spread = self.chances.spread
            noise = math.exp(self.draw.gauss(-(spread**2) / 2, spread)) if spread else 1.0
            self.begun[gpu] = now, "scoring"
            self._push(now + self.cell.seconds * self.slowness[gpu] * noise, gpu, "scored")

    def _scored(self, gpu: int, now: float) -> None:
        self.unwritten.append(now - self.begun.pop(gpu)[0])
        self.holds[gpu] -= 1
        self.scored = now
        self.free = max(self.free, now) + self.cell.rows * self.driver.row
        self._push(self.free, gpu, "wrote")
        self._fill(gpu, now)

    def _wrote(self, now: float) -> None:
        """The driver has taken one more window; it commits where the ledger would, and after the last one."""
        self.waits.append(self.unwritten.popleft())
        last = self.committed + len(self.waits) == self.left
        if last or len(self.waits) * self.cell.rows >= PACE.rows or now - self.since >= PACE.seconds:
            self.out.busy += sum(self.waits)
            self.committed += len(self.waits)
            self.waits, self.since = [], now

    def _take(self, machine: int, now: float) -> None:
        """One machine less: what its processes hold is given to others, and they load again when it is back."""
        self.out.taken += 1
        back = self.machines.take(machine)
        for gpu in self._gpus(machine):
            self._end(gpu, now)
            self.to_score += self.holds.pop(gpu, 0)
            self.version[gpu] += 1
            if gpu in self.mine:
                self._push(back, gpu, "load")
        for gpu in self.holds:
            self._fill(gpu, now)
        if self.machines.until[machine] < math.inf:
            self._push(self.machines.until[machine], machine, "taken")

    def _gpus(self, machine: int) -> range:
        return range(machine * self.machines.gpus, (machine + 1) * self.machines.gpus)

    def _end(self, gpu: int, now: float) -> None:
        """What a GPU was at comes to nothing."""
        since, what = self.begun.pop(gpu, (now, "scoring"))
        if what == "loading":
            self.out.loading += now - since
        else:
            self.out.lost += now - since

    def _stopped(self) -> float:
        """The driver's machine is taken: what is not committed is lost. When the command is given again."""
        now = self.machines.until[0]
        self.out.lost += sum(self.unwritten) + sum(self.waits)
        for gpu in [*self.begun]:
            self._end(gpu, now)
        self.out.taken += 1
        back = self.machines.take(0)
        self.out.taken += self.machines.pass_to(back)
        return back
