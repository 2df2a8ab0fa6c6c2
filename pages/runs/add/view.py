"""Runs, Add: the question, the form of what was chosen, and what was brought before, a row each."""

from functools import partial
from importlib import import_module

import streamlit as st

from backend.errors import FlipsideError
from backend.live.jobs.record import Job
from pages.runs import jobs as runs_jobs
from pages.runs import kept, moment, trash
from pages.runs.add import brought, rows, tiles
from pages.shared.frame import toasts
from pages.shared.frame.header import section, trouble


def draw(chosen: str, listed: list[Job]) -> None:
    """The tiles, the open form and its rows; without a form all rows. chosen: a tile's name, "" for none; listed: all
    jobs, as the page tells them."""
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
    found = {sort: brought.rows(sort, listed) for sort in sorts}
    moves = any(rows.is_active(each) for each in found.values())
    st.fragment(partial(_panel, sorts, [listed]), run_every=runs_jobs.LOOK if moves else None)()
    if chosen in ("own", ""):
        kept.draw()
    trash.draw_all()


def _panel(sorts: list[str], drawn_with: list[list[Job]]) -> None:
    toasts.draw()
    trash.follow_in_fragment()
    listed = moment.of_part(drawn_with)
    for sort in sorts:
        rows.draw(brought.SORTS[sort], sort, brought.rows(sort, listed))
