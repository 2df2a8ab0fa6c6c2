"""The jobs on the Runs page: what works and waits, with progress and a stop button, and what has ended."""

import streamlit as st

from backend.errors import FlipsideError
from backend.live.jobs import jobs, output
from backend.live.jobs.record import QUEUED, RUNNING, Job
from pages.runs import queue, results, trash, view
from pages.shared.data import stored
from pages.shared.frame import toasts
from pages.shared.frame.header import section, trouble
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show

#: Ended jobs that are shown without being asked for; seconds between two looks while something works.
LATEST, LOOK = 2, 1.5
_ACTIVE = "_runs_active"


def draw() -> None:
    """All jobs. While one works or waits, only this part of the page is drawn again and again."""
    found = jobs.listing()
    active = [job for job in found if not job.is_over]
    if not found:
        return
    section("Jobs", _remark(active))
    st.fragment(_panel, run_every=LOOK if active else None)()


def begin(verb: str, arguments: list[str], title: str, inputs: dict[str, bytes] | None = None) -> None:
    """Start a job from one of the tabs and draw the page anew, so that the job is seen."""
    try:
        job = jobs.start(verb, arguments, title, inputs)
    except FlipsideError as error:
        trouble(str(error))
        return
    waits = job.state == QUEUED
    toasts.say(f"{plain(title)}: {'in the queue' if waits else 'started'}", ":material/play_circle:")
    st.rerun()


def _remark(active: list[Job]) -> str:
    waiting = sum(job.state == QUEUED for job in active)
    said = f"{len(active) - waiting} running, {waiting} waiting" if active else "nothing is running"
    return f"{said}; {jobs.at_once()} at a time"


def _panel() -> None:
    toasts.draw()
    trash.follow_in_fragment()
    found = jobs.listing()
    active = [job for job in found if not job.is_over]
    before: set[str] | None = st.session_state.get(_ACTIVE)
    now = {job.job_id for job in active}
    st.session_state[_ACTIVE] = now
    if before is not None and now != before:
        if before - now:
            stored.store().refresh()  # what the job has computed is in the pages' pickers from now on
        st.rerun()
    queue.draw(found)
    for job in reversed(active):
        _active(job)
    ended = [job for job in found if job.is_over]
    for job in ended[:LATEST]:
        _ended(job)
    if len(ended) > LATEST:
        rest = ended[LATEST:]
        with st.expander(
            f"{len(rest)} earlier", icon=":material/history:", key="runs-earlier", on_change="rerun"
        ) as box:
            if box.open:
                for job in rest:
                    _ended(job)


def _active(job: Job) -> None:
    with st.container(border=True):
        left, right = st.columns([7, 3], vertical_alignment="center")
        with right, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
            st.button(
                "Stop", key=f"stop-{job.job_id}", icon=":material/stop:", on_click=_act, args=(jobs.cancel, job.job_id),
                disabled=job.is_cancelling, help="Keeps what is committed; Resume goes on from there.",
            )  # fmt: skip
            _details_button(job)
        with left:
            if job.state == RUNNING:
                share, words = view.progress(job)
                show(view.job_line(job, words))
                if share is not None:
                    st.progress(share)
            else:
                show(view.job_line(job, f"waits for its turn, since {view.when(job.queued)}"))


def _ended(job: Job) -> None:
    left, right = st.columns([7, 3], vertical_alignment="center")
    with left:
        show(view.job_line(job))
    with right, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        if job.state != "done" and not job.problem:
            st.button(
                "Resume", key=f"resume-{job.job_id}", icon=":material/replay:", on_click=_act,
                args=(jobs.resume, job.job_id), help="Starts the same command again.",
            )  # fmt: skip
        _details_button(job)
        st.button(
            "Remove", key=f"delete-{job.job_id}", type="tertiary", on_click=trash.delete,
            args=(jobs.delete, job.job_id), help="Take this job off the list; can be undone. What it computed stays.",
        )  # fmt: skip


def _details_button(job: Job) -> None:
    if st.button("Details", key=f"details-{job.job_id}", type="tertiary", help="Its command, result and log"):
        _details(job.job_id)


def _act(do: object, job_id: str) -> None:
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
