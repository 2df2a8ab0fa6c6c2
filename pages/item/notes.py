"""Tags and notes of an item: kept as soon as they are typed; what is taken away can be brought back."""

from contextlib import suppress

import streamlit as st

from backend.errors import FlipsideError
from backend.store.failures import notes
from backend.store.failures import undo as deleting
from pages.shared.frame import address, toasts, undo
from pages.shared.frame.header import trouble
from pages.shared.frame.plain import plain

#: Session key: the page that drew the fields last.
_DRAWN_ON = "_notes_page"


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
    undo.banner("item")
    page = address.here()
    if st.session_state.get(_DRAWN_ON) != page:  # a field that another page drew under the same key would be empty here
        st.session_state.pop(tags_key, None)
        st.session_state.pop(note_key, None)
        st.session_state[_DRAWN_ON] = page
    st.session_state.setdefault(tags_key, own)  # no default besides: what is brought back is set in the session, too
    st.session_state.setdefault(note_key, text)
    left, right = st.columns(2)
    left.multiselect(
        "Tags", known, key=tags_key, accept_new_options=True, placeholder="type a tag, then Enter",
        on_change=_keep_tags, args=(benchmark, item_id, tags_key), filter_mode="contains",
    )  # fmt: skip
    right.text_area(
        "Note", key=note_key, height=72, max_chars=notes.NOTE_LENGTH, on_change=_keep_note,
        args=(benchmark, item_id, note_key, str(st.session_state[note_key])),
        placeholder="what you saw; kept when you leave the field",
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
            undo.offer(f"Tag “{tag}” was taken off {item_id}.", deleting.tag(benchmark, item_id, tag))
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")
        with suppress(FlipsideError):  # what was refused does not stay in sight as if it were kept
            st.session_state[key] = notes.tags(benchmark, item_id).get(item_id, [])


def _keep_note(benchmark: str, item_id: str, key: str, seen: str) -> None:
    """Keep what was typed. seen: the note that stood in the field when it was drawn."""
    try:
        text = str(st.session_state[key] or "").strip()
        if not text:
            undo.offer(f"The note on {item_id} was deleted.", deleting.note(benchmark, item_id))
            return
        kept = notes.set_note(benchmark, item_id, text, seen)
        if kept != text:
            st.session_state[key] = kept
            toasts.say("Another window wrote a note meanwhile: both are kept.", ":material/call_merge:")
            return
        toasts.say("Note kept", ":material/check:")
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")
