"""Short messages from buttons' callbacks, drawn by the run that follows.

Streamlit draws what a callback draws before anything else of that run. Where only a fragment (or a dialog) runs, this
takes the place of what stands first on the page: a toast took that of the stylesheet, until the next reload.
"""

import streamlit as st

_KEPT = "_toasts"


def say(text: str, icon: str) -> None:
    """Keep a message for the run that follows; called by callbacks. text: Markdown, so what a user typed is `plain`."""
    st.session_state.setdefault(_KEPT, []).append((text, icon))


def draw() -> None:
    """Show what was kept: called by app.py before a page, and first in every fragment whose buttons say something."""
    for text, icon in st.session_state.pop(_KEPT, []):
        st.toast(text, icon=icon)
