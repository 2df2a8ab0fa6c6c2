"""What Compare has folded: the tests with their files, the matrix, the plane of margins."""

from typing import Any

import streamlit as st

from backend.store.queries import Shared, Side
from pages.compare import answer, data, scatter, to_copy, view
from pages.compare import gallery as compare_gallery
from pages.compare import matrix as compare_matrix
from pages.compare import table as compare_table
from pages.compare.sides import Comparison
from pages.shared.data import findings, handing_on, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import component, finding, gallery, signs
from pages.shared.drawing.numbers import count
from pages.shared.drawing.plane import canvas, spec
from pages.shared.frame import address, to_failures
from pages.shared.frame.downloads import csv
from pages.shared.frame.header import chart_caption
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show

SHOWN = 6
#: Height of the plane of margins, pixels.
HIGH = 500


def tests(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared, by: str, of: str) -> None:
    """The table and its two files. by: "" where the items have one group alone: then a row of all of them."""
    if by:
        table, family = data.against(chosen.sides, chosen.metric, chosen.subsets, by, chosen.weights), "all rows"
    else:
        table = data.overall(chosen.sides, chosen.metric, chosen.subsets, chosen.weights).assign(group="all items")
        family = count(len(data.matrix(chosen.sides, chosen.metric, chosen.subsets, chosen.weights)), "pair")
    if table.empty:
        return
    order = view.by_gain(table)
    table = table.sort_values("group", key=lambda names: names.map(order.index), kind="stable")
    show(compare_table.html(table, chosen.named, of))
    tested = int(table["p"].notna().sum())
    equal = answer.weighed(chosen, found)
    weighed = (
        f" Rates, B − A, p, κ and shared failures: {equal}, in each row as many as it has items of; n, only A and "
        "only B count verdicts."
        if equal
        else ""
    )
    chart_caption(
        f"{count(tested, 'test')}: McNemar’s, exact; where several verdicts share an image, the image is the unit. "
        "Each asks whether the discordant items, which only one of the two has right, are "
        "split evenly; concordant items say nothing on that. Holm: the chance of any false finding among "
        f"{family} stays at 5 % whatever their dependence (items with several concepts count in each). BH: the "
        "expected share of false ones among the findings, for independent or positively dependent rows. Underlined: "
        "Holm's p ≤ .05." + weighed
    )
    frame = compare_table.as_frame(table, chosen.named).rename(columns={"group": of})
    a, rest = chosen.named[0].label, ", ".join(entry.label for entry in chosen.named[1:])
    over = f"{tested} tests" if by else family
    caption = (
        f"{rest} against {a} on {benchmark.name}{f', by {of}' if by else ''}; "
        f"p: {'sign flips of images, ' + equal if equal else 'McNemar, exact'}; Holm over {over}; "
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
    pairs = data.matrix(chosen.sides, chosen.metric, chosen.subsets, chosen.weights)
    with st.container(key="fs-compare-matrix"):
        show(compare_matrix.html(pairs, chosen.named))
    chart_caption(
        f"Above the diagonal: what the column gains over the row, in points; {signs.LEGEND} (Holm over the "
        f"{len(pairs)} pairs). Below it: κ, agreement beyond chance, and the share of verdicts that are alike."
    )
    said = to_copy.matrix(
        pairs, chosen.named, answer.setting(chosen, benchmark, found, kinds=True),
        weighed=bool(answer.weighed(chosen, found)),
    )  # fmt: skip
    name = f"flipside-{benchmark.name}-compare-all"
    finding.draw(said, "matrix", "fs-compare-matrix", name, link=address.named(*answer.keys(chosen)))


def margins(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared) -> tuple[str | None, list[str]]:
    """The plane of margins and what a lasso picks; (the opened item, the ids to walk along)."""
    dark = st.context.theme.type == "dark"
    a, b = chosen.named[:2]
    whole = data.verdicts(chosen.sides, chosen.metric, ()) if chosen.subsets else found
    ends = scatter.ends_of(whole)
    chart = f"plane-{a.key}-{b.key}-{chosen.metric}"
    drawn = _margins(tuple(chosen.sides), chosen.metric, tuple(chosen.subsets), dark, ends, found, chosen)
    clicked = canvas.draw(drawn, chart, f"Margins of {a.label} across and of {b.label} upwards, a point a verdict")
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
    ids = scatter.selected(found, canvas.selection(chart), ends)
    if clicked:
        return clicked, ids if clicked in ids else [clicked]
    if not ids:
        return None, []
    st.markdown(f"**{len(ids):,} selected** · {plain('double-click the plane to let go')}")
    keep = compare_gallery.picked(found, ids)
    order = compare_gallery.by_distance(found, keep)[:SHOWN]
    opened = gallery.draw(compare_gallery.cards(benchmark, chosen, found, order.tolist()), "plane-cards", compact=True)
    to_failures.button(
        benchmark, ids, f"picked among the margins of {a.label} and {b.label}", "plane-go",
        **compare_gallery.judged_at(benchmark, b),
    )  # fmt: skip
    return opened, ids


@stored.kept()
def _margins(
    sides: tuple[Side, ...], metric: str | None, subsets: tuple[str, ...], dark: bool, ends: scatter.Ends,
    _found: Shared, _chosen: Comparison,
) -> dict[str, Any]:  # fmt: skip
    """What the browser draws; the last two follow from what stands before them."""
    del sides, metric, subsets
    return spec.data(scatter.plane(_found, _chosen.named, dark, ends), dark, HIGH)
