"""The parts of Compare: the answer, the two charts, the tests with their files, the matrix, the plane of margins."""

import numpy as np
import streamlit as st

from backend.store.queries import Shared
from pages.compare import data, scatter, to_copy, view
from pages.compare import gallery as compare_gallery
from pages.compare import matrix as compare_matrix
from pages.compare import summary as compare_summary
from pages.compare import table as compare_table
from pages.compare.sides import Comparison
from pages.shared.data import findings, handing_on, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import clicks, finding, gallery, signs
from pages.shared.drawing.numbers import count
from pages.shared.frame import address, to_failures
from pages.shared.frame.downloads import csv
from pages.shared.frame.header import chart_caption
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.shared.frame.tips import metric_title

SHOWN = 6


def summary(chosen: Comparison, found: Shared) -> None:
    """The answer over all shared verdicts, and what was left out of it."""
    overall = data.overall(chosen.sides, chosen.metric, chosen.subsets)
    rates = data.rates(chosen.sides, chosen.metric, chosen.subsets, "")
    with st.container(key="fs-compare-answer"):
        show(
            compare_summary.html(
                overall, rates, chosen.named, data.orders_of(chosen.sides, found), twins(chosen, found)
            )
        )
    pairs = data.matrix(chosen.sides, chosen.metric, chosen.subsets)
    left = [
        f"{entry.label} has {n - len(found):,} more"
        for entry, n in zip(chosen.named, found.judged, strict=True)
        if n > len(found)
    ]
    elsewhere = f" Not shared: {', '.join(found.elsewhere)}." if found.elsewhere else ""
    chart_caption(
        f"{count(len(found), 'verdict')} by {judged_by(chosen, found)} that all of them have"
        + (f" ({'; '.join(left)})." if left else ".") + elsewhere
        + " p: McNemar's exact test of whether the items that only one of two models has right are split evenly "
        "between them; where several verdicts share an image, the image is the unit."
        + (f" It is adjusted by Holm over the {len(pairs)} pairs of these {len(chosen.named)}, wherever two of them "
           "are judged on all items; intervals are of each difference by itself." if len(pairs) > 1 else "")
    )  # fmt: skip


def judged_by(chosen: Comparison, found: Shared) -> str:
    """The metrics of the verdicts, by name: one as a rule, else the headline of each protocol."""
    names = [metric_title(str(name)).lower() for name in dict.fromkeys(found.frame["metric"])]
    if chosen.metric or len(names) == 1:
        return metric_title(chosen.metric).lower() if chosen.metric else names[0]
    return f"the headline metric of each protocol ({', '.join(names)})"


def twins(chosen: Comparison, found: Shared) -> dict[int, str]:
    """What is to be said of sides (by position) that are the baseline's own head twice: every margin is the same, or
    their public files are known as a repeat."""
    a, here = chosen.named[0], found.margin
    how = data.repeats(chosen.sides)
    said = {}
    for k, entry in enumerate(chosen.named):
        if not k or not len(found) or entry.side.setting.kind != a.side.setting.kind:
            continue
        both = f"{entry.label} and {a.label} are one model under two names"
        if np.array_equal(here[:, 0], here[:, k], equal_nan=True):
            said[k] = f"{both}: the same scores on all {count(len(found), 'verdict')}. Choose another to compare."
        elif how.get(k):
            said[k] = f"{both}: two files of its scores, {how[k]}. Choose another to compare."
    return said


def answer(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared) -> None:
    """The answer to be copied: B against A."""
    pairs = data.matrix(chosen.sides, chosen.metric, chosen.subsets)
    overall = data.overall(chosen.sides, chosen.metric, chosen.subsets)
    a, b = chosen.named[:2]
    kinds = findings.kinds(b.side.setting.said(), a.side.setting.said())
    said = findings.difference(
        a.label, b.label, lines_of(overall)[0], (kinds, *_setting(chosen, benchmark, found)), len(pairs)
    )
    name = f"flipside-{benchmark.name}-compare"
    finding.draw(said, "compare", "fs-compare-answer", name, link=address.named(*_keys(chosen)))


def _setting(
    chosen: Comparison, benchmark: stored.StoredBenchmark, found: Shared, kinds: bool = False
) -> tuple[str, ...]:
    """By which metric, on which items and benchmark, in words. kinds: say first under which score kinds, A's first."""
    where = ", ".join(chosen.subsets) if chosen.subsets else "all items that all of them have judged"
    if len(chosen.named) == 2:
        where = where.replace("all of them", "both")
    under = ", ".join(dict.fromkeys(entry.side.setting.said() for entry in chosen.named))
    return ((under,) if kinds else ()) + (judged_by(chosen, found), where, benchmark.name)


def _keys(chosen: Comparison, *more: str) -> tuple[str, ...]:
    """What a link has to name of what is compared."""
    asked = ("alpha", "prior") if any(entry.side.setting.prior for entry in chosen.named) else ()
    return ("benchmark", "a", "b", "more", *asked, "metric", "subset", *more)


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


