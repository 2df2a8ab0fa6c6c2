"""The jobs on the Runs page: what works and waits as compact rows at the top, with progress and a stop button, unless
it has a row of its own further down; what has just ended below them, and what ended earlier in a fold of History."""

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from backend.errors import FlipsideError
from backend.live.jobs import jobs, output
from backend.live.jobs.hopeless import is_hopeless
from backend.live.jobs.record import DONE, QUEUED, RUNNING, Job
from pages.runs import moment, queue, results, trash, view
from pages.shared.drawing.numbers import count
from pages.shared.frame import toasts
from pages.shared.frame.fold import fold
from pages.shared.frame.header import trouble
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show

#: Ended jobs that stay at the top; for how many seconds after their end; seconds between two looks while one works.
LATEST, RECENT, LOOK = 2, 600.0, 1.5


def draw(found: list[Job], in_rows: Collection[str] = ()) -> None:
    """What works, waits or has just ended. While one works or waits, only this part is drawn again and again.

    found: all jobs, as the page tells them; in_rows: ids of those that have rows of their own on the page and are shown
    there alone.
    """
    mine = [job for job in found if job.job_id not in in_rows]
    working = any(not job.is_over for job in mine)
    if not working and not just_ended(mine):
        return  # not even an empty place, which would push down what is below
    st.fragment(partial(_panel, frozenset(in_rows), [found]), run_every=LOOK if working else None)()


def just_ended(found: list[Job], now: datetime | None = None) -> list[Job]:
    """The jobs that ended a short while ago without being done, the latest first, and those that are lost or damaged,
    which are named until somebody removes them; where there are none, the last one that is done."""
    at = now or datetime.now(UTC)
    ended = [job for job in found if job.is_over]
    recent = [
        job for job in ended
        if job.problem or not job.finished or (at - datetime.fromisoformat(job.finished)).total_seconds() < RECENT
    ]  # fmt: skip
    return [job for job in recent if job.state != DONE][:LATEST] or recent[:1]


def earlier(found: list[Job]) -> None:
    """All other jobs that are over, in a fold."""
    above = {job.job_id for job in just_ended(found)}
    rest = [job for job in found if job.is_over and job.job_id not in above]
    if not rest:
        return
    with fold(count(len(rest), "earlier job"), "runs-earlier", ":material/history:") as box:
        if box.open:
            for job in rest:
                _ended(job)


def begin(
    verb: str, arguments: list[str], title: str, inputs: dict[str, bytes] | None = None,
    then: Callable[[], object] = lambda: None,
) -> None:  # fmt: skip
    """Start a job from one of the forms and draw the page anew, so that the job is seen. then: what is done once it is
    in the queue."""
    try:
        job = jobs.start(verb, arguments, title, inputs) if inputs else jobs.start_once(verb, arguments, title)
    except FlipsideError as error:
        trouble(str(error))
        return
    then()
    waits = job.state == QUEUED
    toasts.say(f"{plain(title)}: {'in the queue' if waits else 'started'}", ":material/play_circle:")
    st.rerun()


def _panel(in_rows: Collection[str], drawn_with: list[list[Job]]) -> None:
    toasts.draw()
    trash.follow_in_fragment()
    found = [job for job in moment.of_part(drawn_with) if job.job_id not in in_rows]
    active = [job for job in found if not job.is_over]
    with st.container(key="runs-jobs", gap=None):
        waiting = [job for job in reversed(active) if job.state == QUEUED]
        for job in reversed(active):
            if job.state == RUNNING:
                _active(job)
        _together(found, waiting)
        for job in just_ended(found):
            _ended(job)


def _together(found: list[Job], waiting: list[Job]) -> None:
    """How far all of them are in one line, and those that wait, one press away."""
    said = queue.line(found)
    if not waiting and sum(job.state == RUNNING for job in found) < 2:
        return
    left, right = st.columns([7, 3], vertical_alignment="center")
    with left, st.container(key="runs-queue"):
        show(said or view.job_line(waiting[0], f"waits for its turn, since {view.when(waiting[0].queued)}"))
    if not waiting:
        return
    with (
        right,
        st.container(horizontal=True, horizontal_alignment="right"),
        st.popover(f"{len(waiting)} waiting", type="tertiary"),
    ):
        for job in waiting:
            _active(job)


def _active(job: Job) -> None:
    left, right = st.columns([7, 3], vertical_alignment="center")
    with right, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        st.button(
            "Stop", key=f"stop-{job.job_id}", icon=":material/stop:", on_click=act, args=(jobs.cancel, job.job_id),
            disabled=job.is_cancelling, help="Keeps what is committed; Resume goes on from there.",
        )  # fmt: skip
        details_button(job)
    with left:
        if job.state == RUNNING:
            share, words = view.progress(job)
            show(view.job_line(job, words, share))
        else:
            show(view.job_line(job, f"waits for its turn, since {view.when(job.queued)}"))


def _ended(job: Job) -> None:
    left, right = st.columns([7, 3], vertical_alignment="center")
    with left:
        show(view.job_line(job))
    with right, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        if job.state != DONE and not job.problem and not is_hopeless(job):
            st.button(
                "Resume", key=f"resume-{job.job_id}", icon=":material/replay:", on_click=act,
                args=(jobs.resume, job.job_id), help="Starts the same command again.",
            )  # fmt: skip
        details_button(job)
        st.button(
            "Remove", key=f"delete-{job.job_id}", type="tertiary", on_click=trash.delete,
            args=(jobs.delete, job.job_id), help="Take this job off the list; can be undone. What it computed stays.",
        )  # fmt: skip


def details_button(job: Job, place: str = "") -> None:
    """A button that opens a job's command, result and log. place: tells two of one job apart."""
    if st.button("Details", key=f"{place}details-{job.job_id}", type="tertiary", help="Its command, result and log"):
        _details(job.job_id)


def act(do: object, job_id: str) -> None:
    """A button's callback: what fails is said on the page, not raised through Streamlit."""
    try:
        do(job_id)  # type: ignore[operator]
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")


@st.dialog("One job", width="large")
def _details(job_id: str) -> None:
    try:
        job = jobs.find(job_id)
    except FlipsideError as error:
        trouble(str(error))
        return
    show(view.job_line(job))
    if job.problem:
        return
    st.code(jobs.command_line(job.verb, job.arguments), language="bash", wrap_lines=True)
    if job.is_over:
        results.draw(job)
    log = hide(output.log_tail(job, 200))
    tall = log.count("\n") > 10
    st.caption("The end of its log")
    st.code(log or "(it has said nothing yet)", language=None, wrap_lines=True, height=260 if tall else "content")
