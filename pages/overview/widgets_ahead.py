"""The widgets that other pages open with, brought to the browser while somebody reads Overview.

Streamlit loads a widget's script as the widget is first drawn, and React then holds what was late back for 0.3 s more,
so that nothing flickers. So each is drawn here once, out of sight, as soon as the browser has nothing else to do.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared.drawing import component

_component = component.load(
    "flipside_widgets_ahead", Path(__file__).with_suffix(".js"), html="<span></span>", isolate_styles=False
)


@st.fragment
def draw() -> None:
    """Wait for the browser to say that it is idle, which it does once; then draw them, till the page is drawn anew."""
    with st.container(key="fs-listener-widgets"):
        result: Any = _component(data={}, key="widgets-ahead", height=0, on_idle_change=lambda: None)
    if result is not None and result.idle:
        with st.container(key="fs-unseen"):
            unseen()


def unseen() -> None:
    """One of each kind that other pages draw as they open and Overview does not."""
    st.text_input("ahead", key="ahead-text")
    st.text_area("ahead", key="ahead-area")
    st.multiselect("ahead", [], key="ahead-many")
    st.checkbox("ahead", key="ahead-check")
    st.file_uploader("ahead", key="ahead-file")
    st.download_button("ahead", "", key="ahead-download")
    st.pagination(2, key="ahead-pages")
    st.page_link("pages/overview/page.py", label="ahead")
