"""Wins and losses: the items on which A and B differ, as cards, and the way from them to Failures."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from markupsafe import Markup
from numpy.typing import NDArray

from backend.metrics.core.registry import known
from backend.store.compare.compare import groups
from backend.store.queries import Shared
from backend.store.rates import asking_orders
from backend.taxonomy import title
from pages.compare.sides import Comparison, Named
from pages.failures import data
from pages.item import card_line, view
from pages.shared.data import stored
from pages.shared.drawing import gallery, signs
from pages.shared.drawing.cards import item_card
from pages.shared.drawing.gallery import Card
from pages.shared.drawing.numbers import count, listing
from pages.shared.drawing.verdicts import chip
from pages.shared.frame import address, alpha, to_failures
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.tips import margin_unit, metric_title

SHOWN = 8
#: Key in the address -> (A is right, B is right).
WHICH = {"won": (False, True), "lost": (True, False), "both": (False, False)}
WORDS = {"won": f"{signs.UP} B ✓ · A ✗", "lost": f"{signs.DOWN} A ✓ · B ✗", "both": "both ✗"}
ANY = "any"


def rows_of(found: Shared, which: str) -> NDArray[np.bool_]:
    """Which verdicts are of one of `WHICH`."""
    a, b = WHICH[which]
    mask: NDArray[np.bool_] = (found.correct[:, 0] == a) & (found.correct[:, 1] == b)
    return mask


def ids_of(found: Shared, rows: NDArray[np.bool_] | NDArray[np.intp]) -> list[str]:
    """The item ids of some verdicts (a mask, or positions), each once, in their order."""
    at = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    return [str(i) for i in dict.fromkeys(found.frame["item_id"].array.take(at).tolist())]


def count_of(found: Shared, rows: NDArray[np.bool_]) -> int:
    """How many items some verdicts are of."""
    numbers = found.frame["item_no"].to_numpy()[rows]
    return int(np.count_nonzero(np.bincount(numbers))) if len(numbers) else 0


def has_margins(entry: Named) -> bool:
    """Whether a side has margins that say more than its verdicts (see `asking_orders.has_margins`)."""
    return asking_orders.has_margins(stored.store(), entry.side.run_id, entry.side.setting.kind)


def by_distance(found: Shared, keep: NDArray[np.bool_], named: Sequence[Named] = ()) -> NDArray[np.intp]:
    """Positions of the kept verdicts, those where A and B are furthest apart first: by the difference of their
    margins, each divided by its side's standard deviation, because two kinds have two units. named: the sides, where
    some may lack margins: such a side stands at 0, so that the other one's alone decide; without any the order stays.
    """
    margin = found.margin.copy()
    margin[:, [k for k, entry in enumerate(named) if not has_margins(entry)]] = 0.0
    spread = np.nanstd(np.where(np.isfinite(margin), margin, np.nan), axis=0) if len(found) else np.ones(1)
    scaled = margin / np.where(spread > 0, spread, 1.0)
    at = np.flatnonzero(keep)
    distance = np.abs(scaled[at, 1] - scaled[at, 0])
    found_order: NDArray[np.intp] = at[np.argsort(-np.nan_to_num(distance), kind="stable")]
    return found_order


def no_margins(chosen: Comparison) -> str:
    """Which of A and B have verdicts without margins, as the end of a sentence; "" where both have margins."""
    lacking = [entry.label for entry in chosen.named[:2] if not has_margins(entry)]
    return f"{listing(lacking)} {'has' if len(lacking) == 1 else 'have'} verdicts without margins" if lacking else ""


def sorted_by(chosen: Comparison) -> str:
    """How `by_distance` sorts, in a sentence."""
    none = no_margins(chosen)
    if not none:
        return "Sorted by how far apart the two margins are, each in standard deviations of its own side."
    alone = next((entry.label for entry in chosen.named[:2] if has_margins(entry)), "")
    return f"Sorted by how far {alone}'s margin is from 0: {none}." if alone else f"In the benchmark's order: {none}."


def keys(parting: Sequence[str]) -> list[str]:
    """Put the two choices of the gallery in place; returns the second's. parting: see `data.parting`."""
    address.option("which", list(WHICH), "won")
    names = [ANY, *parting]
    address.option("group", names, ANY)
    return names


def draw(
    benchmark: stored.StoredBenchmark,
    chosen: Comparison,
    found: Shared,
    by: str,
    names: Sequence[str],
    words: Mapping[str, str] = WORDS,
) -> tuple[str | None, list[str]]:
    """The gallery with its two choices; (the opened item, the ids to walk along)."""
    inside = dict(groups(found.frame, by))
    counts = {which: int(rows_of(found, which).sum()) for which in WHICH}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which = st.segmented_control(
            "Show", list(WHICH), key=address.anew("which"),
            default=address.value("which"), required=True, format_func=lambda w: f"{words[w]} · {counts[w]:,}"
        ) or "won"  # fmt: skip
        keep = rows_of(found, which)
        left = {name: int((keep & rows).sum()) for name, rows in inside.items()} | {ANY: int(keep.sum())}
        group = st.selectbox(
            "Where", list(names), key=address.anew("group"), index=address.index("group"), width=260,
            format_func=lambda g: f"{'anywhere' if g == ANY else title(g)} · {left.get(g, 0):,}",
        ) or ANY  # fmt: skip
        keep = keep & inside[group] if group in inside else keep
        order = by_distance(found, keep, chosen.named)
        ids = ids_of(found, order)
        _to_failures(benchmark, chosen, found, which, by, group, ids)
    if not ids:
        empty("No such item", "Choose another group under “Where”, or another outcome under “Show”.")
        return None, []
    opened = gallery.draw(cards(benchmark, chosen, found, order[:SHOWN].tolist()), "compare-cards", compact=True)
    rest = len(order) - SHOWN
    chart_caption(
        sorted_by(chosen)
        + (
            f" … and {count(rest, 'more verdict')}; open one and walk on with →, or see all in Failures."
            if rest > 0
            else ""
        )
    )
    if lacking := _none_exists(chosen, found, order[:SHOWN]):
        chart_caption(lacking)
    return opened, ids


