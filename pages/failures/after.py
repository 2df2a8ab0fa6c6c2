"""Where the list of Failures leads, and what is found as one sentence to copy."""

from collections.abc import Sequence

import streamlit as st

from backend.store.queries import FailurePage
from pages.failures import data, rate
from pages.failures.filters import Filters
from pages.failures.pictures import reasons
from pages.shared.data import findings, partners, stored
from pages.shared.data.cell_bars import Bar
from pages.shared.drawing import colours, finding
from pages.shared.frame import address
from pages.shared.frame.next_step import next_step


def draw(benchmark: stored.StoredBenchmark, chosen: Filters) -> None:
    """The next step, where there is another model that compares."""
    with st.container(horizontal=True, vertical_alignment="center", key="fs-failures-after"):
        if found := partner(benchmark, chosen):
            other, theirs = found
            names, kind = colours.labels(benchmark.models), chosen.wanted.setting.kind
            on = f" on {' and '.join(chosen.wanted.subsets)}" if 0 < len(chosen.wanted.subsets) < 3 else ""
            next_step(
                f"Compare {names[chosen.model]} with {names[other]}{on}", "compare", benchmark=benchmark.name,
                a=f"{kind} {chosen.model}", b=f"{theirs} {other}", subset=list(chosen.wanted.subsets),
            )  # fmt: skip


def to_copy(benchmark: stored.StoredBenchmark, chosen: Filters, bars: Sequence[Bar], found: FailurePage) -> None:
    """ "Copy as finding" of the headline, beside which it stands, with the bars as picture; nothing where nothing is
    listed."""
    if not found.total:
        return
    wanted = chosen.wanted
    said = "" if benchmark.parts else rate.sentence(
        wanted, found, rate.judged(wanted, found), chosen.model, benchmark.name,
        colours.label(chosen.other) if chosen.other else "",
        chosen.picked.title if chosen.picked else "",
    )  # fmt: skip
    finding.draw(
        said or findings.hero(
            list(bars), benchmark.name, whole=len(benchmark.subsets) == 1, judged={chosen.model: wanted.setting},
        ), "failures-cells",
        reasons.KEY if bars else "", f"flipside-{benchmark.name}-cells",
        link=address.named("benchmark", "model", "kind", "alpha", "prior"),
    )  # fmt: skip


def partner(benchmark: stored.StoredBenchmark, chosen: Filters) -> tuple[str, str] | None:
    """The model to compare with, and its kind: the one that is chosen beside, else the one that is right most often, of
    those that have anything to compare with this one; None where none has."""
    if benchmark.parts:
        return None
    kind = chosen.wanted.setting.kind
    metric = str(chosen.left.rows["metric"].iloc[0]) if chosen.left is not None and len(chosen.left.rows) else ""
    best = data.best_first(benchmark.hash, kind, metric) if metric and not chosen.other else ()
    among = dict.fromkeys([*filter(None, [chosen.other]), *best, *benchmark.models])
    return partners.partner(benchmark, chosen.model, kind, among)
