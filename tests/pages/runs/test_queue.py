"""How far a queue of jobs is: against times worked out by hand."""

import pytest

from backend.live.jobs.output import Stand
from backend.live.jobs.record import Job
from pages.runs import queue as runs_queue

DAY = "2026-01-01T10:"


def job(name: str, state: str, queued: int, started: int | None = None, finished: int | None = None) -> Job:
    """A job by minutes after ten."""

    def at(minute: int | None) -> str:
        return "" if minute is None else f"{DAY}{minute:02}:00+00:00"

    return Job(name, "run", (), name, state, at(queued), at(queued), at(started), at(finished))


def test_what_ended_before_the_queue_was_empty_does_not_count() -> None:
    found = [
        job("waits", "queued", 30), job("now", "running", 20, 25), job("before", "done", 15, 15, 25),
        job("chained", "failed", 14, 14, 16), job("long ago", "done", 1, 1, 10),
    ]  # fmt: skip
    assert [each.job_id for each in runs_queue.together(found)] == ["waits", "now", "before", "chained"]
    assert runs_queue.together(found[2:]) == []


def test_time_left_is_worked_out_over_the_places_that_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = {"a": 100.0, "b": 60.0, "c": 0.0}
    monkeypatch.setattr(Job, "seconds", property(lambda self: spent.get(self.job_id)))
    wave = [job("a", "done", 1, 1, 2), job("b", "running", 1, 2), job("c", "queued", 1), job("d", "queued", 1)]
    told = {"b": Stand(60, 100, 60.0, "scores")}  # 40 s left: 100 s in all, as a took; c and d take 100 s each, too
    alone = runs_queue.queue_of(wave, told, 1)
    assert (alone.over, alone.jobs, alone.left) == (1, 4, pytest.approx(240))
    assert alone.share == pytest.approx((1 + 0.6) / 4)
    assert alone.words == "1 of 4 jobs over, about 4 min left in all"
    assert runs_queue.queue_of(wave, told, 2).left == pytest.approx(140)  # c at once, d when b is done
    assert runs_queue.queue_of(wave, told, 3).left == pytest.approx(100)


def test_nothing_is_promised_before_anything_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "seconds", property(lambda self: 5.0))
    wave = [job("b", "running", 1, 2), job("c", "queued", 1)]
    queue = runs_queue.queue_of(wave, {"b": None}, 1)
    assert (queue.left, queue.share, queue.words) == (None, 0.0, "0 of 2 jobs over")
    assert runs_queue.queue_of(wave, {"b": Stand(0, 10, 1.0, "scores")}, 1).left is None
