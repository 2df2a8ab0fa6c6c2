"""One item in full, on a page of its own, so that it can be linked to."""

import streamlit as st

from pages.item import full, why
from pages.shared.drawing import explore
from pages.shared.frame import address, alpha
from pages.shared.frame.header import empty, page_header
from pages.shared.frame.sidebar import choose_benchmark

explore.apply()
page_header(
    "Item",
    "What does every model make of this one item?",
    "First why, a sentence for each model. Green and ✓ is right, vermilion and ✗ is wrong; the number is the margin, "
    "how far the item is from flipping.",
)
address.begin(("benchmark", "item", "model", "kind", *alpha.KEYS))
alpha.begin()
item_id = str(st.session_state[address.text("item")])
for key in ("model", "kind"):  # whose sentence leads
    address.text(key)
benchmark = choose_benchmark(items=True)
if benchmark is None:
    st.stop()
alpha.chip(
    benchmark, [(model, kind) for model in benchmark.models for kind in benchmark.kinds[model]],
    "Why an item is right or wrong is said of the scores as they are, at α = 0.",
)  # fmt: skip
address.end()
why.lead_with("", "")
name = benchmark.name
if not item_id:
    empty("No item is named in the address", "Open one from Failures, where every card has a link to its own page.")
    st.stop()


def visit(other: str) -> None:
    """Another item on this page."""
    address.go("pages/item/page.py", {"benchmark": name, "item": other, **why.chosen()})


def lead(model: str, kind: str) -> None:
    """Another model's sentence first, and in the address."""
    st.session_state["model"], st.session_state["kind"] = model, kind


full.full(benchmark, item_id, visit, lead)
