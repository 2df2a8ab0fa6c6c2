"""The parts of Compare: the answer, the two charts, the tests with their files, the matrix, the plane of margins."""

import streamlit as st

from backend.store.queries import Shared
from pages.compare import (
    data,  # fmt: skip
    scatter,
    view,
)
from pages.compare import gallery as compare_gallery
from pages.compare import matrix as compare_matrix
from pages.compare import summary as compare_summary
from pages.compare import table as compare_table
from pages.compare.sides import Comparison
from pages.shared.data import stored
from pages.shared.drawing import gallery, signs
from pages.shared.drawing.numbers import count
from pages.shared.frame import to_failures
from pages.shared.frame.downloads import csv
from pages.shared.frame.header import chart_caption
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.shared.frame.tips import metric_title

SHOWN = 6


def summary(chosen: Comparison, found: Shared) -> None:
    """The answer over all shared verdicts, and what was left out of it."""
    overall = data.against(chosen.sides, chosen.metric, chosen.subsets, "")
    rates = data.rates(chosen.sides, chosen.metric, chosen.subsets, "")
    show(compare_summary.html(overall, rates, chosen.named, data.orders_of(chosen.sides, found)))
    judged_by = metric_title(chosen.metric).lower() if chosen.metric else "the headline metric of each protocol"
    left = [
        f"{entry.label} has {n - len(found):,} more"
        for entry, n in zip(chosen.named, found.judged, strict=True)
        if n > len(found)
    ]
    elsewhere = f" Not shared: {', '.join(found.elsewhere)}." if found.elsewhere else ""
    chart_caption(
        f"{count(len(found), 'verdict')} by {judged_by} that all of them have"
        + (f" ({'; '.join(left)})." if left else ".") + elsewhere
        + " p: McNemar's exact test of whether the items that only one of two models has right are split evenly "
        "between them; where several verdicts share an image, the image is the unit."
    )  # fmt: skip


def why_none(chosen: Comparison, found: Shared) -> str:
    """Why no verdict is shared by all: the sides that have none at all, else those without which some are shared."""
    none = [entry.label for entry, n in zip(chosen.named, found.judged, strict=True) if not n]
    if none:
        return f"{', '.join(none)}: no verdict by this metric on these subsets. Choose another side, metric or subset."
    fewer = [(entry.label, len(data.verdicts(data.without(chosen.sides, k), chosen.metric, chosen.subsets)))
             for k, entry in enumerate(chosen.named)] if len(chosen.named) > 2 else []  # fmt: skip
    told = [f"Without {label} the others share {count(n, 'verdict')}." for label, n in fewer if n]
    return " ".join(
        [*told, "All sides must be judged by the same metric on the same pool: itc, itm, gen and vqa judge images with "
         "captions, t2t and prior judge captions alone. Choose another side, metric or subset."]
    )  # fmt: skip


def charts(chosen: Comparison, by: str) -> None:
    """The slope chart, and beside it the gains with their intervals."""
    rates = data.rates(chosen.sides, chosen.metric, chosen.subsets, by)
    table = data.against(chosen.sides, chosen.metric, chosen.subsets, by)
    if table.empty:
        chart_caption("These items carry no such label.")
        return
    dark = st.context.theme.type == "dark"
    grid = st.grid(2 if len(chosen.named) == 2 else 1, min_column_width=430, gap="medium")
    key = "-".join(entry.key for entry in chosen.named)
    with grid.cell():
        st.vega_lite_chart(
            view.slope(rates, table, chosen.named, dark), key=f"slope-{key}-{by}",
            alt=f"Slope chart: the rate of each {by} from {chosen.named[0].label} to {chosen.named[-1].label}",
        )  # fmt: skip
        chart_caption(
            f"Each line is one {by}. Unbroken: the difference holds after Holm's correction; green: B is better, "
            "vermilion: worse."
            if len(chosen.named) == 2
            else f"Each line is one {by}, led through the models from the baseline on; a dot has its model's colour."
        )
    with grid.cell():
        st.vega_lite_chart(
            view.gains(table, chosen.named, dark), key=f"gains-{key}-{by}",
            alt=f"What each model gains over {chosen.named[0].label}, by {by}, with 95 % intervals",
        )  # fmt: skip
        chart_caption(
            "Points gained over A with the 95 % interval of each by itself (bootstrap over images), the largest gain "
            f"first. {signs.UP} green: gained, {signs.DOWN} vermilion: lost. Filled: p ≤ .05 after Holm's correction "
            "over all rows of the table below; hollow: not."
        )


