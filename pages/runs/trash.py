"""Runs: what was deleted, and the way back."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from backend.errors import FlipsideError
from backend.live.uploads import trash
from pages.runs import view
from pages.shared.data import stored
from pages.shared.frame import toasts
from pages.shared.frame.header import chart_caption
from pages.shared.frame.plain import plain

#: The key of what this session deleted last.
_LAST = "runs_deleted"
#: Whether the whole page is still to be drawn: a button inside a fragment draws that alone.
_ANEW = "runs_anew"
WHAT = {"run": "run", "job": "job", "training": "training", "benchmark": "own benchmark", "uploads": "uploaded files"}


def delete(do: Callable[..., trash.Discarded], *arguments: Any) -> None:
    """A button's callback: delete, and offer the way back at the top of the page."""
    try:
        entry = do(*arguments)
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")
        return
    st.session_state[_LAST], st.session_state[_ANEW] = entry.key, True
    if entry.what != "job":
        _follow()


def redraw() -> None:
    """In the callback of a button inside a fragment: the whole page is drawn by the run that follows."""
    st.session_state[_ANEW] = True


def draw_last() -> None:
    """What this session has just deleted, with Undo."""
    st.session_state.pop(_ANEW, None)
    key = st.session_state.get(_LAST)
    entry = next((entry for entry in trash.listing() if entry.key == key), None) if key else None
    if entry is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="fs-deleted"):
        what = WHAT.get(entry.what, entry.what)
        named = "" if entry.title == what else f" **{plain(entry.title)}**"
        st.markdown(f":material/delete: Deleted the {what}{named}")
        st.button("Undo", key="undo-last", type="primary", icon=":material/undo:", on_click=restore, args=(key,))
        st.button("Dismiss", key="undo-dismiss", type="tertiary", on_click=st.session_state.pop, args=(_LAST, None))


def follow_in_fragment() -> None:
    """At the start of a fragment with such buttons: draw the whole page where one of them was pressed."""
    if st.session_state.pop(_ANEW, False):
        st.rerun()


def draw_all() -> None:
    """Everything that can still be put back."""
    entries = trash.listing()
    if not entries:
        return
    with st.expander(f"Recently deleted: {len(entries)}", icon=":material/delete:", key="runs-trash",
                     on_change="rerun") as box:  # fmt: skip
        if not box.open:
            return
        chart_caption(
            f"Kept for {trash.KEPT} days, then removed for good. Undo puts back exactly what was there; the pages "
            "show it again in a moment."
        )
        for entry in entries[:50]:
            left, right = st.columns([8, 2], vertical_alignment="center")
            said = f"{WHAT.get(entry.what, entry.what)}, {view.when(entry.made)}"
            left.markdown(f"**{plain(entry.title)}** · {plain(said)}")
            right.button("Undo", key=f"undo-{entry.key}", icon=":material/undo:", on_click=restore, args=(entry.key,))


def restore(key: str) -> None:
    """A button's callback: put back what was deleted under a key of the trash."""
    try:
        entry = trash.restore(key)
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")
        return
    if st.session_state.get(_LAST) == key:
        st.session_state.pop(_LAST)
    if entry.what != "job":
        _follow()
    toasts.say(f"Put back: {plain(entry.title)}", ":material/undo:")


def _follow() -> None:
    """The next generation of the results, with what is there now."""
    stored.store().refresh()
