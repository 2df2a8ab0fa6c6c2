"""Failures: which items fail, and what they look like."""

from functools import partial

import streamlit as st
from markupsafe import Markup

from backend.errors import FlipsideError
from pages.failures import (
    after,
    data,
    filters,
    gated,
    judged,
    keys,
    linked,
    listing,
    old_links,
    picked,
    score,
    tagged,
    unscored,
)  # fmt: skip
from pages.failures.filters import PER_PAGE
from pages.failures.pictures import causes, margins, reasons
from pages.failures.taken import export
from pages.failures.words import order_said
from pages.shared.drawing import colours, explore, gallery
from pages.shared.frame import address, alpha, undo
from pages.shared.frame.header import chart_caption, empty, page_header, trouble
from pages.shared.frame.sidebar import choose_benchmark, say_partial
from pages.shared.frame.style import show

explore.apply()
page_header(
    "Failures",
    "Which items does the model get wrong?",
    "A filled mark is a model that is right, a crossed one is wrong. Click a card, or press ? for the keys.",
)
address.begin(filters.KEYS)
linked.arrive()
address.text(linked.KEY)
alpha.begin()
benchmark = choose_benchmark(together=True, items=True, every_model=False)
if benchmark is None:
    st.stop()
if not benchmark.runs:
    linked.check(benchmark)
    opened_item = linked.asked(benchmark, unscored.draw(benchmark))
    address.end()
    linked.open_item(benchmark, opened_item, partial(unscored.ids_of, benchmark))
    st.stop()
try:
    chosen = filters.choose(benchmark)
except FlipsideError as error:
    trouble(str(error))
    st.stop()

wanted = chosen.wanted
say_partial(benchmark, {chosen.model, chosen.other})  # all others stand on the cards alone, each item by itself
alpha.chip(benchmark, [(chosen.model, wanted.setting.kind)])
old_links.note(benchmark, list(chosen.old))
picked.banner(chosen.picked, benchmark)
tagged.banner()
linked.check(benchmark)
undo.banner("page")
found = data.failures(wanted)
bars = reasons.bars_of(benchmark, chosen)
with st.container(horizontal=True, vertical_alignment="center", key="fs-failures-head"):
    listing.headline(chosen, found, benchmark)
    after.to_copy(benchmark, chosen, bars, found)
    export.draw(benchmark, chosen, wanted, found.total)
with st.container(key="fs-stack-failures"):
    places = st.columns([1, 1] if bars and margins.is_drawn(chosen) else 1, gap="medium")
    with places[0]:
        margins.draw(chosen)
    if bars:
        with places[-1]:
            reasons.draw(bars, chosen, found)
score.results(benchmark)
gated.draw(benchmark)
if not found.total:
    linked.asked(benchmark, None)
    address.end()
    if found.n_items:
        empty("Nothing is left under these filters", "Take one of them away in the sidebar, or show right items too.")
    else:
        empty(
            "This run has judged none of these items yet",
            "It was stopped, or is still at work: Runs says how it goes on."
            if chosen.model in benchmark.unfinished
            else "Choose another score kind, model or benchmark in the sidebar.",
        )
    keys.draw()
    st.stop()

if found.total > 1:
    with st.container(key="fs-failures-order"):
        said = order_said(wanted.sort, data.by_margins(wanted))
        chart_caption(f"{said[:1].upper()}{said[1:]}.")
if str(st.session_state["view"]) == "table":
    opened = listing.table(found.rows, chosen.model, listing.names_of(benchmark))
    chart_caption(listing.rows_said(len(found.rows), found.total))
else:
    pages = -(-found.total // PER_PAGE)
    key = f"page-{hash(wanted)}"  # another filter starts at its first page
    first = min(st.session_state.setdefault(f"{key}-first", address.count("page")), pages)
    number = min(int(st.session_state.get(key, first)), pages)
    address.note("page", number, 1)
    found = data.failures(wanted.page(number - 1))
    opened = gallery.draw(
        listing.cards(benchmark, chosen, found.rows), "failures", tiles=True, judge=partial(judged.by_key, benchmark),
        tagged=tagged.press, listed=wanted.tags,
    )  # fmt: skip
    st.pagination(pages, default=first, key=key)
    if said := listing.below(benchmark, chosen, found.rows):
        chart_caption(said)
if own_share := judged.share(chosen.everything, colours.label(chosen.model)):
    show(Markup('<p class="fs-own-share">{}</p>').format(own_share))
item = linked.asked(benchmark, opened)
after.draw(benchmark, chosen)
causes.draw(benchmark, chosen)
keys.draw()
address.end()
linked.open_item(benchmark, item, partial(listing.ids_of, wanted))
