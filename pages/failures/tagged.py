"""A tag on a card as a filter: pressed, the list has only its items; a line says so and takes the filter back."""

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from pages.shared.frame.style import show

#: The address key, and the key of the sidebar's list of one's own tags.
KEY = "tag"


def press(tag: str) -> None:
    """List the items with a tag alone; where it is listed by already, without regard to tags. Before the page runs
    again."""
    st.session_state[KEY] = toggled(st.session_state.get(KEY) or [], tag)


def toggled(now: Sequence[str], tag: str) -> list[str]:
    """The tags that the list is filtered by once one is pressed.

    >>> toggled([], "odd"), toggled(["odd"], "odd"), toggled(["a", "b"], "odd"), toggled(["a", "odd"], "odd")
    (['odd'], [], ['odd'], ['a'])
    """
    return [each for each in now if each != tag] if tag in now else [tag]


def clear() -> None:
    """Take the filter back."""
    st.session_state[KEY] = []


def banner() -> None:
    """A line that says by which tags the list is filtered, with a button that takes that back; an empty place without
    any (see `undo.banner`)."""
    with st.container(horizontal=True, vertical_alignment="center", key="fs-own-tags"):
        now = st.session_state[KEY]
        if not now:
            return
        names = Markup(" or ").join(Markup("<b>#{}</b>").format(tag) for tag in now)
        show(Markup('<p class="fs-set" role="status">Only items with your tag {}</p>').format(names))
        st.button(
            "Any tag", icon=":material/close:", key="tags-off", on_click=clear, type="tertiary",
            help="Take this filter off; the others stay.",
        )  # fmt: skip
