"""Runs, Add: what was brought, a row each: score models on it, see how far they are, open the results, remove it."""

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from backend.benchmarks.items_folder.kept import EDITED
from backend.live.jobs import jobs, output
from backend.live.jobs.hopeless import is_hopeless
from backend.live.jobs.record import DONE, RUNNING, Job
from pages.runs import jobs as runs_jobs
from pages.runs import queue, results, trash, view
from pages.runs.add import removing, score
from pages.runs.add.states import (
    ACTIVE,
    BRINGING,
    FAILED,
    READY,
    REFUSED,
    SCORED,
    SCORING,
    STOPPED,
    WAITING,
    Row,
)  # fmt: skip
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count, listing
from pages.shared.frame import toasts
from pages.shared.frame.fold import fold
from pages.shared.frame.header import section
from pages.shared.frame.hidden import hide
from pages.shared.frame.style import show

#: State -> (word, sign, CSS class).
LOOKS = {
    BRINGING: ("arriving", "▶", "none"), REFUSED: ("not added", "✗", "wrong"), READY: ("no scores yet", "○", "none"),
    WAITING: ("waiting", "…", "none"), SCORING: ("scoring", "▶", "none"), STOPPED: ("stopped", "■", "near"),
    FAILED: ("failed", "✗", "wrong"), SCORED: ("scored", "✓", "right"),
}  # fmt: skip
#: The same of several benchmarks of which only some are.
PART = ("scored in part", "◐", "near")
#: Names that a line lists.
NAMED = 4


def draw(title: str, sort: str, found: Sequence[Row]) -> None:
    """The rows of one sort: of “own”, “import”, “perturb”, “predictions”, “bundle” and “score”."""
    if not found:
        return
    section(title)
    for row in found:
        with st.container(border=True, key=f"runs-row-{sort}-{row.key}", gap="small"):
            _row(sort, row)


def is_active(found: Sequence[Row]) -> bool:
    """Whether any of them moves by itself."""
    return any(row.state in ACTIVE for row in found)


def _row(sort: str, row: Row) -> None:
    left, right = st.columns([6, 4], vertical_alignment="center", gap="small")
    with left:
        show(_head(row))
    with right, st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"):
        _buttons(sort, row)
    if row.state in ACTIVE:
        show(_progress(row))
    elif row.subjects and row.state == READY:
        score.draw(sort, row, main=True)
    elif row.subjects:
        with fold("Score more models", f"runs-more-{sort}-{row.key}", ":material/add:") as box:
            if box.open:
                score.draw(sort, row, main=False)
    if row.bringing is not None and row.bringing.verb == "import" and row.bringing.state == DONE:
        _found(row)


def _head(row: Row) -> Markup:
    """State, name, what it has, and why something did not come to its end."""
    word, sign, look = PART if row.state == SCORED and _scored(row) < len(row.subjects) else LOOKS[row.state]
    why = [
        f"{said}{output.reason(job)}"
        for job in row.unfinished
        for said in [f"{job.title}: " if len(row.unfinished) > 1 or row.state != REFUSED else ""]
    ]
    below = Markup().join(Markup("<p>{}</p>").format(hide(each)) for each in why[:3])
    if len(why) > 3:
        below += Markup("<p>… and {} more; History lists all jobs.</p>").format(len(why) - 3)
    return Markup(
        '<div class="fs-job"><span class="fs-chip fs-{}"><b>{}</b>{}</span><strong>{}</strong><small>{}</small>{}</div>'
    ).format(look, sign, word, row.title, facts(row), below)


def facts(row: Row) -> str:
    """What is in a row: items and pictures, and the models that have scores."""
    items = sum(subject.n_items or 0 for subject in row.subjects) or max((run.n_items for run in row.runs), default=0)
    said = [count(items, "item")] if items else []
    pictures = sum(subject.n_images or 0 for subject in row.subjects) if len(row.subjects) == 1 else 0
    said += [count(pictures, "picture")] if pictures else []
    if row.runs and row.subjects:
        labels = colours.labels(row.models)
        on = _scored(row)
        few = f"only {on:,} of the {len(row.subjects):,} " if on < len(row.subjects) else ""
        said.append(f"{few}scored by {listing([labels[model] for model in row.models], NAMED)}")
    return " · ".join(said)


def _scored(row: Row) -> int:
    """How many of its benchmarks have scores."""
    return len({run.benchmark for run in row.runs})


def _progress(row: Row) -> Markup:
    """One bar for all that goes on in the row, and how much time is left."""
    if row.bringing is not None and not row.bringing.is_over:
        return _bar([row.bringing], row.title, "")
    wave = queue.together(row.scoring)
    running = next((job for job in wave if job.state == RUNNING), None)
    return _bar(wave, row.title, running.title.partition(" on ")[0] if running else "")


