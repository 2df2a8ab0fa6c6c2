"""The line that says where live scores come from, where the owner has set a live backend."""

from typing import Final

import streamlit as st

from backend.live.remote import here
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain

#: Seconds between two looks.
LOOK: Final = 5.0
_ANSWERED: Final = "try_backend_answered"


def draw() -> None:
    """Nothing where models are asked in this process; else whether the backend answers, kept up to date."""
    if here.is_set():
        st.fragment(_line, run_every=LOOK)()


def _line() -> None:
    said, answers = here.sentence()
    with st.container(key="try-backend"):
        if answers:
            st.caption(plain(hide(said)))
        else:
            st.warning(plain(hide(said)), icon=":material/cloud_off:")
    before = st.session_state.get(_ANSWERED)
    st.session_state[_ANSWERED] = answers
    if answers and before is False:
        st.rerun()  # what failed meanwhile is asked again
