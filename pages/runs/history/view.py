"""Runs, History: the matrix of what has been computed beside one run in full, all runs in groups below, and what is
over: studies, jobs, what was deleted."""

from typing import Any

import pandas as pd
import streamlit as st

from backend.kinds import IMAGE_KINDS, Kind
from backend.live.jobs.record import Job
from backend.live.scoring import pool
from backend.store import queries
from backend.store.catalog import command_again, public
from backend.store.rates import covered
from pages.runs import jobs as runs_jobs
from pages.runs import start, studies, subjects, trash, view
from pages.runs.add import score
from pages.runs.history import details, gone, groups, listing, matrix, picks, problems
from pages.runs.history.groups import Run
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import signs
from pages.shared.drawing.numbers import count
from pages.shared.frame import address, brought_page
from pages.shared.frame.header import chart_caption, empty
from pages.shared.server import mishaps

#: The address's key of the run that is shown in full.
KEY = gone.KEY
#: More columns than that leave no room beside the matrix.
BESIDE = 4


def runs() -> tuple[pd.DataFrame, list[Run], dict[str, str]]:
    """(rows of `queries.runs`, the same as `Run`s, benchmark hash -> its name here)."""

    def make() -> tuple[list[Run], dict[str, str]]:
        priors = {run_id: command_again.own_priors(stored.store().run(run_id).record) for run_id in frame["run_id"]}
        named = zip(frame["benchmark"], frame["benchmark_name"], strict=True)
        return groups.runs_of(lines_of(frame), priors), {str(of): str(name) for of, name in named}

    frame = queries.runs(stored.store())
    found, parents = stored.store().cached(("runs page", "runs"), make)
    return frame, found, parents


def draw(listed: list[Job]) -> None:
    """The matrix, the picked run, the list. listed: all jobs, as the page tells them."""
    frame, found, parents = runs()
    mishaps.set_aside()
    brought_page.skipped()
    problems.draw()
    if not found:
        if asked := gone.asked():
            address.text(KEY)
            gone.draw(asked)
        empty(
            "Nothing has been computed yet",
            "Open “Add” above, or type: python -m backend run --model bundled:clip --benchmark world --kinds itc,t2t",
        )
    else:
        _draw(frame, found, parents)
    if not studies.working():
        studies.draw()
    runs_jobs.earlier(listed)
    trash.draw_all()


def _draw(frame: pd.DataFrame, found: list[Run], parents: dict[str, str]) -> None:
    known = [run.run_id for run in found]
    asked = gone.asked()  # one that is not here stays what is asked for: no other run stands in for it
    picked = st.session_state[address.option(KEY, list(dict.fromkeys(["", *known, asked])), "")]
    newest = max(found, key=lambda run: (run.stamp, run.run_id)).run_id
    shown = picked or newest
    fetched = {spec: f"fetched: {source}" for spec, (_, source) in public.names(stored.store()).items()}
    lines = {str(line.run_id): line for line in lines_of(frame)}
    sources = {
        run_id: fetched.get(str(line.model)) or view.source(str(line.origin), str(line.model), line.imported_from)
        for run_id, line in lines.items()
    }  # fmt: skip
    benchmarks = queries.benchmarks(stored.store())
    sizes = {str(of): int(n) for of, n in zip(benchmarks["hash"], benchmarks["n_items"], strict=True)}
    selections = {run_id: _items(line, sizes.get(str(line.benchmark), 0)) for run_id, line in lines.items()}
    parts = {run_id: said for run_id, said in selections.items() if said != view.ALL}
    columns = len(groups.columns(found, parents))
    picture: Any
    beside: Any
    with st.container(key="fs-stack-runs"):
        picture, beside = st.columns([3, 2], gap="large") if columns <= BESIDE else (st.container(), st.container())
    with picture:
        drawn = matrix.html(found, parents, sizes, shown, _missing(parents), parts)
        _pick(picks.draw(drawn, "runs-matrix", shown))
        more = ", or + to score what is not there" if matrix.OFFER in drawn else ""
        chart_caption(
            "A cell: the kinds of scores that are there; ◐: stopped, or a kind failed; "
            f"{f'{signs.PART}: of so many of the items only; ' if parts else ''}●: the newest run. Press one to see it "
            f"in full{more}."
        )
    with beside, st.container(key="runs-shown", gap="small"):
        if shown in lines:
            details.draw(shown, lines[shown], "" if picked else "The newest run", sources[shown])
        else:
            gone.draw(shown)
    together = groups.grouped(found)
    said = f"All {count(len(found), 'run')}" + (
        f" in {count(len(together), 'row')}: those that differ only in edit, seed, prior or date are one, which unfolds"
        if len(together) < len(found) else ""
    )  # fmt: skip
    chart_caption(said)
    _pick(picks.draw(listing.html(together, parents, selections, sources, shown), "runs-list", shown))


def _items(line: Any, size: int) -> str:
    """Which items a run is of, in words. A record that asks for all may have judged a part: another system's verdicts
    of some items, or items whose pictures are missing. size: how many items the benchmark has."""
    said = view.selection(line)
    if said != view.ALL or not len(line.kinds) or int(line.n_items) >= size:
        return said
    return covered.said(stored.store(), str(line.run_id), str(line.kinds[0])) or said


def _missing(parents: dict[str, str]) -> tuple[set[str], dict[str, str]]:
    """What can be scored from an empty cell: (models that judge pictures, benchmark hash -> name)."""
    known = [each.name for each in subjects.subjects()]
    models = {spec for spec, gives in score.models().items() if any(Kind(kind) in IMAGE_KINDS for kind in gives)}
    return models, {of: name for of, name in parents.items() if known.count(name) == 1}


def _pick(run_id: str) -> None:
    """Show a run that was just pressed: the page is drawn anew, so that every part of it marks the same one. Of an
    empty cell the form is opened that scores its model on its benchmark."""
    if run_id.startswith(matrix.MISSING):
        model, _, name = run_id.removeprefix(matrix.MISSING).partition("\n")
        label = next((each.label for each in subjects.subjects() if each.name == name), "")
        if label and model in pool.available():
            start.afresh(model, label)
            st.session_state["tab"] = "score"
            st.rerun()
    elif run_id and run_id != st.session_state.get(KEY):
        st.session_state[KEY] = run_id
        st.rerun()
