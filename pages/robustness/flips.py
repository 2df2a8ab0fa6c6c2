"""Robustness: the matrix of edits and models, and what is behind its cells."""

from collections.abc import Sequence

import streamlit as st

from backend.store.robustness.matrix import Cell
from backend.store.robustness.robustness import HEADLINE, RSUM
from backend.taxonomy import title
from pages.robustness import cell as robustness_cell
from pages.robustness import data, item, make_edited, printed, to_copy, view
from pages.robustness.view import MEASURES, Column
from pages.shared.data import stored
from pages.shared.drawing import finding, heatmap, signs
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, section

ALL = "all"
#: Group -> (heading, what a flip means in it).
MEANING = {
    "preserving": (
        "The edit keeps the meaning",
        "a typo, a synonym, a distraction: the verdict should stay, every flip is a fault",
    ),
    "changing": (
        "The edit destroys order or meaning",
        "every caption shuffled or changed: a model that reads must lose, one that keeps its verdicts does not read",
    ),
    "foils": (
        "A caption against its own edit",
        "one caption is true, its edit is false: the share of captions that win, 50 % by guessing",
    ),
}
_OPEN = "_robustness_open"


def draw(benchmark: stored.StoredBenchmark) -> None:
    """The tables, one a group of edits; then the items behind a cell."""
    known = data.pairs(benchmark.hash)
    if known.empty and make_edited.show_example(benchmark):
        known = data.pairs(benchmark.hash)
    if known.empty:
        make_edited.draw(benchmark, first=True)
        return
    metric, subset = _filters(benchmark)
    cells = data.matrix(benchmark.hash, metric, subset)
    columns = view.columns(known)
    measures = ["drop"] if metric == RSUM else list(MEASURES)
    measure = st.segmented_control(
        "Show", measures, key=address.option("measure", measures, "drop"),
        default=address.value("measure"), required=True, format_func=MEASURES.__getitem__,
        help="Change: share right after minus share right before, in points; a loss is negative. Flipped: verdicts "
        "that changed, either way; a change of zero can hide many. All are paired by item.",
    ) or "drop"  # fmt: skip
    chosen = str(st.session_state.get(address.text("cell"), ""))
    shown = view.find(cells, chosen) or view.worst(
        cells, [c.key for c in columns if c.group == "preserving"] or [c.key for c in columns]
    )
    where = (view.metric_name(metric), title(subset) if subset else "all subsets", benchmark.name)
    for group, (heading, note) in MEANING.items():
        listed = [column for column in columns if column.group == group]
        shown = _group(heading, note, group, listed, cells, measure, shown, where) or shown
    if shown is None:
        chart_caption("No item of this subset was edited and judged by this metric. Choose another one in the sidebar.")
        return
    opened = robustness_cell.draw(benchmark, shown, columns, metric, subset)
    if opened is not None:
        st.session_state[_OPEN] = (benchmark, opened)
    printed.draw(benchmark)
    make_edited.draw(benchmark)


def open_chosen() -> None:
    """The dialog of the item that was just opened; called after the address is written."""
    found = st.session_state.pop(_OPEN, None)
    if found is not None:
        item.open_dialog(*found)


def _filters(benchmark: stored.StoredBenchmark) -> tuple[str, str | None]:
    metrics = data.metrics(benchmark.hash)
    with st.sidebar:
        metric = st.selectbox(
            "Metric", metrics, key=address.option("judged", metrics, HEADLINE),
            index=address.index("judged"), format_func=view.metric_name,
            help=view.metric_help(metrics),
        ) or HEADLINE  # fmt: skip
        every = data.verdicts(benchmark.hash, metric, None)
        there = [name for name in benchmark.subsets if name in set(every["subset"])]
        part = (
            st.selectbox(
                "Subset",
                [ALL, *there],
                key=address.option("part", [ALL, *there], ALL),
                index=address.index("part"),
                format_func=title,
            )
            or ALL
        )
    return metric, None if part == ALL else part


def _group(
    heading: str,
    note: str,
    group: str,
    listed: Sequence[Column],
    cells: Sequence[Cell],
    measure: str,
    shown: Cell | None,
    where: tuple[str, str, str],
) -> Cell | None:
    """One table; the cell that was just clicked. where: metric, subset and benchmark in words."""
    keys = {column.key for column in listed}
    mine = [cell for cell in cells if cell.column in keys]
    if not any(view.value_of(cell, measure)[0] is not None for cell in mine):
        return None
    section(heading, note)
    marked = "" if shown is None else view.key_of(shown.model, shown.kind, shown.column)
    spec = view.spec(mine, listed, measure, marked, heading)
    chart = f"robust-{group}-{measure}"
    opened, _ = heatmap.draw(spec, chart)
    chart_caption(_legend(group, measure, mine))
    link = address.named("tab", "benchmark", "judged", "part", "measure")
    said = to_copy.table(mine, listed, measure, where)
    finding.draw(said, chart, chart, f"flipside-{where[-1]}-edits-{group}", link=link)
    if opened is None:
        return None
    found = view.find(mine, view.opened_key(opened))
    if found is not None:
        st.session_state["cell"] = view.key_of(found.model, found.kind, found.column)
    return found


def _legend(group: str, measure: str, cells: Sequence[Cell]) -> str:
    if group == "foils":
        return (
            "Per cent of captions that score above their own false edit; a tie is lost. Green: above guessing, "
            f"vermilion: below. {signs.OPEN}: not to be told from guessing."
        )
    interval = "in brackets the 95 % interval of a paired bootstrap over images, all seeds of an edit together."
    if measure == "drop":
        full = 100 * view.full_scale(cells)
        better = (
            f"Green: better after the edit, vermilion: worse; full colour at {full:.0f} points."
            if group == "preserving"
            else f"Shades of blue, strongest at {full:.0f} points: how much changed, whichever way, for a loss is what "
            "reading does here. Faint: the verdicts hardly depend on what was destroyed."
        )
        return f"Points gained (+) or lost (−), {interval} {signs.OPEN}: not to be told from no change. {better}"
    if group == "preserving" and measure != "flipped":
        colour = "Vermilion" if measure == "lost" else "Green"
        return f"Per cent of verdicts, {interval} {colour}: the more, the stronger."
    return f"Per cent of verdicts, {interval} Shades of blue: the stronger, the more."
