"""Until when the page of a training looks for what its runs have written."""

from datetime import UTC, datetime, timedelta

from backend.live.jobs.record import DONE, RUNNING, Job
from backend.live.teaching.trainings import Training
from pages.teach.train import follow

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Ended(Training):
    """A training that is over."""

    def __init__(self) -> None:
        object.__setattr__(self, "name", "mine")

    @property
    def is_active(self) -> bool:
        return False


def run(state: str, ended: float | None, series: str = "mine") -> Job:
    finished = "" if ended is None else (NOW - timedelta(seconds=ended)).isoformat()
    words = ("--model", "bundled:clip", "--series", series, "--step", "40")
    return Job("20260101T000000000000-000000", "run", words, state=state, finished=finished)


def test_scores_that_another_process_imports_are_waited_for() -> None:
    """The page stayed at “Score it before and after” until it was opened anew."""
    found = [Ended()]
    assert follow._works([run(RUNNING, None)], found, NOW)
    assert follow._works([run(DONE, 5)], found, NOW)
    assert not follow._works([run(DONE, follow.ARRIVES + 1)], found, NOW)
    assert not follow._works([run(DONE, 5, "another")], found, NOW)
    assert not follow._works([], found, NOW)
