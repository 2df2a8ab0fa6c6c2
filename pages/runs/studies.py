"""Runs: the studies (`flipside study`) as grids of models by benchmarks, which fill while they work."""

from pathlib import Path
from shlex import quote

import streamlit as st
from markupsafe import Markup

from backend import written
from backend.live.jobs import jobs
from backend.study import state as state_
from backend.study.state import DONE, MISSING, RUNNING, CellState, StudyState
from pages.runs.view import when
from pages.shared.data import stored
from pages.shared.drawing.numbers import count
from pages.shared.frame import news
from pages.shared.frame.header import section
from pages.shared.frame.hidden import hide
from pages.shared.frame.style import show

#: Seconds between two looks while a study works, and while none does: one may be started in a terminal.
LOOK, NOW_AND_THEN = 1.5, 10.0
#: What this session saw when it looked last: (whether a study works, how many cells are filled).
_ACTIVE = "_runs_studies"
#: Whether the page has the heading of studies.
_SHOWN = "_runs_studies_shown"


def draw() -> None:
    """Every study that was run here, the latest first. While one works, only this part is drawn again and again."""
    found = state_.listing()
    working = any(study.is_running for study in found)
    if found:
        section("Studies", "models by benchmarks, from one file each")
    st.session_state[_SHOWN] = bool(found)
    _follow(working, sum(study.counts()[DONE] for study in found))
    st.fragment(_panel, run_every=LOOK if working else NOW_AND_THEN)()


def working() -> bool:
    """Whether any study works now: it then stands at the top of the page, else in History."""
    return any(study.is_running for study in state_.listing())


def _panel() -> None:
    found = state_.listing()
    working = {study.study: study.is_running for study in found}
    if _follow(any(working.values()), sum(study.counts()[DONE] for study in found)):
        news.draw_anew()
    if found and not st.session_state.get(_SHOWN):
        news.draw_anew()  # the first one of this cache has its heading outside of this part
    for number, study in enumerate(found):
        counts = study.counts()
        state = "works" if working[study.study] else when(study.updated)
        title = f"{study.title}: {counts[DONE]} of {sum(counts.values())} cells, {state}"
        with st.expander(title, icon=":material/grid_on:", expanded=number == 0, key=f"study-{study.study}"):
            show(grid(study, working[study.study]))
            st.caption("The same command goes on with it and keeps what is finished:")
            st.code(jobs.command_line("study", [hide(study.path)]), language="bash", wrap_lines=True)
            if counts[DONE]:
                st.caption(f"As a table for a paper: {_table(study.path)}")


def _follow(working: bool, filled: int) -> bool:
    """Import what cells have brought since this session looked last, so that it is in every list; whether there was
    something. A session that looks for the first time imports, too: the study may have been run in a terminal."""
    before: tuple[bool, int] | None = st.session_state.get(_ACTIVE)
    st.session_state[_ACTIVE] = (working, filled)
    if before == (working, filled) or (before is None and not filled):
        return False
    stored.store().refresh()
    return True


def _table(path: str) -> str:
    return f"`{jobs.command_line('table', [quote(hide(Path(path).name))])}`"


def grid(study: StudyState, working: bool) -> Markup:
    """A table of models down and benchmarks across; each cell has a sign, words and, at hand, the whole reason."""
    heads = Markup().join(Markup('<th scope="col">{}</th>').format(name) for name in study.benchmarks)
    rows = Markup().join(
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(model, Markup().join(_cell(cell, working) for cell in row))
        for model, row in zip(study.models, study.cells, strict=True)
    )
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="Cells of {}"><table class="fs-table runs-grid">'
        "<thead><tr><th></th>{}</tr></thead><tbody>{}</tbody></table></div>"
    ).format(study.title, heads, rows)


def _cell(cell: CellState, working: bool) -> Markup:
    kind, sign, words = _said(cell, working)
    title = Markup(' title="{}"').format(hide(cell.why)) if cell.why else ""
    return Markup('<td class="runs-{}"{}>{} {}</td>').format(kind, title, sign, words)


def _said(cell: CellState, working: bool) -> tuple[str, str, str]:
    """(class, sign, words) of a cell."""
    if cell.state == DONE:
        left = f", {cell.left_out:,} left out" if cell.left_out else ""
        return "done", "✓", f"{count(cell.n_items, 'item')}{left}"
    if cell.state == MISSING:
        return "missing", "✗", cell.why if len(cell.why) <= 40 else f"{hide(cell.why)[:40]}…"
    if cell.state == RUNNING and working:
        share = f"{written.share(cell.done / cell.total)}" if cell.total else "begins"
        return "running", "…", share
    return "waiting", "·", "waits" if working else "not yet"
