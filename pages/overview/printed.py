"""Overview: our numbers beside the ones that papers print, with the difference and where they are printed."""

from collections.abc import Collection
from dataclasses import replace
from shlex import quote
from typing import Any

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend import published, written
from backend.kinds import Kind
from backend.prior_names import prior_name
from backend.store.official.printed import Beside
from pages.overview.view import Grid
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import fixed, interval
from pages.shared.drawing.table import scrolled
from pages.shared.frame.downloads import csv
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.shared.frame.tips import column_head, kind_name, metric_tip, metric_title

#: Rows of the table that are shown; the download has all.
SHOWN = 40
PAPERS = {"visla": "VISLA", "winoground": "Winoground", "eqsim": "EqSim", "svlc": "SVLC",
          "brittleness": "brittleness paper", "visualgptscore": "VisualGPTScore"}  # fmt: skip


def beside_cells(shown: Grid, numbers: pd.DataFrame, judged: Collection[str] = ()) -> Grid:
    """The heat map with the printed number in each cell that has one (at the kind's default setting, the one to show
    first). judged: models whose generation scores are judged under an α, beside which no such number belongs."""
    plain = numbers[(numbers["name"] == "") & (numbers["alpha"] == 0)] if len(numbers) else numbers
    if len(plain) and judged:  # what is printed there is as scored
        plain = plain[~((plain["kind"] == Kind.GEN) & plain["model"].isin(list(judged)))]
    cells = dict(shown.cells)
    for line in reversed(lines_of(plain)):
        for place, kind in shown.kinds.items():
            row, column = place
            if (row.split("\t")[0], kind, column) == (line.model, line.kind, f"{line.group}\t{line.metric}"):
                said = as_printed(float(line.printed), float(line.allow))
                cells[place] = replace(cells[place], printed=said, source=source(line))
    return replace(shown, cells=cells)


def source(line: Any) -> str:
    """Where a number is printed.

    >>> source(pd.Series({"paper": "visla", "table": "Table 2"}))
    'VISLA, Table 2'
    """
    return f"{PAPERS.get(line.paper, line.paper)}, {line.table}"


def as_printed(value: float, allow: float) -> str:
    """A printed share in per cent, with the two decimals that its table has. allow: half of its last digit, as a
    fraction, or more.

    >>> as_printed(0.3075, 0.5e-4), as_printed(0.38, 0.5e-4), as_printed(0.589, 0.5e-3)
    ('30.75', '38.00', '58.9')
    """
    digits = 2 if allow < 1e-4 or round(1e4 * value) % 10 else 1
    return written.rounded(100 * value, digits)


def agrees(line: Any) -> bool:
    """Whether ours lies within half the last printed digit, or what the table's caveat allows."""
    return abs(float(line.difference)) <= float(line.allow) + 1e-9


def table_html(numbers: pd.DataFrame) -> Markup:
    """One row a rate, the first printed number beside it; further tables that print it are named in the last cell."""
    names = colours.labels(numbers["model"])
    heads = ("Model", "Items", "Metric", "Scores", "Ours", "Published", "Ours − published", "Where")
    rows = []
    keys = ["model", "kind", "alpha", "prior", "metric", "group", "name"]
    for _, same in list(numbers.groupby(keys, sort=False, dropna=False))[:SHOWN]:
        line, *others = lines_of(same)
        ci95 = (float(line.low), float(line.high)) if pd.notna(line.low) and pd.notna(line.high) else None
        sign, look, says = ("✓", "right", "the same to its last digit") if agrees(line) else ("≠", "near", "differs")
        off = fixed(100 * line.difference, 2, signed=True)
        remarks = "; ".join(part for part in (line.note, line.caveats) if part)
        more = Markup(" <small>also {}</small>").format("; ".join(source(other) for other in others)) if others else ""
        setting = kind_name(line.kind) + (
            f", α = {line.alpha:g}, P(t) from {prior_name(str(line.prior))}" if line.alpha else ""
        )
        rows.append(
            Markup(
                '<tr><th scope="row" class="fs-one-line">{dot}'
                "{model}</th><td>{items}</td>"
                '<td title="{tip}">{metric}</td>'
                "<td>{setting}</td><td>{ours}</td>"
                "<td><b>{printed} %</b></td>"
                '<td><span class="fs-chip fs-{look}" title="{says}"><b>{sign}</b>{off}</span></td>'
                '<td title="{remarks}">{source}, as {theirs}{more}</td></tr>'
            ).format(
                dot=colours.dot(line.model),
                model=names[line.model],
                items=line.name or line.group or "all",
                tip=metric_tip(line.metric),
                metric=metric_title(line.metric),
                setting=setting,
                ours=interval(float(line.value), int(line.n), ci95),
                printed=written.rounded(100 * line.printed, 2),
                look=look,
                says=says,
                sign=sign,
                off=off,
                remarks=remarks,
                source=source(line),
                theirs=line.printed_model,
                more=more,
            )
        )
    head = Markup().join(map(column_head, heads))
    return scrolled("Ours beside the published numbers", head, Markup().join(rows))


def draw(benchmark: stored.StoredBenchmark, found: Beside) -> None:
    """The section: the table, why others are not compared, and everything that papers print for the benchmark."""
    numbers = found.numbers
    name = benchmark.name.partition("@")[0]
    known = 0 if benchmark.parts else published.count(name)
    if not len(numbers) and not known and not found.refused:
        return
    label = (
        f"Beside the published numbers: {len(numbers):,} of them" if len(numbers) else "Beside the published numbers"
    )
    with fold(label, "overview-printed", ":material/menu_book:") as box:
        if box.open:
            _beside(name, found, known)


def _beside(name: str, found: Beside, known: int) -> None:
    numbers = found.numbers
    if len(numbers):
        show(table_html(numbers))
        chart_caption(
            "✓ the same to the last printed digit, ≠ not; the difference is in percentage points. In the heat map "
            "the published number stands under ours, after ◇. Nothing is matched by likeness of names: "
            "docs/published.md has the rule."
        )
        st.download_button(
            f"Download {len(numbers):,} comparisons as CSV", csv(numbers), f"flipside-{name}-published.csv", "text/csv",
            icon=":material/download:", on_click="ignore", key="printed-csv",
        )  # fmt: skip
    elif known:
        chart_caption(
            f"Papers print {known:,} numbers for {name}, none of them of a model that was scored here. Where a model "
            f"is one of theirs under another name, say so: flipside report --model SPEC --benchmark {quote(name)} "
            "--published-as NAME."
        )
    if found.refused:
        names = colours.labels([model for model, _ in found.refused])
        st.markdown(f"**Printed, but not compared: {len(found.refused)}**")
        for model, reason in found.refused:
            chart_caption(f"{names[model]}: {reason}")
    if known:
        st.markdown(f"**All that papers print for {plain(name)}**")
        _everything(name)


def _everything(name: str) -> None:
    rows = [
        {"model": number.model, "items": number.subset or "all", "metric": number.metric, "value": number.value,
         "paper": PAPERS.get(number.paper, number.paper), "table": number.table}
        for number in published.search(benchmark=name)
    ]  # fmt: skip
    st.dataframe(
        pd.DataFrame(rows), hide_index=True, height=380, alt=f"Numbers that papers print for {name}",
        column_config={"value": st.column_config.NumberColumn("value", format="percent", help="As printed")},
    )  # fmt: skip