def charts(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared, by: str, of: str) -> None:
    """The slope chart, and beside it the gains with their intervals. of: what a group is, in words."""
    rates = data.rates(chosen.sides, chosen.metric, chosen.subsets, by)
    table = data.against(chosen.sides, chosen.metric, chosen.subsets, by)
    if table.empty:
        chart_caption("These items carry no such label.")
        return
    dark = st.context.theme.type == "dark"
    grid = st.grid(2 if len(chosen.named) == 2 else 1, min_column_width=430, gap="medium")
    key = "-".join(entry.key for entry in chosen.named)
    setting, link = _setting(chosen, benchmark, found, kinds=True), address.named(*_keys(chosen, "by"))
    name = f"flipside-{benchmark.name}-compare-by-{by}"
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
        said = to_copy.slope(table, rates, chosen.named, of, setting)
        finding.draw(said, "slope", f"slope-{key}-{by}", f"{name}-rates", link=link)
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
        said = to_copy.gains(table, chosen.named, of, setting)
        finding.draw(said, "gains", f"gains-{key}-{by}", f"{name}-gains", link=link)


def tests(benchmark: stored.StoredBenchmark, chosen: Comparison, by: str, of: str) -> None:
    """The table and its two files. by: "" where the items have one group alone: then a row of all of them."""
    if by:
        table, family = data.against(chosen.sides, chosen.metric, chosen.subsets, by), "all rows"
    else:
        table = data.overall(chosen.sides, chosen.metric, chosen.subsets).assign(group="all items")
        family = count(len(data.matrix(chosen.sides, chosen.metric, chosen.subsets)), "pair")
    if table.empty:
        return
    order = view.by_gain(table)
    table = table.sort_values("group", key=lambda names: names.map(order.index), kind="stable")
    show(compare_table.html(table, chosen.named, of))
    tested = int(table["p"].notna().sum())
    chart_caption(
        f"{count(tested, 'test')}. Each asks whether the discordant items, which only one of the two has right, are "
        "split evenly; concordant items say nothing on that. Holm: the chance of any false finding among "
        f"{family} stays at 5 % whatever their dependence (items with several concepts count in each). BH: the "
        "expected share of false ones among the findings, for independent or positively dependent rows. Underlined: "
        "Holm's p ≤ .05."
    )
    frame = compare_table.as_frame(table, chosen.named).rename(columns={"group": of})
    a, rest = chosen.named[0].label, ", ".join(entry.label for entry in chosen.named[1:])
    over = f"{tested} tests" if by else family
    caption = (
        f"{rest} against {a} on {benchmark.name}{f', by {of}' if by else ''}; p: McNemar, exact; Holm over {over}; "
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


def matrix(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared) -> None:
    """Every side against every other."""
    pairs = data.matrix(chosen.sides, chosen.metric, chosen.subsets)
    with st.container(key="fs-compare-matrix"):
        show(compare_matrix.html(pairs, chosen.named))
    chart_caption(
        f"Points with the ends of their 95 % interval; {signs.OPEN}: p > .05 after Holm's correction over the "
        f"{len(pairs)} pairs. κ: agreement beyond chance, and the share of verdicts that are alike. Green: the "
        "column is better than the row, vermilion: worse."
    )
    said = to_copy.matrix(pairs, chosen.named, _setting(chosen, benchmark, found, kinds=True))
    name = f"flipside-{benchmark.name}-compare-all"
    finding.draw(said, "matrix", "fs-compare-matrix", name, link=address.named(*_keys(chosen)))


def margins(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared) -> tuple[str | None, list[str]]:
    """The plane of margins and what a lasso picks; (the opened item, the ids to walk along)."""
    dark = st.context.theme.type == "dark"
    a, b = chosen.named[:2]
    whole = data.verdicts(chosen.sides, chosen.metric, ()) if chosen.subsets else found
    ends = scatter.ends_of(whole)
    chart = f"plane-{a.key}-{b.key}-{chosen.metric}"
    event = st.plotly_chart(
        scatter.spec(found, chosen.named, dark, ends), key=chart,
        on_select="rerun", selection_mode=("points", "box", "lasso"),
        config={"displaylogo": False, "displayModeBar": True},
        alt=f"Margins of {a.label} across and of {b.label} upwards, a point a verdict",
    )  # fmt: skip
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
    row = lines_of(data.overall(chosen.sides, chosen.metric, chosen.subsets))[0]
    tests = len(data.matrix(chosen.sides, chosen.metric, chosen.subsets))
    kinds = findings.kinds(a.side.setting.said(), b.side.setting.said())
    said = to_copy.margins(found, (a, b), row, (kinds, *_setting(chosen, benchmark, found)), tests)
    pictured, note = handing_on.picture(chart, [a.side.run_id, b.side.run_id])
    name = f"flipside-{benchmark.name}-compare-margins"
    finding.draw(said, "margins", pictured, name, note=note, link=address.named(*_keys(chosen)))
    clicked = clicks.listen([chart], "compare-clicks")
    ids = scatter.selected(found, event["selection"] if event else None, ends)
    if clicked:
        return clicked[1], ids if clicked[1] in ids else [clicked[1]]
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
