"""Robustness: behind a cell of the matrix. Every edition by itself, and the items whose verdict flipped."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend import written
from backend.metrics.paired import flips
from backend.store.robustness.matrix import Cell
from backend.store.robustness.robustness import RSUM
from backend.taxonomy import title
from backend.written import p_cell
from pages.item import card_line
from pages.robustness import cards as robustness_cards
from pages.robustness import data, view
from pages.robustness.cards import Opened
from pages.robustness.view import Column
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours, finding, gallery, signs
from pages.shared.drawing.gallery import Card
from pages.shared.drawing.numbers import count, fixed
from pages.shared.drawing.table import scrolled
from pages.shared.frame import address, to_failures
from pages.shared.frame.downloads import csv
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head, kind_name, metric_title

SHOWN = 4
LOST, WON = "lost", "won"
FLIPS = {LOST: "right → wrong", WON: "wrong → right"}
FOILS = {LOST: "the edit wins", WON: "the caption wins"}
#: What is to be known of a flip under an edit that keeps the meaning.
OWN_DRAWS = (
    "Every caption of an item is edited by a draw of its own, so a flip can also come of the difference between two "
    "edits, such as two statements of unequal length."
)
MARKS = {LOST: signs.DOWN, WON: signs.UP}


def draw(
    benchmark: stored.StoredBenchmark, cell: Cell, columns: Sequence[Column], metric: str, subset: str | None
) -> Opened | None:
    """The cell in words, its editions, its flipped items; the one that was just opened."""
    column = next(c for c in columns if c.key == cell.column)
    names = colours.labels(benchmark.models)
    section(f"{column.title}: what happened to {names.get(cell.model, cell.model)}", kind_name(cell.kind))
    show(
        Markup('<p class="fs-caption">{} {}.</p>').format(
            colours.dot(cell.model), view.said(cell)[:1].upper() + view.said(cell)[1:]
        )
    )
    frame = data.verdicts(benchmark.hash, metric, subset)
    mine = rows_of(frame, cell)
    rule = data.rules(benchmark.hash).get((cell.model, cell.kind), "")
    where = (
        view.metric_name(metric),
        kind_name(cell.kind),
        rule,
        title(subset) if subset else "all subsets",
        benchmark.name,
    )
    opened = _items(benchmark, mine, cell, column.title)
    if column.group == "preserving":
        chart_caption(OWN_DRAWS)
    finding.draw(
        view.to_copy(cell, column.title, names.get(cell.model, cell.model), where),
        "robustness",
        name=f"flipside-{benchmark.name}-edits",
        link=address.named("tab", "benchmark", "judged", "part", "measure")
        | {"cell": [view.key_of(cell.model, cell.kind, cell.column)]},
    )
    if cell.wins is None and len(cell.editions) > 1:
        with fold("Each edition by itself", "robustness-editions", ":material/table:") as box:
            if box.open:
                show(editions_table(mine, metric, column.group == "preserving"))
                chart_caption("McNemar: exact and two-sided; a dash where items come several times.")
    return opened


def rows_of(frame: pd.DataFrame, cell: Cell) -> pd.DataFrame:
    """The rows of `robustness.verdicts` behind a cell."""
    return frame[(frame["model"] == cell.model) & (frame["kind"] == cell.kind) & (frame["column"] == cell.column)]


def editions_table(mine: pd.DataFrame, metric: str, preserving: bool = True) -> Markup:
    """HTML: one row an edition with its own change and flips. preserving: a loss is a fault, and has its colour."""
    body = Markup()
    for _, part in mine.groupby(["seed", "hash"]):
        if metric == RSUM:
            total = flips.sum_change(part["was"], part["now"], part["metric"], part["cluster"])
            found: tuple[object, ...] = (total.n, total.before, total.after, total.drop, total.ci95, None, None, None)
        else:
            own = flips.change(part["was"], part["now"], part["cluster"])
            found = (own.n, own.before, own.after, own.drop, own.ci95, own.lost.value, own.won.value, own.mcnemar_p)
        body += Markup('<tr><th scope="row">{}</th>{}</tr>').format(
            str(part["edition"].iloc[0]), _cells(preserving, *found)
        )
    heads = ("edition", "n", "before", "after", "change, 95 %", "right → wrong", "wrong → right", "McNemar p")
    top = Markup().join(map(column_head, heads))
    return scrolled("each edition by itself", top, body)


def _cells(preserving: bool, *found: object) -> Markup:
    n, before, after, drop, ci95, lost, won, p = found

    def percent(value: object) -> str:
        return written.percent(value) if isinstance(value, float) else "–"

    within = Markup()
    value, ends = view.changed(drop if isinstance(drop, float) else None, ci95 if isinstance(ci95, tuple) else None)
    if ends is not None:
        within = Markup("<small>{} to {}</small>").format(
            fixed(100 * ends[0], 1, signed=True), fixed(100 * ends[1], 1, signed=True)
        )
    shift = "–" if value is None else fixed(100 * value, 1, signed=True)
    sure = ends is not None and not ends[0] <= 0 <= ends[1]
    look = signs.css_class(value or 0.0, sure) if preserving else ""
    changed = Markup('<b class="{}">{}</b>').format(look, shift)
    shown = p_cell(p if isinstance(p, float) else None)
    cells = (f"{n:,}", percent(before), percent(after), changed + within, percent(lost), percent(won), shown)
    return Markup().join(Markup("<td>{}</td>").format(text) for text in cells)


def flipped(mine: pd.DataFrame, flip: str) -> pd.DataFrame:
    """Rows of `robustness.verdicts` that flipped this way, the largest move of the margin first. Where captions stand
    against their edits: those that lost (or won), the widest margin first."""
    if mine["was"].isna().all():
        found = mine[mine["now"] == (0.0 if flip == LOST else 1.0)]
        moved = found["now_margin"].abs()
    else:
        was, now = (1.0, 0.0) if flip == LOST else (0.0, 1.0)
        found = mine[(mine["was"] == was) & (mine["now"] == now)]
        moved = (found["now_margin"] - found["was_margin"]).abs()
    return found.loc[moved.sort_values(ascending=False, kind="stable").index]


def _items(benchmark: stored.StoredBenchmark, mine: pd.DataFrame, cell: Cell, edit: str) -> Opened | None:
    labels = FLIPS if cell.wins is None else FOILS
    each = {flip: flipped(mine, flip) for flip in labels}
    counts = {flip: len(rows) for flip, rows in each.items()}
    first = LOST if counts[LOST] or not counts[WON] else WON
    with st.container(horizontal=True, vertical_alignment="center", key="robustness-flips"):
        flip = st.segmented_control(
            "Flips", list(labels), key=address.anew(address.option("flip", list(labels), first)),
            default=address.value("flip"), required=True, label_visibility="collapsed",
            format_func=lambda f: f"{MARKS[f]} {labels[f]} · {counts[f]:,}",
            help="A flip is a verdict that differs between the original and the edited captions of the same item, "
            "same model, same metric.",
        ) or first  # fmt: skip
        found = each[flip]
        ids = list(dict.fromkeys(str(i) for i in found["item_id"]))
        said = f"{labels[flip]} under {edit}, {colours.label(cell.model)}; listed as they were before it"
        label = f"Open {'this item' if len(ids) == 1 else f'these {len(ids):,} items'} in Failures"
        if ids and st.button(label, type="primary", icon=":material/arrow_forward:", key="flips-to-failures"):
            to_failures.go(benchmark, ids, said, model=cell.model, kind=cell.kind)
    if found.empty:
        chart_caption(f"No verdict changed {labels[flip]} here.")
        return None
    pages = -(-len(found) // SHOWN)
    turner = f"robust-page-{flip}-{view.key_of(cell.model, cell.kind, cell.column)}"
    at = min(max(1, int(st.session_state.get(turner) or address.count("page"))), pages)
    address.note("page", at, 1)
    part = found.iloc[(at - 1) * SHOWN : at * SHOWN]
    cards = []
    lines = list(lines_of(part))
    for line, (detail, original) in zip(lines, robustness_cards.details(lines, benchmark), strict=True):
        html = robustness_cards.card(line, detail, original, benchmark)
        cards.append(Card(robustness_cards.key(line), html, f"item {line.item_id}, edited"))
    opened = gallery.draw(cards, f"flipped-{flip}", compact=True)
    if pages > 1:
        st.pagination(pages, default=at, key=turner)
    st.download_button(
        "CSV", lambda: csv(found), f"flipside-{benchmark.name}-{cell.column}-{flip}.csv", "text/csv",
        on_click="ignore", icon=":material/download:", key="flips-csv",
    )  # fmt: skip
    judged = ", ".join(metric_title(metric) for metric in dict.fromkeys(found["metric"]))
    chart_caption(
        f"{count(len(found), 'verdict')} of {count(len(ids), 'item')}, the largest move first. Open a card to see the "
        f"item and its edit side by side. Judged by: {judged}."
    )
    of = {(benchmark.protocols[name], cell.kind) for name in set(part["subset"]) & set(benchmark.protocols)}
    if lacking := card_line.none_exists(sorted(of)):
        chart_caption(lacking)
    if not opened:
        return None
    rows = {robustness_cards.key(line): line for line in lines_of(part)}
    return robustness_cards.opened(rows, opened)
