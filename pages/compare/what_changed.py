"""What changed reason: the flow of the same verdicts from A's reasons to B's; a click on a band lists its items."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from backend.finding import Finding
from backend.protocols import Protocol
from backend.store.compare import flow as stored_flow
from backend.store.compare.compare import SUBSETS
from backend.store.queries import Shared, Side
from backend.store.reasons import not_measured
from pages.compare import answer, data
from pages.compare import gallery as compare_gallery
from pages.compare.sides import PARTS, Comparison
from pages.item import full
from pages.shared.data import handing_on, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import finding, gallery, signs
from pages.shared.drawing.flow import view as flow
from pages.shared.drawing.flow.view import Flow, Way
from pages.shared.drawing.numbers import count, listing
from pages.shared.frame import address, to_failures
from pages.shared.frame.header import chart_caption

FLOW = "compare-flow"
ANY = "any"
SHOWN = 4
#: Of a way through the flow.
WAYS = {
    "fixed": Way("gained by B", signs.UP, signs.GAIN),
    "broke": Way("lost by B", signs.DOWN, signs.LOSS),
    "kept": Way("right under both", "", signs.QUIET),
    "both": Way("wrong under both", "", signs.QUIET),
}


def families(found: Shared) -> list[str]:
    """The protocols whose verdicts can flow, those with reasons first."""
    return [str(of) for of in stored_flow.families(found)]


def keys(chosen: Comparison, found: Shared) -> None:
    """Put the choices in place: which protocol is drawn, and which band is open."""
    known = families(found)
    address.option("protocol", known, known[0])
    links, _ = _flow(chosen)
    ways = [flow.identity(str(link.a), str(link.b), str(link.which)) for link in lines_of(links)]
    address.option("link", [ANY, *ways], ANY)


def choose(found: Shared) -> None:
    """The choice of protocol, where there is one."""
    known = families(found)
    if len(known) > 1:
        st.segmented_control(
            "Items", known, key="protocol", required=True, default=address.value("protocol"),
            format_func=lambda of: Protocol(of).info.title, label_visibility="collapsed",
            help="Each kind of item has verdicts and reasons of its own, so they are never drawn in one picture.",
        )  # fmt: skip


def title(chosen: Comparison) -> str:
    """The section's heading: of reasons only where both sides have some."""
    return "What changed reason" if _flow(chosen)[1]["measured"] else "What changed"


def draw(benchmark: stored.StoredBenchmark, chosen: Comparison) -> Callable[[], None]:
    """The flow, and the items of the band that is open; what opens an item, to be called last."""
    protocol = _protocol()
    link = str(st.session_state["link"])
    table, spec = _flow(chosen)
    flow.draw(spec | {"marked": link}, FLOW, _clicked)
    why = flow.why_pale(str(st.session_state["parts"])) if spec["measured"] else _why_no_reasons(chosen, protocol)
    counted = "Bands count verdicts, whatever weighs the same. " if chosen.weights == SUBSETS else ""
    two = answer.by_two(chosen, 1)
    ruled = f"Verdicts are {two}, so their numbers are nobody’s gain. " if two else ""
    chart_caption(f"{why} {counted}{ruled}A click on a band lists its items.".strip())
    _to_copy(benchmark, chosen, table, spec, protocol)
    if link == ANY:
        return lambda: None
    each = _ends(chosen, protocol, str(st.session_state["parts"]))
    return _items(benchmark, chosen, protocol, np.asarray(flow.identities(each), dtype=object) == link, link)


def _flow(chosen: Comparison) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Those of the protocol that is shown."""
    return flow_of(chosen, _protocol(), str(st.session_state["parts"]))


def flow_of(chosen: Comparison, protocol: str, by: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The ways (`flow.links`) of a protocol, and what the component draws of them, with none open. by: of `flow.BY`."""
    return _kept_flow(chosen.sides, chosen.metric, tuple(chosen.subsets), Protocol(protocol), by, chosen)


@stored.kept()
def _kept_flow(
    sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], protocol: Protocol, by: str,
    _chosen: Comparison,
) -> tuple[pd.DataFrame, dict[str, Any]]:  # fmt: skip
    """The same. The last argument holds the others, and how their sides are called."""
    a, b = _chosen.named[:2]
    drawn = Flow(
        protocol, by, (a.model, b.model), (f"A · {a.label}", f"B · {b.label}"), (0, 1), WAYS, "the same verdict"
    )
    each = _ends(_chosen, protocol, by)
    table = stored_flow.links(each, protocol)
    alt = f"Flow of {count(len(each), 'verdict')} from {a.label} to {b.label}. {flow.told(table, WAYS, by)}"
    return table, flow.view(each, table, data.words(sides, metric, subsets, protocol), drawn, ANY, alt)


def _protocol() -> Protocol:
    return Protocol(str(st.session_state["protocol"]))