def _bar(wave: Sequence[Job], title: str, name: str) -> Markup:
    told = {job.job_id: output.progress(job) for job in wave if job.state == RUNNING}
    stand = queue.queue_of(wave, told, jobs.at_once())
    running = next((job for job in wave if job.state == RUNNING), None)
    words = view.progress(running)[1] if running else "waits for its turn"
    if len(wave) > 1:
        words = f"{stand.words}{'; ' if name else ''}{name}{': ' if name else ''}{words if running else ''}"
    return Markup('<div class="runs-progress">{}<small>{}</small></div>').format(view.bar(stand.share, title), words)


def _buttons(sort: str, row: Row) -> None:
    if row.state in ACTIVE:
        moving = [job for job in (row.bringing, *row.scoring) if job is not None and not job.is_over]
        st.button(
            "Stop", key=f"runs-stop-{sort}-{row.key}", icon=":material/stop:", on_click=_stop, args=(moving,),
            disabled=all(job.is_cancelling for job in moving),
            help="Keeps what is committed; Resume goes on from there.",
        )  # fmt: skip
        return
    if again := [job for job in row.unfinished if not job.problem and not is_hopeless(job)]:
        st.button(
            "Resume", key=f"runs-resume-{sort}-{row.key}", icon=":material/replay:", on_click=_resume, args=(again,),
            help="Starts the same commands again; what is committed is not computed again.",
        )  # fmt: skip
    if row.runs:
        _results(sort, row)
    elif row.bringing is not None and row.state == REFUSED:
        runs_jobs.details_button(row.bringing, f"row-{sort}-")
    there = bool(row.subjects or row.runs)
    if row.bringing is not None and row.bringing in row.unfinished:
        st.button(
            "Dismiss" if there else "Remove", key=f"runs-forget-{sort}-{row.key}", type="tertiary",
            on_click=trash.delete, args=(jobs.delete, row.bringing.job_id),
            help="Take what failed off the list; can be undone.",
        )  # fmt: skip
    if there:
        removing.draw(sort, row)


def _results(sort: str, row: Row) -> None:
    """The way to what came of it: one model's failures, or all models side by side; a next step with a key of its own,
    for two rows may lead to the same place."""
    page, to = "robustness", {"benchmark": row.subjects[0].name.partition(EDITED)[0]} if row.subjects else {}
    if sort != "perturb":
        known = next(
            (each for each in stored.chosen().values() for run in row.runs
             if each.hash == run.benchmark and run.model in each.runs), None,
        )  # fmt: skip
        if known is None:
            show(Markup("<small>no verdicts to show yet</small>"))
            return
        models = [model for model in colours.order(row.models) if model in known.runs]
        page, to = "overview", {"benchmark": known.name}
        if len(models) == 1:
            page, to = "failures", {"benchmark": known.name, "model": models[0]}
    with st.container(key=f"fs-next-runs-{sort}-{row.key}"):
        st.page_link(
            f"pages/{page}/page.py", label="Open results", icon=":material/arrow_forward:", query_params=to
        )  # fmt: skip


def _found(row: Row) -> None:
    """What the import found, in a fold."""
    job = row.bringing
    document = output.document(job) if job is not None else None
    if not isinstance(document, dict) or job is None:
        return
    lacks = [
        said for said, n in (
            (f"{count(len(document.get('skipped') or []), 'record')} left out", len(document.get("skipped") or [])),
            (f"{count(document.get('n_images_missing') or 0, 'picture')} missing", document.get("n_images_missing")),
        ) if n
    ]  # fmt: skip
    if job.arguments[:1] == ("custom",) and not lacks:
        return  # its line says all there is to say
    label = f"What the import found{': ' if lacks else ''}{', '.join(lacks)}"
    with fold(label, f"runs-found-{job.job_id}", ":material/fact_check:", first=bool(lacks)) as box:
        if box.open:
            results.imported(document, f"row-{job.job_id}")


def _stop(moving: Sequence[Job]) -> None:
    """A button's callback: the waiting ones first, or one of them would begin meanwhile."""
    for job in sorted(moving, key=lambda job: job.state == RUNNING):
        runs_jobs.act(jobs.cancel, job.job_id)
    trash.redraw()


def _resume(ended: Sequence[Job]) -> None:
    for job in sorted(ended, key=lambda job: job.queued):
        runs_jobs.act(jobs.resume, job.job_id)
    toasts.say(f"{count(len(ended), 'job')} going on", ":material/replay:")
    trash.redraw()  # the jobs at the top, too
