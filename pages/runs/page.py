"""Runs: what is running, what has been computed (History), and everything that can be added (Add)."""

import streamlit as st

from backend.errors import FlipsideError
from backend.live.jobs.record import DONE
from pages.runs import jobs, moment, studies, style, trash
from pages.runs.add import brought, tiles
from pages.runs.add import view as add
from pages.runs.history import groups
from pages.runs.history import view as history
from pages.shared.drawing import explore
from pages.shared.frame import address
from pages.shared.frame.header import page_header, seen, trouble

#: The address's word for History, for Add without a form, and for each form; all but “add” are as old as the page.
HISTORY, ADD = "computed", "add"
PLACES = (HISTORY, ADD, *tiles.BY_NAME)
VIEWS = {ADD: "Add", HISTORY: "History"}


def _switch() -> None:
    """A press on Add or History: the form that was open last is open again."""
    state = st.session_state
    if state["runs-view"] == HISTORY:
        state["_runs_form"], state["tab"] = state["tab"], HISTORY
    else:
        state["tab"] = state.get("_runs_form", ADD)


explore.apply()
style.apply()
page_header(
    "Runs",
    "What has been computed, and what comes next?",
    "Work goes on when this page is closed or the dashboard is stopped; a stopped job continues where it was.",
)
address.begin(("tab", history.KEY))
if address.asked(history.KEY):
    address.imply("tab", HISTORY)
st.session_state["runs-view"] = HISTORY if st.session_state[address.option("tab", PLACES, HISTORY)] == HISTORY else ADD
try:
    trash.draw_last()
    form = st.session_state["tab"] if st.session_state["tab"] in tiles.BY_NAME else ""
    listed = moment.of_page()
    jobs.draw(listed, set() if st.session_state["runs-view"] == HISTORY else brought.jobs_of(form, listed))
    if studies.working():
        studies.draw()
    left, right = st.columns([3, 1], vertical_alignment="center")
    with left:
        unfinished = sum(job.state != DONE for job in jobs.just_ended(listed))
        seen(groups.seen(history.runs()[1], len(moment.stand(listed)), unfinished))
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        st.segmented_control(
            "View", list(VIEWS), key="runs-view", format_func=VIEWS.__getitem__, on_change=_switch, required=True,
            label_visibility="collapsed", help="Add: bring something or start something. History: what is computed.",
        )  # fmt: skip
    if st.session_state["runs-view"] == HISTORY:
        history.draw(listed)
    else:
        add.draw(form, listed)
except FlipsideError as error:
    trouble(str(error))
address.end()
