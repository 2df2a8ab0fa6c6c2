"""Jobs that a page began: found by how their titles begin, and the page is drawn anew when one is done."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import streamlit as st

from backend.live.jobs import record
from backend.live.jobs.record import Job
from pages.runs import watched
from pages.shared.data import stored


def job(title: str, state: str) -> Job:
    at = record.now()
    return Job(record.new_id(), "run", (), title, state, at, at, at, at, 0, 1)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Job]]:
    found = [job("Mine: a", "running"), job("Mine: b", "done"), job("Another's", "running")]
    monkeypatch.setattr(watched.jobs, "listing", lambda: found)
    monkeypatch.setattr(watched, "show", lambda _: None)
    monkeypatch.setattr(watched.view, "progress", lambda _: (0.5, "half"))
    monkeypatch.setattr(watched.view, "job_line", lambda *_: "")
    st.session_state.clear()
    yield found
    st.session_state.clear()


def test_only_the_page_s_own_jobs_are_its_own(listed: list[Job]) -> None:
    assert [each.title for each in watched.mine("Mine: ")] == ["Mine: a", "Mine: b"]
    assert watched.working("Mine: ")
    listed[0] = replace(listed[0], state="done")
    assert not watched.working("Mine: ")


def test_a_page_is_drawn_anew_once_when_a_job_is_done(listed: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(watched.news, "draw_anew", lambda: drawn.append("anew"))
    monkeypatch.setattr(stored, "store", lambda: type("Store", (), {"refresh": lambda _: drawn.append("read")})())
    steps: list[int] = []
    for _ in range(2):
        watched._look("Mine: ", lambda: steps.append(1))
    assert not drawn, "nothing has changed"
    listed[0] = replace(listed[0], state="done")
    for _ in range(2):
        watched._look("Mine: ", None)
    assert drawn == ["read", "anew"]
    assert len(steps) == 2
