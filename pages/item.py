"""One item in full, on a page of its own, so that it can be linked to."""

import streamlit as st

from pages.parts import address, explore, item_full
from pages.parts.header import empty, page_header
from pages.parts.sidebar import choose_benchmark

explore.apply()
page_header(
    "Item",
    "What does every model make of this one item?",
    "Green and ✓ is right, vermilion and ✗ is wrong; the number is the margin, how far the item is from flipping.",
)
address.begin(("benchmark", "item"))
item_id = str(st.session_state[address.words("item")])
benchmark = choose_benchmark()
if benchmark is None:
    st.stop()
address.end()
name = benchmark.name
if not item_id:
    empty("No item is named in the address", "Open one from Failures, where every card has a link to its own page.")
    st.stop()


def visit(other: str) -> None:
    """Another item on this page."""
    address.go("pages/item.py", {"benchmark": name, "item": other})


item_full.full(benchmark, item_id, visit)
