"""For each item the range of α in which it is right: exact intervals with open ends, drawn and written out."""

from collections.abc import Sequence
from math import isinf
from typing import Any

import numpy as np
import streamlit as st
from markupsafe import Markup

from backend.store.alpha import ranges
from backend.store.queries import AlphaCurve
from pages.debias.flips import Opened, walked
from pages.debias.options import Options
from pages.failures import data
from pages.item import card_line
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import gallery
from pages.shared.drawing.gallery import Card
from pages.shared.drawing.numbers import count, fixed
from pages.shared.frame import address, downloads
from pages.shared.frame.header import chart_caption, empty

Pieces = Sequence[tuple[float, float]]
PER_PAGE = 8
WHICH = {"changes": "that change", "always": "always right", "never": "never right", "all": "all"}
ORDERS = {"near": "nearest flip first", "narrow": "narrowest range first", "wide": "widest first", "item": "as stored"}
KEYS = ("ranges", "range_order", "range_page")


def said(pieces: Pieces, digits: int = 3) -> str:
    """A set of α in words: open intervals, joined where there are several.

    >>> said([(-np.inf, 0.5), (0.75, 0.9)]), said([]), said([(-np.inf, np.inf)]), said([(0.2, np.inf)])
    ('(−∞, 0.500) ∪ (0.750, 0.900)', 'at no α', 'at every α', '(0.200, ∞)')
    """
    if not pieces:
        return "at no α"
    if len(pieces) == 1 and isinf(pieces[0][0]) and isinf(pieces[0][1]):
        return "at every α"
    return " ∪ ".join(f"({_end(low, digits)}, {_end(high, digits)})" for low, high in pieces)


def _end(value: float, digits: int) -> str:
    return fixed(value, digits)


def bar(pieces: Pieces, domain: tuple[float, float], alpha: float, since: float) -> Markup:
    """The same as a picture: the domain as a track, the item's range on it, both α. HTML."""
    low, high = domain

    def at(value: float) -> float:
        return round(100 * (min(max(value, low), high) - low) / (high - low), 3)

    spans = Markup().join(
        Markup('<i style="left:{}%;width:{:.3f}%"></i>').format(at(a), max(0.4, at(b) - at(a)))
        for a, b in pieces
        if b > low and a < high
    )
    marks = Markup('<s style="left:{}%"></s><u style="left:{}%"></u>').format(at(since), at(alpha))
    return Markup('<span class="fs-range-bar" aria-hidden="true">{}{}</span>').format(spans, marks)


def row(
    item_id: str, text: str, pieces: Pieces, domain: tuple[float, float], alpha: float, since: float,
    why: Markup | str = "",
) -> Markup:  # fmt: skip
    """One item as HTML: why its verdict is what it is, its id and caption, its range as a bar and in words, its verdict
    at α."""
    right = any(low < alpha < high for low, high in pieces)
    verdict = Markup('<b class="fs-ok">✓ right</b>') if right else Markup('<b class="fs-no">✗ wrong</b>')
    full = " ∪ ".join(f"({low!r}, {high!r})" for low, high in pieces)
    return Markup(
        '<div class="fs-range">{why}<span class="fs-range-id"><b>{item_id}</b> {text}</span>'
        '{bar}<span class="fs-range-said" title="{full}">right {said}</span>'
        "{verdict}</div>"
    ).format(
        why=why,
        item_id=item_id,
        text=text,
        bar=bar(pieces, domain, alpha, since),
        full=full,
        said=said(pieces),
        verdict=verdict,
    )


def place() -> bool:
    """Put the list's keys in place where it is not drawn, so that the address keeps them. Whether a link or the reader
    has chosen any of them."""
    address.option("ranges", list(WHICH), "changes")
    address.option("range_order", list(ORDERS), "near")
    address.number("range_page", 1, 10**6, 1)
    return address.chosen_among(KEYS) > 0


def draw(
    benchmark: stored.StoredBenchmark, options: Options, curve: AlphaCurve, since: float, alpha: float
) -> Opened | None:
    """The list with its filter, order and pages; the item that was opened."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which: Any = st.segmented_control(
            "Show", list(WHICH), key=address.option("ranges", list(WHICH), "changes"),
            default=address.value("ranges"), required=True,
            format_func=WHICH.__getitem__,
            help="The exact set of α in which log P(t | i) − α · log P(t) gets an item right: it may change between "
            "the two ends of the curve, or not.",
        )  # fmt: skip
        order: Any = st.selectbox(
            "Order", list(ORDERS), key=address.option("range_order", list(ORDERS), "near"),
            index=address.index("range_order"), format_func=ORDERS.__getitem__,
            width=230,
            help="Near: by the distance between α and the closest end of an item's range.",
        ) or "near"  # fmt: skip
        found = ranges.ranges(curve, options.domain, which or "changes", order or "near", alpha)
        pages = max(1, -(-len(found) // PER_PAGE))
        page = 1
        if pages > 1:
            page = int(
                st.number_input(
                    "Page",
                    1,
                    pages,
                    key=address.number("range_page", 1, pages, 1),
                    value=address.value("range_page"),
                    width=130,
                )
            )
        st.download_button(
            f"Ranges of {count(len(found), 'item')} as CSV", lambda: downloads.csv(ranges.table(curve, found)),
            f"flipside-{benchmark.name}-alpha-ranges.csv", "text/csv", icon=":material/download:", on_click="ignore",
        )  # fmt: skip
    if not len(found):
        empty("No such item", "Choose other items above: under this setting none is like that.")
        return None
    shown = found.iloc[(page - 1) * PER_PAGE : page * PER_PAGE]
    sets = ranges.pieces(curve, shown["position"].to_numpy(dtype=np.intp))
    texts = ranges.captions(stored.store(), benchmark.hash, list(shown["item_id"]))
    details = data.card_items(benchmark.hash, tuple(map(str, shown["item_id"])))
    cards = []
    for line, pieces in zip(lines_of(shown), sets, strict=True):
        why = card_line.of_model(details[str(line.item_id)], options.model, curve.metric, "gen", note=", α = 0")
        html = row(line.item_id, texts.get(line.item_id, ""), pieces, options.domain, alpha, since, why)
        cards.append(Card(line.item_id, html, f"item {line.item_id}"))
    with st.container(key="fs-range-list"):
        opened = gallery.draw(cards, "range-list", compact=True)
    low, high = options.domain
    chart_caption(
        f"{count(len(found), 'item')}; each bar is α from {low:g} to {high:g}, green where the item is right; the dark "
        "line is α, the dashed one α₁. Intervals are open: at an end the item ties, and ties count as wrong. An end "
        "beyond the bar is written out, ∞ means that there is none."
    )
    return walked([str(i) for i in found["item_id"]], opened) if opened else None
