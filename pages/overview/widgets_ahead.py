"""Widgets that Overview has none of, brought to the browser behind it, out of sight.

Streamlit loads a widget's script as the widget is first drawn, and React then puts what came late after all else that
it has to do: the first visit to another page would wait for that. So one of each kind is drawn once a session, as the
last of the first page; the next run takes them away. None of them asks the server anything (a file field would).
"""

from typing import Final

import streamlit as st

from pages.shared.server import thumbnail_route

_DONE: Final = "_widgets_ahead"


def draw() -> None:
    """One of each kind that other pages open with, in a place that style.css hides; nothing after a session's first."""
    if _DONE in st.session_state or not thumbnail_route.is_served():  # without a server there is no browser
        return
    st.session_state[_DONE] = True
    with st.container(key="fs-widgets-ahead"):
        st.text_input("ahead", key="ahead-text")
        st.multiselect("ahead", [], key="ahead-many")
        st.pagination(2, key="ahead-pages")
        st.page_link("pages/overview/page.py", label="ahead")
        st.checkbox("ahead", key="ahead-check")
        st.slider("ahead", 0, 1, key="ahead-slider")
        st.text_area("ahead", key="ahead-area")
