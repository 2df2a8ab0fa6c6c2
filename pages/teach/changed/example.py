"""The taught models whose results ship: taken over by one button."""

import streamlit as st

from backend.errors import FlipsideError
from backend.paths import bundled_taught_dir
from backend.store.examples import example, shown_once
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import listing
from pages.shared.frame import toasts
from pages.shared.frame.header import trouble
from pages.shared.frame.plain import plain
from pages.teach.changed.choice import EXAMPLES

#: The keys of this view that a former choice must not hold on to.
_CHOICES = ("before", "after", "kind", "against", "protocol", "group", "parts", "which", "link")
#: Set by the button's callback, for what the next run does.
_WANTED = "_changed_example"


def taken(benchmark: str) -> None:
    """Take them over where the button was pressed; before anything of the view is drawn."""
    if _fits(benchmark) and st.session_state.pop(_WANTED, False):
        _take()


def offer(benchmark: str) -> None:
    """The button, on the bundled world, until all of them are here. benchmark: its name in addresses."""
    known = example.known(bundled_taught_dir()) if _fits(benchmark) else None
    if known is None or known.here:
        return
    names = listing([plain(name) for name in colours.labels(known.models).values()])
    st.button(
        "Look at three taught models", icon=":material/visibility:", key="changed-take",
        on_click=_wish, help=f"{names}: one start, equal steps, three recipes. Their scores come with Flipside.",
    )  # fmt: skip


def _fits(benchmark: str) -> bool:
    return benchmark.partition("@")[0] == "world"


def _wish() -> None:
    """Before the page runs again: open on the first of them."""
    state = st.session_state
    state[_WANTED] = True
    for key in _CHOICES:
        state.pop(key, None)
    state["series"] = EXAMPLES[0]


def _take() -> None:
    try:
        with st.spinner("Taking over the three taught models …", show_time=True):
            shown_once.take_over(bundled_taught_dir())
            stored.store().refresh()
    except FlipsideError as error:
        trouble(str(error))
        return
    for key in _CHOICES:  # what was chosen among the checkpoints that were here before says nothing of these
        st.session_state.pop(key, None)
    st.session_state["series"] = EXAMPLES[0]
    toasts.say("Three taught models are here: Series, in the sidebar, goes from one to the next", ":material/school:")
    st.rerun()
