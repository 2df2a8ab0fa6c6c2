"""Robustness: the heat map of all edits and models, and what is behind its cells."""

from collections.abc import Sequence

import streamlit as st

from backend.store.robustness.matrix import Cell
from backend.store.robustness.robustness import HEADLINE, RSUM
from backend.taxonomy import title
from pages.robustness import cell as robustness_cell
from pages.robustness import data, heat, item, make_edited, printed, to_copy, view
from pages.robustness.view import MEASURES
from pages.shared.data import asked_orders, stored
from pages.shared.drawing import colours, finding, heatmap, signs
from pages.shared.frame import address
from pages.shared.frame.fold import fold, more
from pages.shared.frame.header import chart_caption, seen

ALL = "all"
_OPEN = "_robustness_open"
#: The heat map's key, one for all measures: what another measure shows is drawn into the table that stands.
CHART = "robust-heat"


def draw(benchmark: stored.StoredBenchmark) -> None:
    """The line, the heat map, the items behind its open cell; the rest is folded."""
    known = data.pairs(benchmark.hash)
    if known.empty and make_edited.show_example(benchmark):
        known = data.pairs(benchmark.hash)
    if known.empty:
        make_edited.draw(benchmark, first=True)
        make_edited.watch()
        return
    metric, subset = _filters(benchmark)
    cells = data.matrix(benchmark.hash, metric, subset)
    originals = data.originals(benchmark.hash, metric, subset)
    columns = view.columns(known)
    measures = ["drop"] if metric == RSUM else list(MEASURES)
    address.option("measure", measures, "drop")
    chosen = str(st.session_state.get(address.text("cell"), ""))
    shown = view.find(cells, chosen) or first_cell(cells, columns)
    if shown is None:
        chart_caption("No item of this subset was edited and judged by this metric. Choose another one under More.")
        return
    if said := heat.seen(cells, columns, originals, benchmark.name):
        seen(said)
    measure = str(st.session_state["measure"])
    unit = data.unit(data.verdicts(benchmark.hash, metric, subset))
    shown = _heat_map(benchmark, cells, columns, originals, measure, shown, unit) or shown
    with st.container(horizontal=True, vertical_alignment="center", key="robustness-next"):
        st.segmented_control(
            "Show", measures, key="measure", default=address.value("measure"), required=True,
            format_func=MEASURES.__getitem__, label_visibility="collapsed",
            help="Change: share right after minus share right before, in points; a loss is negative. Flipped: "
            "verdicts that changed, either way; a change of zero can hide many. All are paired by item.",
        )  # fmt: skip
        _to_copy(benchmark, cells, columns, measure, metric, subset)
    opened = robustness_cell.draw(benchmark, shown, columns, metric, subset)
    if opened is not None:
        st.session_state[_OPEN] = (benchmark, opened)
    printed.draw(benchmark)
    with fold("More edits, more models", "robustness-more", ":material/auto_fix_high:") as box:
        if box.open:
            make_edited.draw(benchmark)
    make_edited.watch()


def first_cell(cells: Sequence[Cell], columns: Sequence[view.Column]) -> Cell | None:
    """The cell that is open where nobody has chosen one."""
    return view.worst(cells, [c.key for c in columns if c.group == "preserving"] or [c.key for c in columns])


def open_chosen() -> None:
    """The dialog of the item that was just opened; called after the address is written."""
    found = st.session_state.pop(_OPEN, None)
    if found is not None:
        item.open_dialog(*found)


def _filters(benchmark: stored.StoredBenchmark) -> tuple[str, str | None]:
    metrics = data.metrics(benchmark.hash)
    with st.sidebar, more("judged", "part"):
        metric = st.selectbox(
            "Metric", metrics, key=address.option("judged", metrics, HEADLINE),
            index=address.index("judged"), format_func=view.metric_name,
            help=view.metric_help(metrics),
        ) or HEADLINE  # fmt: skip
        every = data.verdicts(benchmark.hash, metric, None)
        judged = set(every["subset"].unique())
        there = [name for name in benchmark.subsets if name in judged]
        part = (
            st.selectbox(
                "Subset",
                [ALL, *there],
                key=address.option("part", [ALL, *there], ALL),
                index=address.index("part"),
                format_func=title,
                help="Only the items of this subset, before and after their captions are edited.",
            )
            or ALL
        )
    return metric, None if part == ALL else part


def _heat_map(
    benchmark: stored.StoredBenchmark, cells: Sequence[Cell], columns: Sequence[view.Column],
    originals: dict[tuple[str, str], view.Original], measure: str, shown: Cell, unit: str,
) -> Cell | None:  # fmt: skip
    """The picture; the cell that was just clicked. A click on a rate on the originals opens the failures behind it."""
    marked = view.key_of(shown.model, shown.kind, shown.column)
    spec = heat.spec(cells, columns, measure, marked, originals, unit, benchmark.name)
    opened, _ = heatmap.draw(spec, CHART)
    rules = data.rules(benchmark.hash)
    rule = asked_orders.rule_of([(colours.label(each.model), rules.get((each.model, each.kind), "")) for each in cells])
    chart_caption(_legend(measure) + (f" Verdicts: {rule}." if rule else ""))
    if opened is None:
        return None
    if opened[1] == heat.ORIGINALS:
        model, _, kind = opened[0].partition("\t")
        address.go("pages/failures/page.py", heat.behind(benchmark.name, model, kind))
        return None
    found = view.find(cells, view.opened_key(opened))
    if found is not None:
        st.session_state["cell"] = view.key_of(found.model, found.kind, found.column)
    return found


def _to_copy(
    benchmark: stored.StoredBenchmark, cells: Sequence[Cell], columns: Sequence[view.Column], measure: str,
    metric: str, subset: str | None,
) -> None:  # fmt: skip
    """The surest finding among the edits that keep the meaning, or among all where none does."""
    listed = [column for column in columns if column.group == "preserving"] or list(columns)
    keys = {column.key for column in listed}
    where = (view.metric_name(metric), title(subset) if subset else "all subsets", benchmark.name)
    said = to_copy.table(
        [cell for cell in cells if cell.column in keys], listed, measure, where, data.rules(benchmark.hash)
    )
    link = address.named("tab", "benchmark", "judged", "part", "measure")
    finding.draw(said, CHART, CHART, f"flipside-{benchmark.name}-edits", link=link)


def _legend(measure: str) -> str:
    """How to read the heat map, in one line."""
    if measure == "drop":
        return (
            f"Points, with 95 % intervals. {signs.LEGEND} (Holm over all cells). Blue: lost where to lose is right. "
            "Against its own edit: per cent, guessing 50, grey by its own interval."
        )
    colour = {"lost": "Vermilion: the more, the stronger.", "won": "Green: the more, the stronger."}.get(measure, "")
    return (
        f"Per cent of verdicts, with 95 % intervals. {colour} Blue: the more, the stronger, whether good or bad. "
        "Against its own edit, whatever is measured: per cent right, guessing 50."
    )
