"""Try it, many items: the jobs that score an unsaved set, and what came of them."""

from collections.abc import Sequence
from itertools import pairwise

import pandas as pd
import streamlit as st

from backend.errors import FlipsideError
from backend.live.jobs import jobs
from backend.live.jobs.record import RUNNING, Job
from backend.live.scoring.batch import Unsaved
from backend.metrics.core.registry import by_name
from backend.written import measured
from pages.runs import view
from pages.shared.data import stored
from pages.shared.data.stored import StoredBenchmark
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import interval
from pages.shared.frame import address, news
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name, metric_title

#: Seconds between two looks while something works.
LOOK = 1.0


def draw(found: Unsaved, now: Sequence[Job]) -> None:
    """Progress, drawn again by itself while a job works; then each model's rates, and its failures. now: its jobs."""
    over = sum(job.is_over for job in now)
    if now:
        section("Scoring", "in processes of their own; they go on when this page is closed")
        ids = tuple(job.job_id for job in now)
        st.fragment(_progress, run_every=LOOK if over < len(now) else None)(ids, over)
    benchmark = next((each for each in stored.chosen().values() if each.hash[:16] == found.hash), None)
    if benchmark is not None:
        _rates(benchmark)


def jobs_of(found: Unsaved, begun: Sequence[str]) -> list[Job]:
    """The jobs that this session began, and those that still work on the same items whoever began them: a page that is
    opened again shows what goes on. In the order in which they were put into the queue."""
    where = found.arguments[:2]
    return sorted(
        (job for job in jobs.listing() if job.job_id in begun or (not job.is_over and _works_on(job, where))),
        key=lambda job: (job.queued, job.job_id),
    )


def _works_on(job: Job, where: Sequence[str]) -> bool:
    """Whether a job's words hold `--benchmark NAME`."""
    return job.verb == "run" and any(list(pair) == list(where) for pair in pairwise(job.arguments))


def refresh() -> None:
    """What jobs have computed, or renamed, is seen from now on."""
    stored.store().refresh()


def _jobs(job_ids: Sequence[str]) -> list[Job]:
    known = {job.job_id: job for job in jobs.listing()}
    return [known[each] for each in job_ids if each in known]


def _progress(job_ids: Sequence[str], over: int) -> None:
    """over: how many of them had ended when the page was drawn; what one more has computed is shown at once."""
    now = _jobs(job_ids)
    if sum(job.is_over for job in now) > over:
        refresh()
        news.draw_anew()
    for job in now:
        if job.state != RUNNING:
            show(view.job_line(job))
            continue
        share, words = view.progress(job)
        show(view.job_line(job, words))
        if share is not None:
            st.progress(share)
    if over < len(now) and st.button("Stop", icon=":material/stop:", key="try-stop"):
        for job in now:
            if not job.is_over:
                _cancel(job.job_id)


def _cancel(job_id: str) -> None:
    try:
        jobs.cancel(job_id)
    except FlipsideError as error:
        st.toast(plain(str(error)), icon=":material/error_outline:")


def _rates(benchmark: StoredBenchmark) -> None:
    frame = stored.headlines(benchmark, "subset")
    if frame.empty:
        return
    frame = frame.sort_values(["group", "metric", "value"], ascending=[True, True, False])
    section("What came of it", "best first; rates with 95 % intervals; a tie is a failure")
    names = colours.labels(benchmark.models)
    table = pd.DataFrame(
        {
            "model": [names.get(model, model) for model in frame["model"]],
            "score": [kind_name(kind) for kind in frame["kind"]],
            "subset": frame["group"].astype(str).tolist(),
            "metric": [metric_title(metric) for metric in frame["metric"]],
            "right": [
                _said(str(metric), _number(value), int(n), (float(low), float(high)) if low == low else None)
                for metric, value, n, low, high in zip(
                    *(frame[name] for name in ("metric", "value", "n", "low", "high")), strict=True
                )
            ],
        }
    )
    st.dataframe(table, hide_index=True, alt="Rates of every model on this set")
    with st.container(horizontal=True, gap="small"):
        for model in benchmark.models:
            if st.button(
                f"Failures of {plain(colours.label(model))}",
                key=f"try-failures-{model}",
                icon=":material/arrow_forward:",
            ):
                address.go("pages/failures/page.py", {"benchmark": benchmark.name, "model": model})
    chart_caption("Failures shows each item with its verdicts, and what the models disagree on.")


def _said(name: str, value: float | None, n: int, ci95: tuple[float, float] | None) -> str:
    metric = by_name(name)
    return interval(value, n, ci95) if metric.share else measured(value, metric.unit, n, ci95)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and value == value else None
