"""One component on every page for what concerns the whole document: Back and Forward (one_step.js), what fades while a
page is awaited for long (stale.js), and a theme that changes while a page is open (scheme.js)."""

from pathlib import Path

import streamlit as st

from pages.shared.drawing import component
from pages.shared.frame import style

_component = component.load(
    "flipside_document", Path(__file__).with_suffix(".js"), html="<span></span>", isolate_styles=False
)


def apply() -> None:
    """Load the scripts; called once a run, by app.py, before any page."""
    with st.container(key="fs-listener-document"):
        _component(key="document", height=0, data={"scheme": style.scheme()}, on_scheme_change=_nothing)


def _nothing() -> None:
    """The run itself draws what hangs on the scheme."""
