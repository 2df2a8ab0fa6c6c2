"""Back and Forward: one step for a page that is opened through the sidebar, and the right page after a reload
(one_step.js); and what fades while a page is awaited for long (stale.js)."""

from pathlib import Path

import streamlit as st

from pages.shared.drawing import component

_component = component.load(
    "flipside_one_step", Path(__file__).with_suffix(".js"), html="<span></span>", isolate_styles=False
)


def apply() -> None:
    """Load the script; called once a run, by app.py, before any page."""
    with st.container(key="fs-listener-one-step"):
        _component(key="one-step", height=0)
