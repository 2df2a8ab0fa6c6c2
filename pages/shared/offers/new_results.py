"""Says on a page that stands open that results have come since it was drawn, and shows them when asked to.

Every LOOK seconds a fragment of its own looks at names, sizes and times; it imports nothing and touches nothing else of
the page, so what somebody reads, picks or types stays as it is. What is still being written is not offered: the same
has to be there on two looks, so a run that commits its scores by the second is offered once it is done. What is offered
stays so, though more is written, or another session has it imported, which makes another thing of what there is.

A page that is opened meanwhile is drawn of what was there before, and has the new results imported behind it (`Store`):
a first import of a server loads modules for some seconds, for which no page waits. What is opened then shows them.

Once it is shown a message says what came, since it may change nothing of the page that is open, and which choices of
the page are others since, where what nobody chose has become another.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from backend.errors import FlipsideError
from pages.shared.frame import address
from pages.shared.frame.plain import plain
from pages.shared.offers import what_came
from pages.shared.offers.what_came import Held

#: Seconds between two looks.
LOOK: Final = 10.0
KEY: Final = "fs-new-results"
#: The offer; and where it is certain that no score is new.
OFFER: Final = "New results or items are here: show them"
ITEMS: Final = "New items, not scored yet, are here: show them"
_NOTES: Final = "_new_results"


@dataclass
class Notes:
    """Of a session. drawn: the generation that its page was drawn of; held: what that holds, once a look has asked;
    seen: what the last look found beyond it; offered: in which words it is offered; refused: what could not be
    imported; asked: whether it was asked for; left: what was held, which page it was and what it showed when it was
    left for what is new."""

    drawn: str = ""
    held: Held | None = None
    seen: str = ""
    offered: str = ""
    refused: str = ""
    asked: bool = False
    left: tuple[Held | None, tuple[str, ...], dict[str, Any]] | None = None


@contextmanager
def watched() -> Iterator[None]:
    """Around a page's run, also one that stops early: notes what it was drawn of. The looks belong to every page."""
    notes = _notes()  # after `st.stop()` the session itself can no longer be asked
    with st.container(key=KEY):
        st.fragment(_look, run_every=LOOK)()
    left, notes.left = notes.left, None
    try:
        yield
    finally:
        if (now := _reading()) != notes.drawn:
            notes.held = None
        notes.drawn, notes.seen, notes.offered = now, "", ""
    if left is not None:
        _tell(notes, *left)


def _notes() -> Notes:
    found: Notes = st.session_state.setdefault(_NOTES, Notes())
    return found


def _look() -> None:
    """The offer, where there is something to show; nothing while the page itself is drawn."""
    context = get_script_run_ctx()
    if context is None or not context.fragment_ids_this_run:
        return
    notes = _notes()
    if notes.held is None and notes.drawn and notes.drawn == _reading():
        notes.held = _held()
    before, notes.seen = notes.seen, beyond(notes.drawn)
    if notes.asked:
        notes.asked = False
        _show(notes)
    elif not notes.seen or notes.seen == notes.refused:
        notes.offered = ""
    elif notes.offered or notes.seen == before:
        if not notes.offered or notes.seen != before:
            notes.offered = ITEMS if _are_items(notes) else OFFER
        st.button(notes.offered, icon=":material/update:", key=f"{KEY}-show", on_click=_ask)


def _ask() -> None:
    """A press counts, whatever has been written since the button was drawn."""
    _notes().asked = True


def _show(notes: Notes) -> None:
    """Import what is new and draw the page again. Where that cannot be done it is said once."""
    try:
        with st.spinner("Importing the new results …"):
            _store().refresh()
    except FlipsideError as error:
        notes.refused = notes.seen
        st.toast(plain(str(error)), icon=":material/error_outline:", duration="infinite")
        return
    notes.left = (notes.held, address.page(), address.shown())
    st.rerun()


def _tell(notes: Notes, held: Held | None, page: tuple[str, ...], shown: Mapping[str, Any]) -> None:
    """After the run that shows what is new: what came, and what the page shows instead of what it showed. held, page,
    shown: as they were before (`Notes.left`)."""
    notes.held = _held()
    said = [what_came.came(held, notes.held)] if held is not None else []
    if page == address.page():
        said.append(what_came.moved(shown, address.shown()))
    if text := " ".join(filter(None, said)):
        st.toast(plain(text), icon=":material/update:", duration="long")


def _held() -> Held:
    return Held(*_store().held())


def beyond(drawn: str) -> str:
    """What there is beyond the generation that a page was drawn of, as a mark that changes while more is written; ""
    for nothing, and where no page has read any results yet."""
    reading = _reading()
    if not drawn or not reading:
        return ""
    return reading if reading != drawn else str(_store().ahead())


def _are_items(notes: Notes) -> bool:
    """Whether it is certain that what is beyond are items alone, of an edition say: not once they are imported."""
    return _reading() == notes.drawn and bool(_store().ahead_are_items())


def _reading() -> str:
    """The generation that pages read now; "" while none of them has read anything. Imports nothing: where another
    thread is importing the module, it is there, but not all of it."""
    reading = getattr(sys.modules.get("pages.shared.data.stored"), "reading", None)
    return str(reading()) if reading is not None else ""


def _store() -> Any:
    """The store that pages read, which is there where `_reading` says something; it is asked for nothing, which would
    make it move on."""
    return sys.modules["pages.shared.data.stored"].asked()
