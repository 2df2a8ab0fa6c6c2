"""Begins a page so that nothing of the page before lives on.

Streamlit forgets the fragments of the page before only when a run comes to the end of the script. A page that stops
early (nothing scored yet, an empty filter) never comes there, so a late message of the page that was left, such as a
slider let go a moment before the click, still finds its fragment: it is drawn into the new page, and the browser fails
with "Bad delta path index" and an empty page. So they are forgotten when another page begins.
"""

import sys
from typing import TYPE_CHECKING, Final

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from backend.errors import FlipsideError
from pages.shared.frame import news
from pages.shared.server import warm

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

#: Of a session: the page (its path in the address) that ran last.
KEPT: Final = "_page_begun"
_NEW: Final = "_page_is_first"


def run(page: "StreamlitPage") -> None:
    """Run the chosen page; where it is another one than before, first forget the fragments of that one.

    Those that this very run has made before, outside of the page, stay. To bring each script to its end instead, by
    swallowing the `StopException` of an early stop, would be wrong: Streamlit also stops a run by it when another has
    taken its place, whose fragments would then be forgotten.
    """
    st.session_state[_NEW] = KEPT not in st.session_state
    if st.session_state.get(KEPT) != page.url_path:
        st.session_state[KEPT] = page.url_path
        context = get_script_run_ctx()
        if context is not None:
            context.fragment_storage.clear(new_fragment_ids=context.shared.new_fragment_ids.snapshot())
    news.begin()
    read = _generation()
    try:
        page.run()
    except FlipsideError:
        if _generation() == read:
            raise
        st.rerun()  # the results moved on beneath the page, which asked the new ones for what only the old ones had
    news.end()
    warm.drawn(str(st.session_state.get("benchmark", "")))


def _generation() -> str:
    """What the pages read now; "" while none of them has read anything."""
    # While another thread imports it (warm.py), it is there, but not all of it.
    reading = getattr(sys.modules.get("pages.shared.data.stored"), "reading", None)
    return str(reading()) if reading is not None else ""


def is_new() -> bool:
    """Whether this is the first run of its session."""
    return bool(st.session_state.get(_NEW))
