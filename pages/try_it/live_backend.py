"""The line that says where live scores come from, where the owner has set a live backend."""

from typing import Final

import streamlit as st
from markupsafe import Markup

from backend.live.remote import here
from pages.shared.frame.hidden import hide
from pages.shared.frame.style import show

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
        kind = "fs-caption" if answers else "fs-problem"
        show(Markup('<p class="{}" role="status">{}</p>').format(kind, hide(said)))
    before = st.session_state.get(_ANSWERED)
    st.session_state[_ANSWERED] = answers
    if answers and before is False:
        st.rerun()  # what failed meanwhile is asked again
