"""Runs: one listing of the jobs for everything that the page says of them. A part that is drawn again by itself looks
anew; where a job has begun or ended meanwhile, the whole page is drawn again, so that no two parts tell different
states of one job."""

from collections.abc import Iterable
from typing import Final

import streamlit as st

from backend.live.jobs import jobs
from backend.live.jobs.record import Job
from pages.shared.data import stored

#: What this session's page says of jobs that are not over: see `stand`.
_TOLD: Final = "_runs_active"


def stand(found: Iterable[Job]) -> dict[str, tuple[str, bool]]:
    """Job id -> (state, whether it is asked to stop) of those that are not over."""
    return {job.job_id: (job.state, job.is_cancelling) for job in found if not job.is_over}


def of_page() -> list[Job]:
    """All jobs, read for a run of the whole page. What those have computed that ended since the session looked last is
    in all lists from here on. The page does not begin again: a press that this run carries would be lost."""
    found = jobs.listing()
    before: dict[str, tuple[str, bool]] | None = st.session_state.get(_TOLD)
    st.session_state[_TOLD] = stand(found)
    if before is not None and set(before) - set(st.session_state[_TOLD]):
        stored.store().refresh()
    return found


def of_part(drawn_with: list[list[Job]]) -> list[Job]:
    """The jobs for a fragment. drawn_with: the page's listing, which is taken out of it by the run of the page; empty
    where the fragment is drawn again by itself."""
    if drawn_with:
        return drawn_with.pop()
    found = jobs.listing()
    if stand(found) != st.session_state.get(_TOLD):
        st.rerun()
    return found
