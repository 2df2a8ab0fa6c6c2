"""One item in full, on a page of its own, so that it can be linked to."""

import streamlit as st

from pages.item import full, why
from pages.shared.drawing import explore
from pages.shared.frame import address, alpha, title
from pages.shared.frame.header import empty, head, page_header
from pages.shared.frame.sidebar import choose_benchmark
from pages.shared.frame.style import show

explore.apply()
HEAD = ("Item", "What does every model make of this one item?")
HOW = (
    "First why, a sentence for each model. Green and ✓ is right, vermilion and ✗ is wrong; the number is the margin, "
    "how far the item is from flipping."
)
page_header(*HEAD, HOW, headed=True)
headed = st.empty()
with headed:
    show(head(*HEAD, HOW))
address.begin(("benchmark", "item", "model", "kind", *alpha.KEYS))
alpha.begin()
item_id = str(st.session_state[address.text("item")])
for key in ("model", "kind"):  # whose sentence leads
    address.text(key)
benchmark = choose_benchmark(items=True, every_model=False)  # one item has no rates
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
    title.name("")
    empty("No item is named in the address", "Open one from Failures, where every card has a link to its own page.")
    st.stop()


def visit(other: str) -> None:
    """Another item on this page."""
    address.go("pages/item/page.py", {"benchmark": name, "item": other, **why.chosen()})


def lead(model: str, kind: str) -> None:
    """Another model's sentence first, and in the address."""
    st.session_state["model"], st.session_state["kind"] = model, kind


is_there = full.is_there(benchmark, item_id)
title.name(item_id if is_there else "")
if not is_there:
    with headed:  # what is not there has no verdicts that could be read
        show(head(*HEAD, "One item, with its images and captions, and why each model is right or wrong on it."))
full.full(benchmark, item_id, visit, lead)
