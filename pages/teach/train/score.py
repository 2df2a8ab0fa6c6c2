"""A finished training's model, scored beside the one it was taught from, so that “What changed” can show it."""

from collections.abc import Sequence

import streamlit as st

from backend.errors import FlipsideError
from backend.live.jobs import jobs
from backend.live.jobs.record import RUNNING, Job
from backend.live.teaching import teachable
from backend.live.teaching.trainings import Training
from pages.compare import data as compare_data
from pages.runs import subjects, view
from pages.runs.subjects import Subject
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.frame import address, toasts
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show

#: Items of a benchmark that are scored unless more are asked for.
SIZES = {300: "300 at random", 1000: "1,000 at random", 0: "all items"}


def series_of(job: Job) -> str:
    """The series that a run belongs to, "" for none."""
    words = job.arguments
    return words[words.index("--series") + 1] if "--series" in words[:-1] else ""


def draw(one: Training, plain_one: Training | None, known: Sequence[Job]) -> None:
    """Runs of this training, the way to what changed, and the form that scores it. plain_one: its baseline."""
    series = {one.name, *([plain_one.name] if plain_one is not None else [])}
    mine = [job for job in known if job.verb == "run" and series_of(job) in series]
    for job in reversed([job for job in mine if not job.is_over]):
        share, words = view.progress(job) if job.state == RUNNING else (None, "waits for its turn")
        show(view.job_line(job, words))
        if share is not None:
            st.progress(share)
    if mine and mine[0].is_over and mine[0].state != "done":
        show(view.job_line(mine[0]))
    there = [] if any(not job.is_over for job in mine) else changed_on(one.name)
    if there:
        with st.container(horizontal=True, vertical_alignment="center"):
            for number, name in enumerate(there):
                pressed = st.button(
                    f"See what changed on {plain(name)}", key=f"teach-changed-{one.name}-{name}",
                    type="secondary" if number else "primary", icon=":material/compare_arrows:",
                )  # fmt: skip
                if pressed:  # the whole page follows, not this part alone
                    address.link({"benchmark": [name], "series": [one.name]})
                    st.rerun()
    if all(job.is_over for job in mine):
        _form(one, plain_one if plain_one is not None and plain_one.spec else None, first=not there)


def changed_on(series: str) -> list[str]:
    """The benchmarks on which a series has a checkpoint before and one after, by the names that addresses have."""
    found = [name for name, each in stored.chosen().items() if series in compare_data.all_series(each)]
    return sorted(found)


def _form(one: Training, plain_one: Training | None, first: bool) -> None:
    title = "Score it before and after" if first else "Score it on another benchmark"
    with st.expander(title, icon=":material/play_arrow:", expanded=first, key=f"teach-score-{one.name}-{first}"):
        left, middle, right = st.columns([2, 1.5, 1], vertical_alignment="bottom")
        with left:
            subject = subjects.choose(f"teach-score-on-{one.name}")
        with middle:
            sample = st.selectbox(
                "Items", list(SIZES), index=1, key=f"teach-score-n-{one.name}", format_func=SIZES.__getitem__
            )
        pressed = right.button(
            "Score", key=f"teach-score-start-{one.name}", icon=":material/play_arrow:", width="stretch",
            type="primary" if first else "secondary",
        )  # fmt: skip
        also = f", its baseline {plain_one.name}" if plain_one is not None else ""
        chart_caption(
            f"Scores {one.name}{also} and, where it has no scores there yet, {colours.label(one.model)}, in processes "
            "of their own. “What changed” then shows before and after as two checkpoints of one training."
        )
        if pressed:
            start(one, plain_one, subject, int(sample or 0))


def start(one: Training, plain_one: Training | None, subject: Subject, sample: int) -> None:
    """Queue the runs: of the model as it was, unless it has scores, of the baseline's and of the training's."""
    try:
        kind = teachable.kind(one.spec)
        wanted = [] if has_scores(one.model, kind, subject) else [(one.model, 0, one.name)]
        if plain_one is not None and not has_scores(plain_one.spec, kind, subject):
            wanted.append((plain_one.spec, plain_one.steps, plain_one.name))
        for spec, step, series in [*wanted, (one.spec, one.steps, one.name)]:
            words = run_words(spec, kind, subject, sample, series, step)
            jobs.start_once("run", words, f"Score {colours.label(spec)} on {subject.label}: step {step:,} of {series}")
    except FlipsideError as error:
        trouble(str(error))
        return
    toasts.say(f"{plain(one.name)}: scoring on {plain(subject.label)}", ":material/play_circle:")
    st.rerun()


def has_scores(model: str, kind: str, subject: Subject) -> bool:
    """Whether a model has a run of all items by this kind on a benchmark: then it needs no other one."""
    for each in stored.chosen().values():
        if each.name.partition("@")[0] == subject.name and kind in each.kinds.get(model, ()):
            selection = stored.store().run(each.runs[model]).record.get("selection") or {}
            return not any(selection.get(name) for name in ("limit", "sample", "items", "subset"))
    return False


def run_words(spec: str, kind: str, subject: Subject, sample: int, series: str, step: int) -> list[str]:
    """The words after `run` for one checkpoint of a series.

    >>> " ".join(run_words("bundled:clip", "itc", Subject("world", "world"), 300, "mine", 60))
    '--model bundled:clip --benchmark world --kinds itc --sample 300 --series mine --step 60 --json'
    """
    words = view.run_arguments(spec, subject.name, [kind], data=subject.data, sample=sample or None)
    return [*words[:-1], "--series", series, "--step", str(step), "--json"]
