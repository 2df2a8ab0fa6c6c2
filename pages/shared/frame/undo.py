"""A line that offers to bring back what was just deleted."""

import streamlit as st

from backend.errors import FlipsideError
from backend.store.failures import undo
from backend.store.failures.undo import Deleted
from pages.shared.frame import toasts
from pages.shared.frame.plain import plain

_LAST = "_undo_last"


def offer(what: str, deleted: Deleted) -> None:
    """Remember a deletion; `banner` shows it. what: in words, what is gone; it is data and is shown plainly."""
    if deleted.rows:
        st.session_state[_LAST] = (what, deleted)


def banner(place: str) -> None:
    """The last deletion of this session with Undo; an empty place without one. place: tells two banners apart.

    The place is always there: where a banner comes and goes, what stands below moves by one, and until the run reaches
    its end a browser shows it twice, at its old place and its new one.
    """
    found: tuple[str, Deleted] | None = st.session_state.get(_LAST)
    with st.container(horizontal=True, vertical_alignment="center", key=f"undo-{place}"):
        if found is None:
            return
        what, deleted = found
        st.caption(f"{plain(what)}")
        st.button("Undo", icon=":material/undo:", key=f"undo-{place}-do", on_click=_bring_back, args=(deleted,))
        st.button("", icon=":material/close:", key=f"undo-{place}-no", type="tertiary", on_click=_forget,
                  help="Leave it deleted")  # fmt: skip


def _bring_back(deleted: Deleted) -> None:
    try:
        undo.restore(deleted)
        toasts.say("Brought back", ":material/check:")
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")
        _forget()
        return
    for row in deleted.rows:  # the item's fields show it again
        place = f"{row[0]}-{row[1]}"
        if deleted.table == "notes":
            st.session_state[f"note-{place}"] = row[2]
        elif deleted.table == "tags":
            st.session_state[f"tags-{place}"] = [*st.session_state.get(f"tags-{place}", []), row[2]]
    _forget()


def _forget() -> None:
    st.session_state.pop(_LAST, None)
