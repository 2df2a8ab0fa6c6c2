"""Jobs that a page began, watched on that page: known by how their titles begin. They draw it anew when one is done."""

from collections.abc import Callable
from typing import Final

import streamlit as st

from backend.live.jobs import jobs
from backend.live.jobs.record import DONE, RUNNING, Job
from pages.runs import view
from pages.shared.data import stored
from pages.shared.frame import news
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show

#: Seconds between two looks.
LOOK: Final = 1.5


def mine(mark: str) -> list[Job]:
    """The jobs whose titles begin with a mark, the newest first."""
    return [job for job in jobs.listing() if job.title.startswith(mark)]


def working(mark: str) -> bool:
    """Whether any of them is not over."""
    return any(not job.is_over for job in mine(mark))


def watch(mark: str, step: Callable[[], None] | None = None, *, waits: bool = False) -> None:
    """How they go. step: done at every look, before it, such as to begin what follows; waits: whether there is a next
    step though no job is at work."""
    st.fragment(_look, run_every=LOOK if waits or working(mark) else None)(mark, step)


def _look(mark: str, step: Callable[[], None] | None) -> None:
    if step is not None:
        step()
    found = mine(mark)
    active = [job for job in found if not job.is_over]
    over, key = len(found) - len(active), f"_over {mark}"
    before = st.session_state.get(key)
    st.session_state[key] = over
    if before is not None and over > before:
        stored.store().refresh()
        news.draw_anew()
    for job in reversed(active):
        share, words = view.progress(job) if job.state == RUNNING else (None, "waits for its turn")
        show(view.job_line(job, words))
        if share is not None:
            st.progress(share, text=plain(words))
    last = next((job for job in found if job.is_over), None)
    if last is not None and last.state != DONE:
        show(view.job_line(last))
