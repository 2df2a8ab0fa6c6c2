"""Runs: what is computed, what is being computed, and where everything that can be computed comes from."""

from importlib import import_module

import streamlit as st

from backend.errors import FlipsideError
from pages.parts import (
    address,
    explore,
    runs_jobs,
    runs_style,
    runs_trash,
)
from pages.parts.header import page_header, trouble

#: Tab -> (its name in the address, the module that draws it, loaded when the tab is first opened).
TABS = {
    "Computed": ("computed", "runs_computed"),
    "Score a model": ("score", "runs_start"),
    "Import a benchmark": ("import", "runs_import"),
    "Perturb": ("perturb", "runs_perturb"),
    "Own data": ("own", "runs_own"),
    "Predictions": ("predictions", "runs_predictions"),
    "Results bundle": ("bundle", "runs_bundle"),
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
for tab, (_, part) in zip(tabs, TABS.values(), strict=True):
    with tab:
        if not tab.open:
            continue
        try:
            import_module(f"pages.parts.{part}").draw()
        except FlipsideError as error:
            trouble(str(error))
runs_trash.draw_all()
address.end()
