"""What would have to change, one slim bar a protocol: the chosen model's cells; a click on a part lists its items."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import streamlit as st

from backend import written
from backend.metrics.reasons.names import CELLS, MEANINGS, NAMES, NOTHING_SEEN, of_group
from backend.protocols import Protocol
from backend.store.queries import FailureFilter, FailurePage
from pages.failures import rate
from pages.failures.filters import Filters
from pages.failures.pictures import causes
from pages.shared.data import cell_bars, stored
from pages.shared.data.cell_bars import Bar
from pages.shared.drawing import cells, colours, component
from pages.shared.drawing.numbers import count

_component = component.load(
    "flipside_failures_reasons",
    Path(__file__).with_suffix(".js"),
    html=(
        '<div id="reasons"><div class="head"><b class="title"></b>'
        '<span title="Hatched: luck alone would put as many there">by the scores alone, before luck is ruled out; '
        '<i class="swatch"></i>as many by luck</span><span class="whole"></span></div>'
        '<div class="rows"></div><p class="certified"></p></div>'
    ),
)
#: What stays of a cell's name where its bar has no room for all of it: the words that tell it from its neighbours.
SHORT = {
    "outvoted_by_caption": "by caption", "outvoted_by_image": "by image", "outvoted_by_both": "by both",
    "no_binding": "no binding", "by_bias": "by bias", "no_evidence": "no evidence",
}  # fmt: skip
#: Key of the element, for callbacks and for the picture of a finding.
KEY = "failures-reasons"


def bars_of(benchmark: stored.StoredBenchmark, chosen: Filters) -> list[Bar]:
    """The bars of the subsets that are listed; none where several benchmarks are listed at once."""
    if benchmark.parts:
        return []
    wanted = chosen.wanted
    bars, _ = cell_bars.of_model(benchmark, chosen.model, wanted.setting)
    return [bar for bar in bars if not wanted.subsets or bar.group in wanted.subsets]


def draw(bars: Sequence[Bar], chosen: Filters, found: FailurePage) -> None:
    """The bars, drawn from those of the subsets. found: what is listed."""
    _component(data=view(bars, chosen, found), key=KEY, on_opened_change=_filter)


def view(bars: Sequence[Bar], chosen: Filters, found: FailurePage) -> dict[str, Any]:
    """What the component draws: a row a protocol, its subsets put together, whatever else narrows the list; below them
    what is certified of the list itself, for the numbers of the two differ."""
    rows = [_row(protocol, own) for protocol in CELLS if (own := [bar for bar in bars if bar.protocol == protocol])]
    listed = {each["id"] for row in rows for each in row["parts"]}
    marked = [
        name for name in listed if name.partition("\t")[2] in chosen.wanted.cells and len(chosen.wanted.cells) == 1
    ]
    return {
        "title": cells.TITLE.replace("the model", colours.label(chosen.model)), "rows": rows, "marked": marked,
        "certified": rate.certified(found), "more": rate.certified_more(found),
        "whole": _whole(chosen.wanted, sum(items for bar in bars for items, _ in bar.counts.values())),
    }  # fmt: skip


def _whole(wanted: FailureFilter, n: int) -> str:
    """That the bars hold more than what is listed, where they do: they follow the subset, and mark a cell."""
    follows = {"correct", "subsets", "cells", "reasons", "sort", "limit", "offset"}
    plain = FailureFilter(wanted.run_id, wanted.setting, metrics=wanted.metrics, also=wanted.also)
    narrower = any(
        getattr(wanted, each.name) != getattr(plain, each.name) for each in fields(wanted) if each.name not in follows
    )
    return f"of {'the only item' if n == 1 else f'all {n:,} items'}, whatever else you filter by" if narrower else ""


def _row(protocol: Protocol, bars: Sequence[Bar]) -> dict[str, Any]:
    total = sum(items for bar in bars for items, _ in bar.counts.values())
    parts = []
    for cell in CELLS[protocol]:
        items = sum(bar.counts.get(cell, (0, 0))[0] for bar in bars)
        decoys = sum(bar.counts.get(cell, (0, 0))[1] for bar in bars)
        if not items:
            continue
        luck = 0 if cell in NOTHING_SEEN else min(items, decoys)
        by_luck = "" if cell in NOTHING_SEEN else f" Luck alone would put {decoys:,} there."
        parts.append(
            {"id": f"{protocol}\t{cell}", "name": NAMES[cell], "short": SHORT.get(cell, NAMES[cell]),
             "share": items / total, "luck": luck / items,
             "colour": cells.COLOURS[cell], "text": written.share(items / total),
             "tip": f"{NAMES[cell]} {rate.ALONE}: {items:,} of {total:,} {_plural(protocol)} "
             f"({written.percent(items / total, total)}). {MEANINGS[cell].capitalize()}. To be right: "
             f"{cells.CHANGES[cell]}.{by_luck}{_certified(cell, bars)} A click lists them."}
        )  # fmt: skip
    name = _plural(protocol)
    return {"label": name, "parts": parts, "alt": f"{name}: what would have to change, {count(total, 'item')}"}


def _certified(cell: str, bars: Sequence[Bar]) -> str:
    """Of how many items of a cell the evidence certifies its word; "" where that is not known of all."""
    if any(cell not in bar.certified for bar in bars):
        return ""
    return f" Of {sum(bar.certified[cell] for bar in bars):,} of them the evidence certifies “{of_group(cell)}”."


def _plural(protocol: Protocol) -> str:
    """What several items of a protocol are called.

    >>> _plural(Protocol.QUAD), _plural(Protocol.CHOICE)
    ('quads', 'choices')
    """
    return protocol.info.title.rpartition(" ")[2]


def _filter() -> None:
    """List what was clicked; a second click on the same part gives back what the first one took."""
    found: Any = st.session_state.get(KEY)
    protocol, _, cell = str(found.get("opened") or "" if found else "").partition("\t")
    if cell not in NAMES:
        return
    known = {of.name: of.protocols for of in stored.chosen().values()}
    protocols = known.get(str(st.session_state.get("benchmark")), {})
    groups = [subset for subset, each in protocols.items() if each == protocol]
    shared = sum(cell in CELLS[Protocol(each)] for each in set(protocols.values()) if each in CELLS) > 1
    st.session_state.update(causes.toggled(st.session_state, groups if shared else [], cell, protocol))
