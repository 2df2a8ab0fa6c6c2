"""Runs, Add: the question, the form of what was chosen, and what was brought before, a row each."""

from functools import partial
from importlib import import_module

import streamlit as st

from backend.errors import FlipsideError
from pages.runs import jobs as runs_jobs
from pages.runs import kept, trash
from pages.runs.add import brought, rows, tiles
from pages.shared.frame import toasts
from pages.shared.frame.header import section, trouble


def draw(chosen: str) -> None:
    """The tiles, the open form and its rows; without a form all rows. chosen: a tile's name, "" for none."""
    if not chosen:
        section("What do you have?")
    tiles.draw(chosen)
    sorts = brought.sorts_of(chosen)
    if chosen:
        try:
            with st.container(border=True, key="runs-form"):
                import_module(f"pages.runs.{tiles.BY_NAME[chosen].part}").draw()
        except FlipsideError as error:
            trouble(str(error))
    found = {sort: brought.rows(sort) for sort in sorts}
    moves = any(rows.is_active(each) for each in found.values())
    st.fragment(partial(_panel, sorts), run_every=runs_jobs.LOOK if moves else None)()
    if chosen in ("own", ""):
        kept.draw()
    trash.draw_all()


def _panel(sorts: list[str]) -> None:
    toasts.draw()
    trash.follow_in_fragment()
    for sort in sorts:
        rows.draw(brought.SORTS[sort], sort, brought.rows(sort))
