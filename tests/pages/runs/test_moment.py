"""One listing of the jobs for the whole page: what it says is what its parts say, until a job begins or ends."""

from dataclasses import replace

import pytest
import streamlit as st

from backend.live.jobs import jobs, record
from backend.live.jobs.record import DONE, QUEUED, RUNNING, Job
from pages.runs import moment
from pages.shared.data import stored

FIRST, SECOND, THIRD = (record.new_id() for _ in range(3))
AT = "2026-01-01T10:00:00+00:00"
WORKS = Job(FIRST, "run", (), "works", RUNNING, AT, AT, AT)
WAITS = Job(SECOND, "run", (), "waits", QUEUED, AT, AT)
OVER = replace(WORKS, job_id=THIRD, state=DONE, finished=AT)


class Anew(BaseException):
    """The page is drawn again."""


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """What the listing has; a page that is drawn again raises `Anew`."""

    def anew() -> None:
        raise Anew

    found = [WORKS, WAITS, OVER]
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "rerun", anew)
    monkeypatch.setattr(jobs, "listing", lambda: list(found))
    return found


def test_parts_tell_what_the_page_tells_until_a_job_moves(listed: list[Job]) -> None:
    of_page = moment.of_page()
    assert moment.stand(of_page) == {FIRST: (RUNNING, False), SECOND: (QUEUED, False)}
    drawn_with = [of_page]
    listed[1] = replace(WAITS, state=RUNNING)
    assert moment.of_part(drawn_with) is of_page  # drawn with the page: no second listing
    with pytest.raises(Anew):  # drawn again by itself
        moment.of_part(drawn_with)
    assert moment.of_page() == listed
    assert moment.of_part([]) == listed


def test_what_has_ended_is_in_all_lists_before_the_page_tells_it(
    listed: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    refreshed: list[bool] = []
    monkeypatch.setattr(stored, "store", lambda: type("Store", (), {"refresh": lambda self: refreshed.append(True)})())
    moment.of_page()
    assert not refreshed
    listed[0] = replace(WORKS, state=DONE, finished=AT)
    moment.of_page()  # and does not begin again: a press that the run carries would be lost
    assert refreshed == [True]
    assert moment.of_page() == listed
    assert len(refreshed) == 1
