"""One training: how far it is, what is seen so far, its curves, and what can be done with it."""

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from backend.errors import FlipsideError
from backend.live.jobs import jobs, output
from backend.live.jobs.hopeless import is_hopeless
from backend.live.jobs.record import CANCELLED, DONE, FAILED, LOST, QUEUED, RUNNING, Job
from backend.live.teaching import trainings
from backend.live.teaching.trainings import Training
from pages.runs import jobs as runs_jobs
from pages.runs import trash as runs_trash
from pages.runs import view as runs_view
from pages.shared.drawing import colours, component
from pages.shared.frame import toasts
from pages.shared.frame.header import chart_caption
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.shared.frame.style import checked, show
from pages.teach.train import curves, score, seen

_component = component.load(
    "flipside_teach_curves", component.DRAWN, html='<div class="tr-curves" data-drawn></div>', isolate_styles=False
)
#: What a training goes on from, in its folder.
CHECKPOINT = "checkpoint.pt"
#: Group of panels -> its heading and what to read in it.
GROUPS = {
    "held out": ("Held-out items", "right, of 100; shaded: the 95 % interval (Wilson, items taken as independent)"),
    "quads": ("Minimal pairs of the batches", "on one scale: a pair is right both ways where γ is above |c| and |r|"),
    "loss": ("Loss", "in all, and each term before its weight"),
}  # fmt: skip


def draw(one: Training, every: Sequence[Training], known: Sequence[Job]) -> None:
    """The training that is shown. every: all of them; known: all jobs."""
    with st.container(border=True, key="teach-shown"):
        left, right = st.columns([6, 4], vertical_alignment="center")
        with left:
            show(
                Markup('<div class="fs-job tr-shown">{}<strong>{}</strong><small>{}</small>{}</div>').format(
                    chip(one), one.name, about(one, far=not one.is_active), _why(one)
                )
            )
        with right, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
            _buttons(one)
        _progress(one)
        other = trainings.baseline_of(one, every)
        entries, base = one.log(), other.log() if other is not None else []
        if said := seen.sentence(entries, one.steps, base):
            show(Markup('<p class="tr-seen">{}</p>').format(said))
        _curves(one, entries, base, other)
        if one.spec and not one.is_active:
            score.draw(one, other, known)


def _progress(one: Training) -> None:
    """How far it is, in a place that stays when it is over."""
    if one.state == QUEUED and one.job is not None:
        chart_caption(f"Waits for its turn, since {runs_view.when(one.job.queued)}.")
    if one.state != RUNNING:
        return
    share, words = (None, "")
    if one.job is not None and one.job.state == RUNNING:
        share, words = runs_view.progress(one.job)
    if share is None:
        share = one.done / one.steps if one.steps else 0.0
    words = words or f"{one.done:,} of {one.steps:,} steps, in a process that was started elsewhere"
    st.progress(min(1.0, share), plain(words))


def _curves(
    one: Training, entries: Sequence[curves.Entry], base: Sequence[curves.Entry], other: Training | None
) -> None:
    found = curves.panels(entries, base, curves.terms_of(one.recipe) if one.is_active else ())
    if not found:
        return
    parts = [
        Markup('<h3 class="tr-group">{}<small>{}</small></h3>{}').format(
            *GROUPS[group], curves.grid(found[group], one.steps)
        )
        for group in GROUPS if group in found
    ]  # fmt: skip
    _component(data={"html": checked(Markup().join(parts))}, key="teach-training-curves")
    drawn = [panel for panels in found.values() for panel in panels]
    said = [f"Over the {one.steps:,} steps of the plan."]
    if any(map(curves.has_mean, drawn)):
        said.append("Thin: each step; bold: the mean of neighbouring steps.")
    if any(panel.judged for panel in drawn):
        said.append("Dots: held-out items, judged at this step.")
    if base and other:
        said.append(f"Grey: the baseline {other.name}, the same batches by the retrieval loss alone.")
    chart_caption(" ".join(said))


def _buttons(one: Training) -> None:
    job = one.job
    if job is not None and one.is_active:
        st.button(
            "Stop", key=f"teach-stop-{job.job_id}", icon=":material/stop:", on_click=act,
            args=(jobs.cancel, job.job_id), disabled=job.is_cancelling,
            help="Finishes the step that is at work and saves it; Resume goes on from there.",
        )  # fmt: skip
    elif job is not None and one.state in (FAILED, CANCELLED, LOST) and not (job.problem or is_hopeless(job)):
        st.button(
            "Resume", key=f"teach-resume-{job.job_id}", icon=":material/replay:", type="primary", on_click=act,
            args=(jobs.resume, job.job_id), help="The same command again: it goes on from the last checkpoint.",
        )  # fmt: skip
    if job is not None:
        runs_jobs.details_button(job)
    if not one.is_active:
        st.button(
            "Delete", key=f"teach-delete-{one.name}", type="tertiary", on_click=runs_trash.delete,
            args=(trainings.delete, one),
            help="Its checkpoints, curves and model; can be undone for 30 days. Scores of its model stay.",
        )  # fmt: skip


def chip(one: Training) -> Markup:
    """A training's state as a chip."""
    if one.job is not None and one.job.state == one.state:
        return runs_view.chip(one.job)
    word, sign, look = runs_view.STATES[one.state]
    return Markup('<span class="fs-chip fs-{}"><b>{}</b>{}</span>').format(look, sign, word)


def about(one: Training, far: bool = True) -> str:
    """Recipe, model and steps of a training, and when it ended. far: also how far it is, which a bar beside it says
    from a later look."""
    steps = f"{one.steps:,} steps" if one.state in (DONE, QUEUED) or not far else f"{one.done:,} of {one.steps:,} steps"
    said = [one.recipe, colours.label(one.model) if one.model else "", steps]
    if one.job is not None and not one.is_active:
        said.append(runs_view.times(one.job))
    return " · ".join(filter(None, said))


def _why(one: Training) -> Markup:
    """Why it did not come to its end, and what to do."""
    if one.state == DONE or one.is_active:
        return Markup()
    if one.job is None:
        why = "Stopped; the command that began it, in a terminal, goes on with it."
    elif one.state == CANCELLED:
        why = "Stopped before its first step; Resume begins it."
        if (one.folder / CHECKPOINT).is_file():
            why = "Stopped on request. Resume goes on from its last checkpoint, as if nothing had happened."
    else:
        why = output.reason(one.job)
    return Markup("<p>{}</p>").format(hide(why)) if why else Markup()


def act(do: object, *arguments: object) -> None:
    """A button's callback: what fails is said on the page, not raised through Streamlit."""
    try:
        do(*arguments)  # type: ignore[operator]
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")