def _ends(chosen: Comparison, protocol: Protocol, by: str) -> pd.DataFrame:
    """Of each verdict of a protocol, what it is under A and under B (`flow.ends`)."""
    found = data.family(chosen.sides, chosen.metric, chosen.subsets, protocol)
    return stored_flow.ends(found, data.words(chosen.sides, chosen.metric, chosen.subsets, protocol), (0, 1), by)


def _clicked() -> None:
    """A band opens its items; the one that is open closes."""
    state, said = st.session_state, flow.opened(FLOW)
    if said:
        state["link"] = ANY if state.get("link") == said else said


def _items(
    benchmark: stored.StoredBenchmark, chosen: Comparison, protocol: Protocol, keep: NDArray[np.bool_], link: str
) -> Callable[[], None]:
    """The items of one band, those furthest apart first, and the way to all of them."""
    found = data.family(chosen.sides, chosen.metric, chosen.subsets, protocol)
    order = compare_gallery.by_distance(found, keep, chosen.named)
    ids = compare_gallery.ids_of(found, order)
    if not ids:
        return lambda: None
    a, b = chosen.named[:2]
    ends, _, which = link.partition(":")
    came, _, went = ends.partition(">")
    by = str(st.session_state["parts"])
    said = f"{flow.name_of(came, by)} → {flow.name_of(went, by)}"
    with st.container(horizontal=True, vertical_alignment="center", key="compare-band"):
        st.markdown(f"**{said}**, {WAYS[which].name} · {len(ids):,}")
        to_failures.button(
            benchmark, ids, f"{a.label} → {b.label}: {said}", "band-go", **compare_gallery.judged_at(benchmark, b)
        )
    made = compare_gallery.cards(benchmark, chosen, found, order[:SHOWN].tolist())
    opened = gallery.draw(made, "band-cards", compact=True)
    return lambda: full.open_dialog(benchmark, ids, opened, b.model, b.side.setting.kind) if opened else None


def _why_no_reasons(chosen: Comparison, protocol: Protocol) -> str:
    """Which of the two has no reasons, and why."""
    words = data.words(chosen.sides, chosen.metric, chosen.subsets, protocol)
    told: dict[str, list[str]] = {}
    for k, entry in enumerate(chosen.named[:2]):
        if not stored_flow.measured(words, k):
            side = entry.side
            why = not_measured.of_run(stored.store(), side.run_id, side.setting.kind).get(str(protocol))
            told.setdefault(why.said if why else "some of its items have none", []).append(entry.label)
    said = "; ".join(f"{listing(names)}, {why}" for why, names in told.items())
    return f"No reasons, because they are not measured for both: {said}."


def sentence(
    table: pd.DataFrame, labels: tuple[str, str], total: int, setting: tuple[str, ...], by: str
) -> str:  # fmt: skip
    """The largest way on which the verdict changed, as it is copied; "" where none did. table: of `flow.links`; by: of
    `flow.BY`."""
    moved = table[table["which"].isin(["fixed", "broke"])]
    if moved.empty:
        return ""
    link = lines_of(moved.sort_values("n", ascending=False, kind="stable").head(1))[0]
    gained, lost = (int(moved.loc[moved["which"] == which, "n"].sum()) for which in ("fixed", "broke"))
    sure = f", {int(link.certified):,} of them with a certified reason under both" if int(link.certified) else ""
    claim = (
        f"From {labels[0]} to {labels[1]} {count(gained, 'verdict')} {'is' if gained == 1 else 'are'} gained and "
        f"{lost:,} lost; the largest part goes from "
        f"“{flow.name_of(str(link.a), by)}” to “{flow.name_of(str(link.b), by)}”: {int(link.n):,}{sure}"
    )
    return Finding(claim, total, setting, counted="verdicts").said


def _to_copy(
    benchmark: stored.StoredBenchmark, chosen: Comparison, table: pd.DataFrame, spec: dict[str, Any], protocol: Protocol
) -> None:
    a, b = chosen.named[:2]
    where = ", ".join(chosen.subsets)
    by, kinds = str(st.session_state["parts"]), (a.side.setting.said(), b.side.setting.said())
    judged = answer.judged_by(chosen, data.family(chosen.sides, chosen.metric, chosen.subsets, protocol))
    parts = PARTS[by] if spec["measured"] else "verdicts alone, no reasons"
    two = answer.by_two(chosen, 1)
    setting = (parts, protocol.info.title, judged, two, answer.strict(chosen), where, *kinds, "no test", benchmark.name)
    said = sentence(table, (a.label, b.label), int(spec["total"]), tuple(dict.fromkeys(setting)), by)
    chart, note = handing_on.picture(FLOW, [entry.side.run_id for entry in (a, b)])
    finding.draw(
        said, "flow", chart, f"flipside-{benchmark.name}-compare-reasons", note=note,
        link=address.named(*answer.keys(chosen, "protocol", "parts")),
    )  # fmt: skip
