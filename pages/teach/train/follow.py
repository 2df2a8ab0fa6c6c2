"""The trainings that there are, one of them with its curves, drawn again and again while one is at work."""

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st
from markupsafe import Markup

from backend.live.jobs import jobs
from backend.live.jobs.record import RUNNING, Job
from backend.live.teaching import trainings
from backend.live.teaching.trainings import Training
from pages.runs import trash as runs_trash
from pages.shared.data import stored
from pages.shared.frame import address, news, toasts
from pages.shared.frame.header import section
from pages.shared.frame.style import show
from pages.teach.train import panel, score
from pages.teach.train.needs import STARTED

#: Seconds between two looks while something works, and trainings that are listed without being asked for.
LOOK, LATEST = 1.5, 4
#: For so many seconds after its end what a run has written is looked for: another process may be importing it.
ARRIVES = 90.0
KEY = "training"
_ACTIVE, _WRITTEN, _GENERATION = "_teach_active", "_teach_written", "_teach_generation"


def draw() -> bool:
    """The section; whether there are any trainings."""
    found = trainings.listing()
    if not found:
        address.option(KEY, [""], "")
        return False
    active = [each for each in found if each.is_active]
    waiting = sum(each.state != RUNNING for each in active)
    remark = f"{len(active) - waiting} running, {waiting} waiting" if active else "nothing is running"
    section("Trainings", f"{remark}; each in a process of its own, {jobs.at_once()} at a time")
    _choose(found)
    st.session_state[_WRITTEN] = st.session_state[KEY]  # the view writes the address when its form has been drawn
    st.fragment(_watch, run_every=LOOK if _works(jobs.listing(), found) else None)()
    return True


def _choose(found: Sequence[Training]) -> None:
    """Put in place which one is shown: the one that was just started, else what the address says, else one at work."""
    names = [each.name for each in found]
    first = next((each.name for each in reversed(found) if each.state == RUNNING), names[0])
    started = st.session_state.pop(STARTED, None)
    address.option(KEY, names, first)
    if started in names:
        st.session_state[KEY] = started


def _works(every: Sequence[Job], found: Sequence[Training], now: datetime | None = None) -> bool:
    """Whether a training is at work, or a run of one, or a run's scores may still be arriving."""
    runs = [job for job in every if _of_a_training(job, found)]
    at = now or datetime.now(UTC)
    arriving = (
        job.is_over and job.finished and (at - datetime.fromisoformat(job.finished)).total_seconds() < ARRIVES
        for job in runs
    )  # fmt: skip
    return any(each.is_active for each in found) or any(not job.is_over for job in runs) or any(arriving)


def _of_a_training(job: Job, found: Sequence[Training]) -> bool:
    return job.verb == "run" and any(score.series_of(job) == each.name for each in found)


def _watch() -> None:
    toasts.draw()
    runs_trash.follow_in_fragment()
    every = jobs.listing()
    found = trainings.listing(every)
    now = {job.job_id for job in every if not job.is_over and (job.verb == "teach" or _of_a_training(job, found))}
    now |= {each.name for each in found if each.is_active}
    before: set[str] | None = st.session_state.get(_ACTIVE)
    st.session_state[_ACTIVE] = now
    if before is not None and now != before:
        if before - now:
            stored.store().refresh()  # what has been scored is on the other pages from now on
        news.draw_anew()
    generation = stored.store().generation
    if st.session_state.setdefault(_GENERATION, generation) != generation:
        st.session_state[_GENERATION] = generation
        news.draw_anew()
    shown = next((each for each in found if each.name == st.session_state.get(KEY)), None)
    if shown is None and found:
        shown = found[0]
    if shown is not None:
        panel.draw(shown, found, every)
        if st.session_state.get(_WRITTEN) != shown.name:
            st.session_state[_WRITTEN] = shown.name
            address.end()
    others = [each for each in found if shown is None or each.name != shown.name]
    for each in others[:LATEST]:
        _row(each)
    if len(others) > LATEST:
        with st.expander(f"{len(others) - LATEST} earlier", icon=":material/history:", key="teach-earlier",
                         on_change="rerun") as box:  # fmt: skip
            if box.open:
                for each in others[LATEST:]:
                    _row(each)


def _row(each: Training) -> None:
    """A training that is not shown: in one line, with a way to see it."""
    left, right = st.columns([8, 2], vertical_alignment="center")
    with left:
        show(line(each))
    with right, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        if each.job is not None and each.is_active:
            st.button(
                "Stop", key=f"teach-stop-{each.job.job_id}", icon=":material/stop:", on_click=panel.act,
                args=(jobs.cancel, each.job.job_id), disabled=each.job.is_cancelling,
            )  # fmt: skip
        st.button(
            "Show", key=f"teach-show-{each.name}", icon=":material/show_chart:", on_click=_show, args=(each.name,)
        )


def line(each: Training) -> Markup:
    """A training in one line: state, name, what it is."""
    return Markup('<div class="fs-job">{}<strong>{}</strong><small>{}</small></div>').format(
        panel.chip(each), each.name, panel.about(each)
    )


def _show(name: str) -> None:
    st.session_state[KEY] = name
