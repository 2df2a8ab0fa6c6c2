"""A page that is drawn anew because of what came about (a job that ended, say), not because somebody pressed a button.

`st.rerun()` ends a run at once, and what was pressed is then forgotten: a button further down the page, whose press
this run carries, never learns of it. So what a fragment finds while the whole page runs is drawn when that run ends.
"""

from typing import Final

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_DUE: Final = "_news_due"


def draw_anew() -> None:
    """Draw the whole page again: at once where a fragment looks by itself, else when this run has come to its end; the
    caller then goes on with what it has."""
    context = get_script_run_ctx()
    if context is None or context.fragment_ids_this_run:
        st.rerun()
    st.session_state[_DUE] = True


def begin() -> None:
    """Before a page runs: this run shows whatever was due."""
    st.session_state.pop(_DUE, None)


def end() -> None:
    """After it has run. After `st.stop()` Streamlit draws nothing anew: a page that ends early does not come here, and
    the next look of its fragment finds the same."""
    if st.session_state.pop(_DUE, False):
        st.rerun()
