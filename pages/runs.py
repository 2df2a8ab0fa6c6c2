"""Runs: what is computed, what is being computed, and where everything that can be computed comes from."""

import streamlit as st

from backend.errors import FlipsideError
from pages.parts import (
    address,
    explore,
    runs_bundle,
    runs_computed,
    runs_import,
    runs_jobs,
    runs_own,
    runs_perturb,
    runs_predictions,
    runs_start,
    runs_style,
    runs_trash,
)
from pages.parts.header import page_header, trouble

#: Tab -> (its name in the address, what draws it).
TABS = {
    "Computed": ("computed", runs_computed.draw),
    "Score a model": ("score", runs_start.draw),
    "Import a benchmark": ("import", runs_import.draw),
    "Perturb": ("perturb", runs_perturb.draw),
    "Own data": ("own", runs_own.draw),
    "Predictions": ("predictions", runs_predictions.draw),
    "Results bundle": ("bundle", runs_bundle.draw),
}

explore.apply()
runs_style.apply()
page_header(
    "Runs",
    "What has been computed, and what comes next?",
    "Long work goes on in processes of its own, also when this page is closed or the dashboard stopped; what is "
    "committed stays, so a stopped job goes on from there.",
)
address.begin(("tab",))
try:
    runs_trash.draw_last()
    runs_jobs.draw()
except FlipsideError as error:
    trouble(str(error))
names = [name for name, _ in TABS.values()]
titles = dict(zip(names, TABS, strict=True))
chosen = address.one("tab", names, names[0])
st.session_state["runs-tabs"] = titles[st.session_state[chosen]]
tabs = st.tabs(list(TABS), key="runs-tabs", on_change=lambda: st.session_state.update(
    tab=TABS[st.session_state["runs-tabs"]][0]
))  # fmt: skip
for tab, (_, draw) in zip(tabs, TABS.values(), strict=True):
    with tab:
        if not tab.open:
            continue
        try:
            draw()
        except FlipsideError as error:
            trouble(str(error))
runs_trash.draw_all()
address.end()