def cards(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared, order: Sequence[int]) -> list[Card]:
    """A card for each verdict, with a chip for every side."""
    made = []
    ids = dict.fromkeys(map(str, found.frame["item_id"].iloc[list(order)]))
    details = data.card_items(benchmark.hash, tuple(ids))
    for k in order:
        row: Any = found.frame.iloc[k]
        detail = details[row["item_id"]]
        asked = f" · caption {row['query'] + 1} of the pool" if row["query"] >= 0 else ""
        html = item_card(
            *view.shown(detail),
            [_chip(entry, bool(found.correct[k, s]), float(found.margin[k, s]))
             for s, entry in enumerate(chosen.named)],
            why=Markup().join(
                card_line.of_setting(
                    detail, entry.side.run_id, str(row["metric"]), entry.side.setting, entry.dot, entry.label
                )
                for entry in chosen.named[:2]
            ),
            heading=f"{row['item_id']} · {view.about(detail)} · {metric_title(row['metric']).lower()}{asked}",
            width=66,
        )  # fmt: skip
        made.append(Card(str(row["item_id"]), html, f"item {row['item_id']}"))
    return made


def _none_exists(chosen: Comparison, found: Shared, order: NDArray[np.intp]) -> str:
    """Which of the cards can have no reason, in one sentence; "" where all can."""
    declared = [known(str(metric)) for metric in found.frame["metric"].iloc[order].unique()]
    protocols = {str(metric.protocol) for metric in declared if metric}
    kinds = {entry.side.setting.kind for entry in chosen.named[:2]}
    return card_line.none_exists(sorted((of, kind) for of in protocols for kind in kinds))


def _chip(entry: Named, correct: bool, margin: float) -> Markup:
    shown = margin if np.isfinite(margin) and has_margins(entry) else None
    unit = f", in {margin_unit(entry.side.setting.kind, entry.model)}" if shown is not None else ""
    tip = f"{entry.label}: {'right' if correct else 'wrong'}{unit}"
    return chip(entry.label, correct, shown, dot=entry.dot, title=tip)


def as_filter(
    benchmark: stored.StoredBenchmark, chosen: Comparison, elsewhere: Sequence[str], which: str, by: str, group: str
) -> Mapping[str, str | list[str]] | None:
    """The address of Failures that lists the same verdicts by its own filters; None where it cannot say it: it judges
    as scored or by the α that is taken along, two different models, and the other one by the same kind where it has
    that."""
    a, b = chosen.named[0], chosen.named[1]
    kind = b.side.setting.kind
    known = benchmark.kinds[a.model]
    same = a.side.setting == alpha.setting(benchmark, a.model, kind if kind in known else known[0])
    usual = b.side.setting == alpha.setting(benchmark, b.model, kind) and "verdict" not in (kind, a.side.setting.kind)
    if a.model == b.model or not (same and usual) or elsewhere or which == "both":
        return None
    a_right, b_right = WHICH[which]
    said: dict[str, str | list[str]] = {
        "benchmark": benchmark.name, "model": b.model, "kind": kind, "show": "right" if b_right else "wrong",
        "other": a.model, "other_is": "right" if a_right else "wrong",
    }  # fmt: skip
    if chosen.metric:
        said["metric"] = chosen.metric
    if chosen.subsets:
        said["subset"] = list(chosen.subsets)
    if group != ANY:
        if by == "subset" and chosen.subsets:
            said["subset"] = [group]
        said[by] = [group]
    return said


def judged_at(benchmark: stored.StoredBenchmark, entry: Named) -> dict[str, str]:
    """The address of Failures that judges a side as it is judged here: its α where it is not the one taken along."""
    of = entry.side.setting
    said = {"model": entry.model, "kind": of.kind}
    if of == alpha.setting(benchmark, entry.model, of.kind):
        return said
    return said | {"alpha": repr(of.alpha), **({"prior": of.prior or "", "norm": of.norm} if of.alpha else {})}


def _to_failures(
    benchmark: stored.StoredBenchmark,
    chosen: Comparison,
    found: Shared,
    which: str,
    by: str,
    group: str,
    ids: Sequence[str],
) -> None:
    """The button to Failures: by its filters where these can say it, else as a picked set."""
    if not ids:
        return
    filters = as_filter(benchmark, chosen, found.elsewhere, which, by, group)
    if filters is None:
        b = chosen.named[1]
        said = titled(chosen, which, group)
        to_failures.button(benchmark, ids, said, "compare-go", **judged_at(benchmark, b))
    elif st.button("Open in Failures", icon=":material/arrow_forward:", key="compare-go"):
        address.go("pages/failures/page.py", dict(filters))


def titled(chosen: Comparison, which: str, group: str) -> str:
    """What a set of items is called in Failures. which: of `WHICH`; group: one of them, or ANY."""
    a, b = chosen.named[0], chosen.named[1]
    words = {"won": f"{b.label} right, {a.label} wrong", "lost": f"{a.label} right, {b.label} wrong"}
    return words.get(which, f"{a.label} and {b.label} both wrong") + ("" if group == ANY else f", {group}")


def picked(found: Shared, ids: Sequence[str]) -> NDArray[np.bool_]:
    """Which verdicts are of these items."""
    return np.asarray(pd.Series(found.frame["item_id"]).isin(list(ids)), dtype=np.bool_)
