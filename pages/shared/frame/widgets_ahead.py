"""Widgets that a page does not open with, brought to the browser while somebody reads it.

Streamlit loads a widget's script as the widget is first drawn, and React then holds what came late back for 0.3 s, so
that nothing flickers: the first visit to a page, or the first choice that draws one, waits for that. So one of each is
drawn here once a session, out of sight, as soon as the first page stands and the browser has nothing else to do.
"""

from pathlib import Path
from typing import Any, Final

import streamlit as st

from pages.shared.drawing import component

_DONE: Final = "_widgets_ahead"
_component = component.load(
    "flipside_widgets_ahead", Path(__file__).with_suffix(".js"), html="<span></span>", isolate_styles=False
)


def draw() -> None:
    """Before a page: an empty place, in which a session's first page waits for the browser to be idle."""
    with st.container(key="fs-widgets-ahead"):  # style.css hides it
        if not st.session_state.get(_DONE, False):
            _wait()


@st.fragment
def _wait() -> None:
    """Draw them once the browser says that it is idle; they stand till the page is drawn anew."""
    result: Any = _component(data={}, key="widgets-ahead", height=0, on_idle_change=lambda: None)
    if result is not None and result.idle:
        st.session_state[_DONE] = True
        unseen()


def unseen() -> None:
    """One of each kind whose script is no part of Streamlit's first ones, of those that pages open with."""
    from backend.live.uploads.uploads import LARGEST_MB  # with Pillow, which no first page waits for

    st.selectbox("ahead", [], key="ahead-one")
    st.segmented_control("ahead", [], key="ahead-few")
    st.text_input("ahead", key="ahead-text")
    st.text_area("ahead", key="ahead-area")
    st.multiselect("ahead", [], key="ahead-many")
    st.checkbox("ahead", key="ahead-check")
    st.slider("ahead", 0, 1, key="ahead-slider")
    st.file_uploader("ahead", key="ahead-file", max_upload_size=LARGEST_MB)
    st.download_button("ahead", "", key="ahead-download")
    st.pagination(2, key="ahead-pages")
    st.page_link("pages/overview/page.py", label="ahead")
