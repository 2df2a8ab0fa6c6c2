"""The plane of margins: every verdict at its margins under A and B, and what a lasso picks there."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from backend.errors import FlipsideError
from backend.store.failures import selections
from backend.store.queries import Shared, Side
from pages.compare import answer, data, scatter, to_copy
from pages.compare import gallery as compare_gallery
from pages.compare.sides import Comparison
from pages.shared.data import findings, handing_on, picked_set, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import component, finding, gallery, signs
from pages.shared.drawing.numbers import count
from pages.shared.drawing.plane import canvas, spec
from pages.shared.frame import address, to_failures
from pages.shared.frame.header import chart_caption, trouble

SHOWN = 6
#: Height of the plane, pixels.
HIGH = 500
#: In which plane somebody has drawn just now, and where what is picked was picked.
_FROM, _IN = "_compare_from", "_compare_picked_in"


def draw(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared) -> tuple[str | None, list[str]]:
    """The plane of margins and what a lasso picks; (the opened item, the ids to walk along)."""
    dark = st.context.theme.type == "dark"
    a, b = chosen.named[:2]
    whole = data.verdicts(chosen.sides, chosen.metric, ()) if chosen.subsets else found
    ends = scatter.ends_of(whole)
    chart = f"plane-{a.key}-{b.key}-{chosen.metric}"
    ids, kept = _picked(benchmark, chosen, found, chart, ends)
    drawn = _kept(tuple(chosen.sides), chosen.metric, tuple(chosen.subsets), dark, ends, found, chosen)
    alt = f"Margins of {a.label} across and of {b.label} upwards, a point a verdict"
    # By a link, after a reload or in another plane the lasso is not here: what it picked is marked point by point.
    elsewhere = ids if st.session_state.get(_IN) != chart else []
    clicked = canvas.draw(spec.ringed(drawn, elsewhere), chart, alt, _noted(chart), held=_is_held(chart))
    n = int(scatter.drawn(found.frame["item_id"].to_numpy()).sum())
    chart_caption(
        "Click a point for its item. Right of the vertical line A is right, above the horizontal line B is; the "
        "further from a line, the clearer. "
        f"Points beyond the frame stand on its border. Grey: both alike; {signs.UP} green: what B gains, {signs.DOWN} "
        "vermilion: what it loses."
        + (
            f" {n:,} of {count(len(found), 'verdict')} are drawn, those of items chosen at random, always the same; "
            "all are counted, and a lasso takes all inside it."
            if n < len(found)
            else ""
        )
    )
    row = lines_of(data.overall(chosen.sides, chosen.metric, chosen.subsets, chosen.weights))[0]
    tests = len(data.matrix(chosen.sides, chosen.metric, chosen.subsets, chosen.weights))
    kinds = findings.kinds(a.side.setting.said(), b.side.setting.said())
    said = to_copy.margins(
        found, (a, b), row, (kinds, *answer.setting(chosen, benchmark, found)), tests, chosen.weights
    )
    pictured, note = handing_on.picture(component.known_by(chart), [a.side.run_id, b.side.run_id])
    name = f"flipside-{benchmark.name}-compare-margins"
    finding.draw(said, "margins", pictured, name, note=note, link=address.named(*answer.keys(chosen)))
    if clicked:
        return clicked, ids if clicked in ids else [clicked]
    if not ids or kept is None:
        return None, []
    gone = len(kept.item_ids) - len(ids)
    others = f" of {count(len(kept.item_ids), 'picked item')}; the others are not compared here" if gone else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{len(ids):,} selected**{others}")
        st.button("Let go", icon=":material/close:", key="compare-let-go", on_click=_let_go, type="tertiary",
                  help="Take the lasso off the plane; a double click on it does the same.")  # fmt: skip
    keep = compare_gallery.picked(found, ids)
    order = compare_gallery.by_distance(found, keep)[:SHOWN]
    opened = gallery.draw(compare_gallery.cards(benchmark, chosen, found, order.tolist()), "plane-cards", compact=True)
    if len(order) < len(ids):
        chart_caption(f"Above: {len(order)} of the {len(ids):,}, whose margins are furthest apart.")
    # Where they were picked, which after another choice of A or B is another plane than this one.
    to_failures.button(benchmark, ids, kept.title, "plane-go", **compare_gallery.judged_at(benchmark, b))
    return opened, ids


@stored.kept()
def _kept(
    sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], dark: bool, ends: scatter.Ends,
    _found: Shared, _chosen: Comparison,
) -> dict[str, Any]:  # fmt: skip
    """What the browser draws; the last two follow from what stands before them."""
    del sides, metric, subsets
    return spec.data(scatter.plane(_found, _chosen.named, dark, ends), dark, HIGH)


def _picked(
    benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared, chart: str, ends: scatter.Ends
) -> tuple[list[str], selections.PickedSet | None]:  # fmt: skip
    """The items that are picked, as far as they are compared, and all that was kept of them. What was drawn just now is
    kept under a short name in the address, so that a link and Back find it again."""
    state = st.session_state
    try:
        if state.pop(_FROM, None) == chart:
            ids = scatter.selected(found, canvas.selection(chart), ends)
            state["picked"] = selections.keep(benchmark.hash, ids, _titled(chosen)).key if ids else ""
            state[_IN] = chart
        key = str(state["picked"])
        kept = selections.find(key) if key else None
    except FlipsideError as error:
        trouble(str(error))
        return [], None
    if kept is None or kept.benchmark != benchmark.hash:
        if key:
            state["picked"] = ""
            address.unused(picked_set.gone(key, kept is not None, benchmark.name))
        state.pop(_IN, None)
        return [], None
    there = set(compare_gallery.ids_of(found, compare_gallery.picked(found, kept.item_ids)))
    return [i for i in kept.item_ids if i in there], kept


def _titled(chosen: Comparison) -> str:
    """Where the picked items are from."""
    a, b = chosen.named[:2]
    return f"Compare: picked among the margins of {a.label} and {b.label}"


def _noted(chart: str) -> Callable[[], None]:
    """Note in which plane somebody has drawn."""

    def noted() -> None:
        st.session_state[_FROM] = chart

    return noted


def _is_held(chart: str) -> bool:
    """Whether what is picked now was picked in this plane."""
    return bool(st.session_state["picked"]) and st.session_state.get(_IN) in (None, chart)


def _let_go() -> None:
    st.session_state["picked"] = ""
