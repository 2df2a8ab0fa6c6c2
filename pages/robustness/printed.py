"""Robustness: what the brittleness paper prints, beside ours where the names match."""

import streamlit as st
from markupsafe import Markup

from backend import published
from backend.published import Printed
from pages.shared.data import stored
from pages.shared.drawing.table import scrolled
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.style import show

PAPER = "brittleness"


def draw(benchmark: stored.StoredBenchmark) -> None:
    """The paper's numbers on this benchmark, behind an expander; or why there are none."""
    found = numbers(benchmark.name.partition("@")[0])
    with st.expander("Printed in the brittleness paper", icon=":material/menu_book:", key="printed-drops",
                     on_change="rerun") as box:  # fmt: skip
        if box.open:
            section(published.PAPERS[PAPER])
            show(table(found)) if found else chart_caption(why_none())


def numbers(benchmark: str) -> list[Printed]:
    """What the paper prints on a benchmark of ours."""
    return [each for each in published.table(PAPER) if published.column_of(each).benchmark == benchmark]


def why_none() -> str:
    """One sentence."""
    if not published.table(PAPER):
        return (
            "The text of the paper that this project works from holds none of its tables, so no printed drop stands "
            "beside ours. `flipside published --paper brittleness` lists them as soon as they are transcribed."
        )
    return "The paper prints nothing on this benchmark; it used COCO and Flickr30k and their fine-grained versions."


def table(found: list[Printed]) -> Markup:
    """HTML, one row a number."""
    rows = Markup().join(
        Markup(
            '<tr><th scope="row">{model}</th><td>{benchmark}</td><td>{subset}</td>'
            "<td>{metric}</td><td>{value:.4g}"
            "{sign}</td><td>table {table}</td></tr>"
        ).format(
            model=n.model,
            benchmark=n.benchmark,
            subset=n.subset,
            metric=n.metric,
            value=100 * n.value if n.unit == "percent" else n.value,
            sign=" %" if n.unit == "percent" else "",
            table=n.table,
        )
        for n in found
    )
    heads = Markup().join(
        Markup('<th scope="col">{}</th>').format(name)
        for name in ("model", "benchmark", "edit", "metric", "value", "where")
    )
    return scrolled("printed numbers", heads, rows)
