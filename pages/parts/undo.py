"""A line that offers to bring back what was just deleted."""

import streamlit as st

from backend.errors import FlipsideError
from backend.store import undo
from backend.store.undo import Deleted
from pages.parts.plain import plain

_LAST = "_undo_last"


def offer(what: str, deleted: Deleted) -> None:
    """Remember a deletion; `banner` shows it. what: in words, what is gone; it is data and is shown plainly."""
    if deleted.rows:
        st.session_state[_LAST] = (what, deleted)


def banner(place: str) -> None:
    """The last deletion of this session with Undo; nothing without one. place: tells two banners apart."""
    found: tuple[str, Deleted] | None = st.session_state.get(_LAST)
    if found is None:
        return
    what, deleted = found
    with st.container(horizontal=True, vertical_alignment="center", key=f"undo-{place}"):
        st.caption(f"{plain(what)}")
        st.button("Undo", icon=":material/undo:", key=f"undo-{place}-do", on_click=_bring_back, args=(deleted,))
        st.button("", icon=":material/close:", key=f"undo-{place}-no", type="tertiary", on_click=_forget,
                  help="Leave it deleted")  # fmt: skip


def _bring_back(deleted: Deleted) -> None:
    try:
        undo.restore(deleted)
        st.toast("Brought back", icon=":material/check:")
    except FlipsideError as error:
        st.toast(plain(str(error)), icon=":material/error_outline:")
    _forget()
    # Fields that show what was deleted are drawn anew from what is stored.
    for key in [key for key in map(str, st.session_state) if key.startswith(("tags-", "note-"))]:
        del st.session_state[key]


def _forget() -> None:
    st.session_state.pop(_LAST, None)