def tests(benchmark: stored.StoredBenchmark, chosen: Comparison, by: str, of: str) -> None:
    """The table and its two files."""
    table = data.against(chosen.sides, chosen.metric, chosen.subsets, by)
    if table.empty:
        return
    order = view.by_gain(table)
    table = table.sort_values("group", key=lambda names: names.map(order.index), kind="stable")
    show(compare_table.html(table, chosen.named, of))
    tested = int(table["p"].notna().sum())
    chart_caption(
        f"{count(tested, 'test')}. Each asks whether the discordant items, which only one of the two has right, are "
        "split evenly; concordant items say nothing on that. Holm: the chance of any false finding among all rows "
        "stays at 5 % whatever their dependence (items with several concepts count in each). BH: the expected share of "
        "false ones among the findings, for independent or positively dependent rows. Underlined: Holm's p ≤ .05."
    )
    frame = compare_table.as_frame(table, chosen.named).rename(columns={"group": of})
    a, rest = chosen.named[0].label, ", ".join(entry.label for entry in chosen.named[1:])
    caption = (
        f"{rest} against {a} on {benchmark.name}, by {of}; p: McNemar, exact; Holm over {tested} tests; "
        "intervals: 95 %, paired bootstrap."
    )
    with st.container(horizontal=True):
        st.download_button(
            "CSV", csv(frame), f"compare-{of}.csv", "text/csv", icon=":material/download:", on_click="ignore",
            help="Every column, with runs and settings in words.",
        )  # fmt: skip
        st.download_button(
            "LaTeX", compare_table.latex(table, chosen.named, of, caption), f"compare-{of}.tex", "text/x-tex",
            icon=":material/download:", on_click="ignore", help="A booktabs table.",
        )  # fmt: skip


def matrix(chosen: Comparison) -> None:
    """Every side against every other."""
    pairs = data.matrix(chosen.sides, chosen.metric, chosen.subsets)
    show(compare_matrix.html(pairs, chosen.named))
    chart_caption(
        f"Points with the ends of their 95 % interval; {signs.OPEN}: p > .05 after Holm's correction over the "
        f"{len(pairs)} pairs. κ: agreement beyond chance, and the share of verdicts that are alike. Green: the "
        "column is better than the row, vermilion: worse."
    )


def margins(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared) -> tuple[str | None, list[str]]:
    """The plane of margins and what a lasso picks; (the opened item, the ids to walk along)."""
    dark = st.context.theme.type == "dark"
    a, b = chosen.named[:2]
    whole = data.verdicts(chosen.sides, chosen.metric, ()) if chosen.subsets else found
    ends = scatter.ends_of(whole)
    event = st.plotly_chart(
        scatter.spec(found, chosen.named, dark, ends), key=f"plane-{a.key}-{b.key}-{chosen.metric}",
        on_select="rerun", selection_mode=("points", "box", "lasso"),
        config={"displaylogo": False, "displayModeBar": True},
        alt=f"Margins of {a.label} across and of {b.label} upwards, a point a verdict",
    )  # fmt: skip
    n = int(scatter.drawn(found.frame["item_id"].to_numpy()).sum())
    chart_caption(
        "Right of the vertical line A is right, above the horizontal line B is; the further from a line, the clearer. "
        f"Points beyond the frame stand on its border. Grey: both alike; {signs.UP} green: what B gains, {signs.DOWN} "
        "vermilion: what it loses."
        + (
            f" {n:,} of {count(len(found), 'verdict')} are drawn, those of items chosen at random, always the same; "
            "all are counted, and a lasso takes all inside it."
            if n < len(found)
            else ""
        )
    )
    ids = scatter.selected(found, event["selection"] if event else None, ends)
    if not ids:
        return None, []
    st.markdown(f"**{len(ids):,} selected** · {plain('double-click the plane to let go')}")
    keep = compare_gallery.picked(found, ids)
    order = compare_gallery.by_distance(found, keep)[:SHOWN]
    opened = gallery.draw(compare_gallery.cards(benchmark, chosen, found, order.tolist()), "plane-cards", compact=True)
    to_failures.button(
        benchmark, ids, f"picked among the margins of {a.label} and {b.label}", "plane-go", model=b.model,
        kind=b.side.setting.kind,
    )  # fmt: skip
    return opened, ids
