"""What Compare has folded: the tests with their files, and the matrix."""

import streamlit as st

from backend.store.queries import Shared
from pages.compare import answer, data, to_copy, view
from pages.compare import matrix as compare_matrix
from pages.compare import table as compare_table
from pages.compare.sides import Comparison
from pages.shared.data import stored
from pages.shared.drawing import finding, signs
from pages.shared.drawing.numbers import count
from pages.shared.frame import address
from pages.shared.frame.downloads import csv
from pages.shared.frame.header import chart_caption
from pages.shared.frame.style import show


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
    show(compare_table.html(table, chosen.named, of, data.uneven(chosen.sides)))
    rule, level = answer.strict(chosen), answer.chance(chosen)
    ruled = (f" Verdicts: {rule}." if rule else "") + (f" {level[:1].upper()}{level[1:]}." if level else "")
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
        "Holm's p ≤ .05." + weighed + ruled
    )
    asked = (chosen.sides, chosen.metric, chosen.subsets, by, chosen.weights)
    chances, means = data.chances_by(*asked), data.means(*asked)
    frame = compare_table.as_frame(table, chosen.named, data.rules_of(chosen.sides), chances, means, one=not by)
    frame = frame.rename(columns={"group": of})
    over = f"{tested} tests" if by else family
    caption = caption_of(benchmark.name, chosen, of if by else "", equal, over)
    with st.container(horizontal=True):
        st.download_button(
            "CSV", csv(frame), f"compare-{of}.csv", "text/csv", icon=":material/download:", on_click="ignore",
            help="Every column, with runs and settings in words.",
        )  # fmt: skip
        st.download_button(
            "LaTeX", compare_table.latex(table, chosen.named, of, caption), f"compare-{of}.tex", "text/x-tex",
            icon=":material/download:", on_click="ignore", help="A booktabs table.",
        )  # fmt: skip


def caption_of(benchmark: str, chosen: Comparison, by: str, equal: str, over: str) -> str:
    """What stands above the LaTeX table. by: what a row is, "" of one of all; equal: what weighs the same where that is
    not every item, in words; over: what Holm adjusts over."""
    a, rest = chosen.named[0].label, ", ".join(entry.label for entry in chosen.named[1:])
    said = [
        f"A is {a}" if len(chosen.named) > 2 else "",
        f"p: {'sign flips of images, ' + equal if equal else 'McNemar, exact'}; Holm over {over}",
        "intervals: 95 %, by halves of the images", answer.strict(chosen), answer.chance(chosen),
    ]  # fmt: skip
    return f"{rest} against {a} on {benchmark}{f', by {by}' if by else ''}; {'; '.join(filter(None, said))}."


def matrix(benchmark: stored.StoredBenchmark, chosen: Comparison, found: Shared) -> None:
    """Every side against every other."""
    pairs = data.matrix(chosen.sides, chosen.metric, chosen.subsets, chosen.weights)
    with st.container(key="fs-compare-matrix"):
        show(compare_matrix.html(pairs, chosen.named, data.rules_of(chosen.sides)))
    two = f" · {view.TWO_RULES}: by two rules, so nobody’s gain" if data.uneven(chosen.sides) else ""
    chart_caption(
        f"Above the diagonal: what the column gains over the row, in points; {signs.LEGEND}{two} (Holm over the "
        f"{len(pairs)} pairs; each interval is of its pair alone). Below it: κ, agreement beyond chance, and the share "
        "of verdicts that are alike."
    )
    said = to_copy.matrix(
        pairs, chosen.named, answer.setting(chosen, benchmark, found, kinds=True),
        weighed=bool(answer.weighed(chosen, found)),
    )  # fmt: skip
    name = f"flipside-{benchmark.name}-compare-all"
    finding.draw(said, "matrix", "fs-compare-matrix", name, link=address.named(*answer.keys(chosen)))
