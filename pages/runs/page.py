"""Runs: what is computed, what is being computed, and where everything that can be computed comes from."""

from importlib import import_module

import streamlit as st

from backend.errors import FlipsideError
from pages.runs import jobs, studies, style, trash
from pages.shared.drawing import explore
from pages.shared.frame import address
from pages.shared.frame.header import page_header, trouble

#: Tab -> (its name in the address, the module that draws it, loaded when the tab is first opened).
TABS = {
    "Computed": ("computed", "computed"),
    "Score a model": ("score", "start"),
    "Import a benchmark": ("import", "import_data"),
    "Perturb": ("perturb", "perturb"),
    "Own data": ("own", "own"),
    "Real results": ("real", "real"),
    "Predictions": ("predictions", "predictions"),
    "Results bundle": ("bundle", "bundle"),
}

explore.apply()
style.apply()
page_header(
    "Runs",
    "What has been computed, and what comes next?",
    "Long work runs in processes of its own and goes on when this page is closed or the dashboard is stopped. What "
    "is saved stays, so a stopped job continues from there.",
)
address.begin(("tab",))
try:
    trash.draw_last()
    jobs.draw()
    studies.draw()
except FlipsideError as error:
    trouble(str(error))
names = [name for name, _ in TABS.values()]
titles = dict(zip(names, TABS, strict=True))
chosen = address.option("tab", names, names[0])
st.session_state["runs-tabs"] = titles[st.session_state[chosen]]
tabs = st.tabs(list(TABS), key="runs-tabs", on_change=lambda: st.session_state.update(
    tab=TABS[st.session_state["runs-tabs"]][0]
))  # fmt: skip
for tab, (_, part) in zip(tabs, TABS.values(), strict=True):
    with tab:
        if not tab.open:
            continue
        try:
            import_module(f"pages.runs.{part}").draw()
        except FlipsideError as error:
            trouble(str(error))
trash.draw_all()
address.end()
