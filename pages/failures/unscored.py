"""Failures of a benchmark on which no model has a run: nothing has failed yet, and its items can be looked at."""

import streamlit as st
from markupsafe import Markup

from backend.called import on_pages
from backend.store.items import listing
from pages.failures import data
from pages.failures.filters import PER_PAGE
from pages.item import notes, view
from pages.shared.data import commands, stored
from pages.shared.drawing import gallery
from pages.shared.drawing.gallery import Card
from pages.shared.drawing.numbers import count
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show

ANY = ""


def draw(benchmark: stored.StoredBenchmark) -> str | None:
    """What leads to a run, two filters, and a card an item; the id of the item that was just opened."""
    with st.container(border=True, key="unscored"):
        st.markdown(
            f"**No model has a run on {plain(benchmark.name)} yet, so nothing has failed: these are its items.** Score "
            f"one on Runs, or: `{on_pages()} run --model YOUR_MODEL --benchmark {commands.words(benchmark)}`"
        )
        if lacking := commands.lacking(benchmark):
            chart_caption(lacking.strip(" ()"))
        st.page_link(
            "pages/runs/page.py", label="Start a run", icon=":material/play_arrow:", query_params={"tab": "score"}
        )
    subsets = [ANY, *benchmark.subsets]
    with st.sidebar:
        # The same key holds a list where models are listed; here it is one subset, which every link can name.
        st.selectbox(
            "Subset", subsets, key=address.option("subset", subsets, ANY), index=address.index("subset"),
            format_func=lambda name: f"{plain(name)} · {benchmark.subsets[name]:,}" if name else "any",
        )  # fmt: skip
        st.text_input("Part of a caption", key=address.text("text"), placeholder="any")
    found = ids(benchmark)
    show(
        Markup('<p class="fs-count"><b>{:,}</b> of {}</p>').format(
            len(found), count(sum(benchmark.subsets.values()), "item")
        )
    )
    if not found:
        empty("No item is left under these filters", "Take one of them away in the sidebar.")
        return None
    pages = -(-len(found) // PER_PAGE)
    key = f"unscored-page-{hash((benchmark.hash, tuple(found)))}"  # another filter starts at its first page
    first = min(st.session_state.setdefault(f"{key}-first", address.count("page")), pages)
    number = min(int(st.session_state.get(key, first)), pages)
    address.note("page", number, 1)
    opened = gallery.draw(
        cards(benchmark, found[(number - 1) * PER_PAGE : number * PER_PAGE]), "unscored-items", tiles=True
    )
    st.pagination(pages, default=first, key=key)
    return opened


def ids(benchmark: stored.StoredBenchmark) -> list[str]:
    """The items that the two filters leave, in the benchmark's order."""
    return _ids(benchmark.hash, str(st.session_state["subset"] or ANY), str(st.session_state["text"] or ""))


def ids_of(benchmark: stored.StoredBenchmark, _: str) -> list[str]:
    """The same for a dialog, which asks by the benchmark's hash."""
    return ids(benchmark)


@stored.kept()
def _ids(benchmark: str, subset: str, text: str) -> list[str]:
    return listing.item_ids(stored.store(), benchmark, subset, text)


def cards(benchmark: stored.StoredBenchmark, item_ids: list[str]) -> list[Card]:
    """A card for each item: images, captions by their roles with the words that differ, and its labels."""
    details = data.card_items(benchmark.hash, tuple(item_ids))
    found = []
    tags = notes.tags_of(benchmark.hash)
    for item_id in item_ids:
        detail = details[item_id]
        html = view.tile(detail, "", "", [], tags.get(item_id, []))
        found.append(Card(item_id, html, f"item {item_id}"))
    return found
