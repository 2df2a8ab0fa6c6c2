"""A simulation of many GPUs that score the shards of many models: stragglers, preemption, models that must be loaded.

Every GPU works like one worker of `run --ray`: it loads a model, takes one shard of it after the other, commits each,
and goes to another model when none of this one is left. A GPU that is taken away loses the shard that it was at, and
comes back with nothing loaded. A GPU that has nothing to do is not taken, for nothing would be lost. Time in seconds.
"""

import heapq
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Job:
    """One model on one benchmark. seconds: of one shard on a usual GPU. load: until the model is there."""

    name: str
    shards: int
    seconds: float
    load: float


@dataclass(frozen=True)
class Chances:
    """What goes wrong. spread: standard deviation of the logarithm of a shard's time. slow: part of the GPUs that take
    `slowness` times as long, always. taken: of one GPU, times an hour. back: seconds until another stands in.
    """

    spread: float = 0.0
    slow: float = 0.0
    slowness: float = 1.0
    taken: float = 0.0
    back: float = 0.0


@dataclass
class Outcome:
    """GPU seconds by what they went into, and the end. busy: committed work. held: until the end, while they were
    there; what is neither busy, loading nor lost of it was idle."""

    end: float = 0.0
    busy: float = 0.0
    loading: float = 0.0
    lost: float = 0.0
    held: float = 0.0
    taken: int = 0
    done: dict[str, int] = field(default_factory=dict)

    @property
    def used(self) -> float:
        """The part of the held GPU seconds that became scores."""
        return self.busy / self.held if self.held else 0.0


#: GPU -> the moments at which it is taken away.
Taking = Callable[[int], Iterator[float]]


class _Left:
    """What is left to give out. Longest first: the next model is the one of which most work waits for each GPU that is
    at it already, counted with the loading that another GPU would add."""

    def __init__(self, jobs: Sequence[Job], *, share: bool) -> None:
        self.jobs, self.share = jobs, share
        self.waiting = [job.shards for job in jobs]
        self.at = [0] * len(jobs)

    def next(self, mine: int | None) -> int | None:
        """The job that a GPU goes on with: its own while that has shards; None where nothing is left for it."""
        if mine is not None and self.waiting[mine]:
            return mine
        best, most = None, 0.0
        for number, job in enumerate(self.jobs):
            if not self.waiting[number] or (not self.share and self.at[number]):
                continue
            per_gpu = self.waiting[number] * job.seconds / (self.at[number] + 1)
            worth = per_gpu if not self.at[number] or per_gpu > job.load else 0.0
            if worth > most:
                best, most = number, worth
        return best


def simulate(
    jobs: Sequence[Job],
    gpus: int,
    chances: Chances | None = None,
    seed: int = 0,
    *,
    share: bool = True,
    taking: Taking | None = None,
) -> Outcome:
    """Run all jobs to their end. share: several GPUs may be at one model; else each model has one GPU at a time.
    taking: when each GPU is taken away, instead of by chance."""
    chances = chances or Chances()
    draw = random.Random(seed)  # noqa: S311 - a seeded draw keeps no secret
    slowness = [chances.slowness if draw.random() < chances.slow else 1.0 for _ in range(gpus)]
    taken = [(taking or _by_chance(chances, seed))(gpu) for gpu in range(gpus)]
    left, out = _Left(jobs, share=share), Outcome()
    loaded: list[int | None] = [None] * gpus
    alive_since = [0.0] * gpus
    until = [next(moments, math.inf) for moments in taken]
    events = [(0.0, gpu) for gpu in range(gpus)]  # a GPU asks for its next shard
    idle: list[int] = []
    open_shards = sum(job.shards for job in jobs)
    held = [0.0] * gpus
    running: dict[int, tuple[int, float]] = {}  # GPU -> its job and when the shard's own work began

    def leave(gpu: int) -> None:
        mine = loaded[gpu]
        if mine is not None:
            left.at[mine] -= 1
        loaded[gpu] = None

    def start(gpu: int, now: float) -> None:
        job = left.next(loaded[gpu])
        if job is None:
            leave(gpu)
            idle.append(gpu)
            return
        ready = now
        if loaded[gpu] != job:
            leave(gpu)
            loaded[gpu] = job
            left.at[job] += 1
            ready += jobs[job].load
        left.waiting[job] -= 1
        noise = math.exp(draw.gauss(-(chances.spread**2) / 2, chances.spread)) if chances.spread else 1.0
        end = ready + jobs[job].seconds * slowness[gpu] * noise
        running[gpu] = (job, ready)
        out.loading += min(ready, until[gpu]) - now
        heapq.heappush(events, (min(end, until[gpu]), gpu))

    while open_shards:
        now, gpu = heapq.heappop(events)
        if gpu in running:
            job, ready = running.pop(gpu)
            if now >= until[gpu]:
                left.waiting[job] += 1
                out.lost += max(0.0, now - ready)
            else:
                out.busy += now - ready
                out.done[jobs[job].name] = out.done.get(jobs[job].name, 0) + 1
                open_shards -= 1
                out.end = now
        if now >= until[gpu]:
            leave(gpu)
            out.taken += 1
            held[gpu] += now - alive_since[gpu]
            alive_since[gpu] = now + chances.back
            until[gpu] = next((at for at in taken[gpu] if at > alive_since[gpu]), math.inf)
            heapq.heappush(events, (alive_since[gpu], gpu))
        else:
            start(gpu, now)
        while idle and left.next(None) is not None:  # what a lost GPU gave back
            again = idle.pop()
            until[again] = (
                next((at for at in taken[again] if at > now), math.inf) if until[again] <= now else until[again]
            )
            start(again, now)
    out.held = sum(had + max(0.0, out.end - since) for had, since in zip(held, alive_since, strict=True))
    return out


def _by_chance(chances: Chances, seed: int) -> Taking:
    """Poisson moments for each GPU, the same whatever is scheduled."""

    def moments(gpu: int) -> Iterator[float]:
        draw = random.Random(f"{seed}-{gpu}")  # noqa: S311 - a seeded draw keeps no secret
        at = 0.0
        while chances.taken:
            at += draw.expovariate(chances.taken / 3600)
            yield at

    return moments
