"""Runs: how far a queue of jobs is, as a whole."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from markupsafe import Markup

from backend.live.jobs import jobs, output
from backend.live.jobs.output import Stand
from backend.live.jobs.record import RUNNING, Job
from pages.runs import view
from pages.runs.view import about


@dataclass(frozen=True)
class Queue:
    """over: jobs that have ended, of so many; share: done, from 0 to 1, each job counting the same; left: seconds, None
    where nothing tells."""

    over: int
    jobs: int
    share: float
    left: float | None

    @property
    def words(self) -> str:
        """What stands over the bar."""
        rest = f", about {about(self.left)} left in all" if self.left is not None else ""
        return f"{self.over} of {self.jobs} jobs over{rest}"


def together(found: Sequence[Job]) -> list[Job]:
    """The jobs that work and wait, and those that have ended since the queue was last empty."""
    wave = [job for job in found if not job.is_over]
    ended = sorted((job for job in found if job.is_over and job.finished), key=lambda job: job.finished, reverse=True)
    since = min((job.queued for job in wave), default="")
    for job in ended:  # UTC in ISO 8601 sorts by time
        if not since or job.finished < since:
            break
        wave.append(job)
        since = min(since, job.queued or job.finished)
    return wave


def queue_of(wave: Sequence[Job], told: Mapping[str, Stand | None], at_once: int) -> Queue:
    """How far they are. told: the latest progress of running jobs by id; at_once: how many run at a time.

    A job that waits, or that has told nothing yet, is taken to last as long as the others on average.
    """
    running = [job for job in wave if job.state == RUNNING]
    over = sum(job.is_over for job in wave)
    waiting = len(wave) - over - len(running)
    shares = [(stand.share if (stand := told.get(job.job_id)) else None) or 0.0 for job in running]
    rests = [stand.seconds_left if (stand := told.get(job.job_id)) else None for job in running]
    known = [job.seconds for job in wave if job.state == "done" and job.seconds is not None]
    known += [rest + (job.seconds or 0.0) for job, rest in zip(running, rests, strict=True) if rest is not None]
    mean = fmean(known) if known else None
    left: float | None = None
    if mean is not None or not (waiting or None in rests):
        typical = mean or 0.0
        slots = [
            max(0.0, typical - (job.seconds or 0.0)) if rest is None else rest
            for job, rest in zip(running, rests, strict=True)
        ]
        slots += [0.0] * max(0, at_once - len(slots))
        heapq.heapify(slots)
        for _ in range(waiting):  # each takes the place that is free first
            heapq.heapreplace(slots, slots[0] + typical)
        left = max(slots, default=0.0)
    return Queue(over, len(wave), (over + sum(shares)) / len(wave) if wave else 1.0, left)


def line(found: Sequence[Job]) -> Markup | None:
    """How far all of them are in one line with a bar, where there are several; else None."""
    wave = together(found)
    if len(wave) < 2 or all(job.is_over for job in wave):
        return None
    told = {job.job_id: output.progress(job) for job in wave if job.state == RUNNING}
    queue = queue_of(wave, told, jobs.at_once())
    return Markup('<div class="fs-job"><small>{}</small>{}</div>').format(
        queue.words, view.bar(queue.share, "All jobs together")
    )
