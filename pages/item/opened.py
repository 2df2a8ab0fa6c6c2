"""Which item is open over a page, in its address: opening one writes it, a link with it opens it again, Back closes it.

A page has `KEY` among its keys, calls `arrive` before `address.begin` and `place` after it, and asks `now` what to open
before `address.end`, wherever on it items are clicked: in fragments, too.
"""

from collections.abc import Sequence

import streamlit as st

from pages.item import full
from pages.item.place import Place
from pages.shared.data.stored import StoredBenchmark
from pages.shared.frame import address
from pages.shared.frame.header import trouble

#: The address key.
KEY = "item"


def arrive() -> None:
    """Before the address is read: an address without an item closes it, also one that says nothing else (Back, or the
    list of pages), though elsewhere such a one leaves all as it is."""
    if KEY not in st.query_params:
        st.session_state.pop(KEY, None)


def place(benchmark: StoredBenchmark) -> None:
    """Put the item of the address in place; where it is not here say so, and let it go."""
    named = str(st.session_state[address.text(KEY)])
    if named and not full.is_there(benchmark, named):
        trouble(
            f"The link opens the item “{named[:80]}”, which is not in {benchmark.name}: it was made on another "
            "benchmark, or on another edition of it."
        )
        st.session_state[KEY] = ""


def now(clicked: str | None = None) -> str:
    """The item that is open now: the one that was just clicked, else the one that a link names or that has been open
    since; "" for none. Before `address.end`, which writes it."""
    if clicked:
        st.session_state[KEY] = clicked
    return str(st.session_state.get(KEY) or "")


def show(benchmark: StoredBenchmark, ids: Sequence[str], item_id: str, model: str = "", kind: str = "") -> None:
    """Show an item over the page. ids: what ← and → walk along, where it is among them; model, kind: whose sentence
    leads."""
    full.open_dialog(benchmark, ids if item_id in ids else [item_id], item_id, model, kind, place=Place(KEY))
