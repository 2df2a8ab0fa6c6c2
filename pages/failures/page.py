"""Failures: which items fail, and what they look like."""

from dataclasses import replace

import streamlit as st

from backend.errors import FlipsideError
from pages.failures import causes, data, export, filters, keys, listing, old_links, picked, score, unscored, views
from pages.failures.filters import LOOKS, PER_PAGE, orders
from pages.failures.words import SORTS
from pages.item import full
from pages.shared.drawing import explore, gallery
from pages.shared.frame import address, undo
from pages.shared.frame.header import chart_caption, empty, page_header, trouble
from pages.shared.frame.sidebar import choose_benchmark

explore.apply()
page_header(
    "Failures",
    "Which items does the model get wrong?",
    "Images are on the left, captions on the right with the words that differ underlined. Each chip is one model's "
    "verdict with its margin: how far it is from flipping. Click a card for the whole item, then walk with ← and →.",
)
address.begin(filters.KEYS)
benchmark = choose_benchmark(together=True, items=True)
if benchmark is None:
    st.stop()
if not benchmark.runs:
    opened_item = unscored.draw(benchmark)
    address.end()
    if opened_item:
        full.open_dialog(benchmark, unscored.ids(benchmark), opened_item)
    st.stop()
try:
    chosen = filters.choose(benchmark)
except FlipsideError as error:
    trouble(str(error))
    st.stop()

wanted = chosen.wanted
old_links.note(benchmark, list(chosen.old))
picked.banner(chosen.picked, benchmark)
causes.draw(benchmark, chosen)
undo.banner("page")
top = st.container(horizontal=True, vertical_alignment="bottom")
with top:
    st.selectbox(
        "Order", orders(chosen.other), key="sort", index=address.index("sort"), format_func=SORTS.__getitem__, width=260
    )
    look = st.segmented_control(
        "View", LOOKS, key="view", default=address.value("view"), required=True,
        format_func={"gallery": ":material/grid_view: gallery", "table": ":material/table_rows: table"}.__getitem__,
    )  # fmt: skip
found = data.failures(wanted)
with top:
    export.draw(benchmark, chosen, wanted, found.total)
    ids = data.ids(wanted) if st.session_state.get("score-with") else []
    score.draw(benchmark, ids, found.total)
    views.draw("failures")
    keys.draw()
listing.headline(chosen, found, benchmark)
score.results(benchmark)
if not found.total:
    address.end()
    empty("Nothing is left under these filters", "Take one of them away in the sidebar, or show right items too.")
    st.stop()

if look == "table":
    opened = listing.table(found.rows, chosen.model, listing.names_of(benchmark))
    chart_caption(listing.rows_said(len(found.rows), found.total))
else:
    pages = -(-found.total // PER_PAGE)
    key = f"page-{hash(wanted)}"  # another filter starts at its first page
    first = min(st.session_state.setdefault(f"{key}-first", address.count("page")), pages)
    number = min(int(st.session_state.get(key, first)), pages)
    address.note("page", number, 1)
    found = data.failures(wanted.page(number - 1))
    opened = gallery.draw(listing.cards(benchmark, chosen, found.rows), "failures")
    if said := listing.below(benchmark, chosen, found.rows):
        chart_caption(said)
    st.pagination(pages, default=first, key=key)
address.end()
if opened:
    of, _, item_id = opened.partition(" ")
    here = replace(wanted, benchmarks=(of,))  # ← and → walk along the items of the same benchmark
    full.open_dialog(benchmark.part(of), data.ids(here), item_id)
