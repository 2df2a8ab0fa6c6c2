"""Tags and notes of an item, and saved views of a page: the only things that people write."""

from typing import Any

import streamlit as st

from backend.errors import FlipsideError
from backend.store import notes
from pages.parts import address
from pages.parts.header import trouble


def draw(benchmark: str, item_id: str) -> None:
    """Tags and a note that are kept as soon as they are typed. benchmark: its hash."""
    tags_key, note_key = f"tags-{benchmark}-{item_id}", f"note-{benchmark}-{item_id}"
    try:
        own = notes.tags(benchmark, item_id).get(item_id, [])
        known = list(dict.fromkeys([*own, *notes.tag_names(benchmark)]))
        text = notes.note(benchmark, item_id)
    except FlipsideError as error:
        trouble(str(error))
        return
    left, right = st.columns(2)
    left.multiselect(
        "Tags", known, default=own, key=tags_key, accept_new_options=True, placeholder="type a tag, then Enter",
        on_change=_keep_tags, args=(benchmark, item_id, tags_key), filter_mode="contains",
    )  # fmt: skip
    right.text_area(
        "Note", text, key=note_key, height=72, max_chars=notes.NOTE_LENGTH, on_change=_keep_note,
        args=(benchmark, item_id, note_key), placeholder="what you saw; kept when you leave the field",
    )  # fmt: skip


def tags_of(benchmark: str) -> dict[str, list[str]]:
    """Item id → its tags with a #, for cards; nothing where they cannot be read."""
    try:
        return {item_id: [f"#{tag}" for tag in tags] for item_id, tags in notes.tags(benchmark).items()}
    except FlipsideError:
        return {}


def _keep_tags(benchmark: str, item_id: str, key: str) -> None:
    try:
        before, now = set(notes.tags(benchmark, item_id).get(item_id, [])), set(st.session_state[key])
        for tag in now - before:
            notes.add_tag(benchmark, item_id, str(tag))
        for tag in before - now:
            notes.remove_tag(benchmark, item_id, tag)
    except FlipsideError as error:
        st.toast(str(error), icon=":material/error_outline:")


def _keep_note(benchmark: str, item_id: str, key: str) -> None:
    try:
        notes.set_note(benchmark, item_id, str(st.session_state[key] or ""))
        st.toast("Note kept", icon=":material/check:")
    except FlipsideError as error:
        st.toast(str(error), icon=":material/error_outline:")


def views(page: str) -> None:
    """A popover with the page's saved views: open one, keep the present one, forget one."""
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
                st.button(name, key=f"view-{name}", on_click=_open_view, args=(state,), width="stretch")
                st.button(
                    "", icon=":material/delete:", key=f"forget-{name}", help=f"Forget “{name}”", type="tertiary",
                    on_click=notes.delete_view, args=(page, name),
                )  # fmt: skip
        if not kept:
            st.caption("None yet. A view keeps all filters under a name.")
        name = st.text_input("Keep this view as", key=f"view-name-{page}", max_chars=notes.TAG_LENGTH)
        st.button(
            "Keep", on_click=_keep_view, args=(page, name), disabled=not (name or "").strip(), icon=":material/add:"
        )


def _open_view(state: dict[str, Any]) -> None:
    address.link(state)


def _keep_view(page: str, name: str) -> None:
    try:
        notes.save_view(page, name, address.current())
        st.session_state[f"view-name-{page}"] = ""
        st.toast(f"Kept as “{name}”", icon=":material/check:")
    except FlipsideError as error:
        st.toast(str(error), icon=":material/error_outline:")
