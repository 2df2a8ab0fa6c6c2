"""The nearest neighbours of an item: does the model fail on one scene, or on all that are like it?"""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from backend.store.items import neighbours
from backend.store.items.neighbours import Source
from pages.failures import data
from pages.failures.listing import CHIPS
from pages.item import view, why
from pages.shared.data import stored
from pages.shared.drawing import colours, gallery
from pages.shared.drawing.gallery import Card
from pages.shared.drawing.numbers import score
from pages.shared.frame.header import chart_caption, empty

CLOSEST = 6
SAID = {
    "image": "Cosine of the image embeddings that {} stored for this run.",
    "text": "Cosine of the caption embeddings that {} stored for this run; an item counts by its closest caption.",
    "words": "Cosine of TF-IDF vectors over the words and word pairs of each item's first true caption: how much "
    "wording two items share, whatever any model makes of it.",
}  # fmt: skip


def draw(benchmark: stored.StoredBenchmark, item_id: str, models: Sequence[str], go: Callable[[str], None]) -> None:
    """An expander that looks for neighbours when it is opened. go: shows another item."""
    with st.expander("Nearest neighbours", icon=":material/hub:", key="neighbours", on_change="rerun") as box:
        if not box.open:
            return
        ways = {way.name: way for way in _sources(benchmark.hash, item_id)}
        if not ways:
            empty(
                "Nothing to compare by",
                "This benchmark is too large to be compared by words, and no run has embeddings.",
            )
            return
        name = st.selectbox(
            "Alike by",
            list(ways),
            key="neighbours-by",
            format_func=lambda n: _title(ways[n]),
            help="Cosine of stored embeddings, or of TF-IDF vectors over words and word pairs of the first true "
            "caption.",
        )
        way = ways[name or next(iter(ways))]
        found = _neighbours(benchmark.hash, item_id, way.name)
        if found.empty:
            empty("No other item shares a word with it", "Choose another way to compare, where there is one.")
            return
        opened = gallery.draw(_cards(benchmark, found, models), f"neighbours-{item_id}", compact=True)
        chart_caption(SAID[way.modality].format(colours.label(way.model) if way.model else ""))
        if opened:
            go(opened)


def _title(way: Source) -> str:
    what = {"image": "image embeddings of", "text": "caption embeddings of", "words": "words of the caption (TF-IDF)"}
    return f"{what[way.modality]} {colours.label(way.model)}" if way.model else what[way.modality]


def _cards(benchmark: stored.StoredBenchmark, found: pd.DataFrame, models: Sequence[str]) -> list[Card]:
    details = data.card_items(benchmark.hash, tuple(map(str, found["item_id"])))
    lead = why.chosen()
    models = sorted(models, key=lambda model: model != lead.get("model"))[:CHIPS]
    cards = []
    for item_id, similarity in zip(map(str, found["item_id"]), found["similarity"], strict=True):
        detail = details[item_id]
        metric = next(iter(view.headlines(detail)), "")
        heading = f"{score(float(similarity))} · {item_id} · {view.about(detail)}"
        kind = lead.get("kind") or (str(detail.outcomes["kind"].iloc[0]) if len(detail.outcomes) else "itc")
        cards.append(Card(item_id, view.card(detail, metric, kind, models, heading=heading, width=64), item_id))
    return cards


@stored.kept()
def _sources(benchmark: str, item_id: str) -> list[Source]:
    return neighbours.sources(stored.store(), benchmark, item_id)


@stored.kept("Comparing …")
def _neighbours(benchmark: str, item_id: str, source: str) -> pd.DataFrame:
    return neighbours.neighbours(stored.store(), benchmark, item_id, source, CLOSEST)
