"""Saved views of a page: open one, keep the present one under a name, forget one."""

from typing import Any

import streamlit as st

from backend.errors import FlipsideError
from backend.store.failures import notes
from backend.store.failures import undo as deleting
from pages.shared.frame import address, toasts, undo
from pages.shared.frame.header import trouble
from pages.shared.frame.plain import plain


def draw(page: str) -> None:
    """A popover with the page's saved views."""
    with st.popover("Views", icon=":material/bookmark:", key=f"views-{page}", on_change="rerun") as box:
        if not box.open:
            return
        try:
            kept = notes.views(page)
        except FlipsideError as error:
            trouble(str(error))
            return
        for name, state in kept.items():
            with st.container(horizontal=True):
                st.button(plain(name), key=f"view-{name}", on_click=_open, args=(state,), width="stretch")
                st.button(
                    "", icon=":material/delete:", key=f"forget-{name}", help=f"Forget “{plain(name)}”", type="tertiary",
                    on_click=_forget, args=(page, name),
                )  # fmt: skip
        if not kept:
            st.caption("None yet. A view keeps all filters under a name.")
        name = st.text_input("Keep this view as", key=f"view-name-{page}", max_chars=notes.TAG_LENGTH)
        st.button("Keep", on_click=_keep, args=(page, name), disabled=not (name or "").strip(), icon=":material/add:")


def _open(state: dict[str, Any]) -> None:
    address.link(state)


def _forget(page: str, name: str) -> None:
    try:
        undo.offer(f"View “{name}” is forgotten.", deleting.view(page, name))
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")


def _keep(page: str, name: str) -> None:
    try:
        notes.save_view(page, name, address.current())
        st.session_state[f"view-name-{page}"] = ""
        toasts.say(f"Kept as “{plain(name)}”", ":material/check:")
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")
