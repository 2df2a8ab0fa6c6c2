"""Overview: what the order of asking changes, of models that were asked to choose in several."""

from collections.abc import Sequence

import streamlit as st

from backend import written
from backend.items import Kind
from backend.store.rates.asking_orders import Told
from backend.taxonomy import title
from pages.overview.view import Grid
from pages.shared.data import asked_orders, stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption
from pages.shared.frame.plain import plain


def draw(benchmark: stored.StoredBenchmark, shown: Grid) -> None:
    """A line a model; nothing where none was asked in several orders, or where benchmarks stand side by side."""
    if benchmark.parts:
        return
    models = dict.fromkeys(row.key.partition("\t")[0] for row in shown.rows)
    asked = [(model, benchmark.runs[model]) for model in models if Kind.VERDICT in benchmark.kinds[model]]
    found = [(model, run, told) for model, run in asked if (told := asked_orders.of_run(run, str(Kind.VERDICT)))]
    if not found:
        return
    names = colours.labels(benchmark.models)
    with fold("What does the order of asking change?", "overview-orders", ":material/swap_horiz:"):
        for model, run, told in found:
            parts = [(title(name), asked_orders.of_run(run, str(Kind.VERDICT), (name,))) for name in benchmark.subsets]
            st.markdown(plain(sentence(names[model], told, [(name, each) for name, each in parts if each])))
        chart_caption(
            "Where the answer changes with the order, the verdict says little of the captions: each order was asked "
            "once, so an answer that varies by itself changes, too. The rates of these models above are "
            "the mean of the orders; their “accuracy” asks for the truth in every order, and what fails it is what "
            "Failures lists. The accuracy of a model that was asked once is of one order, and compares with neither."
        )


def sentence(name: str, told: Told, parts: Sequence[tuple[str, Told]] = ()) -> str:
    """How many verdicts depend on the order, and in which subsets fewest and most do. parts: subset and what it comes
    to.

    >>> from backend.metrics.statistics import Rate
    >>> a, b = Told(Rate(0.9, 100, 0, None), 5, 1, 0, 100), Told(Rate(0.8, 100, 0, None), 20, 0, 60, 40)
    >>> print(sentence("m", Told(Rate(0.85, 200, 0, None), 25, 1, 60, 140), [("add", a), ("swap", b)]))
    m answers 25 of 140 items that were asked in several orders (17.9 %) otherwise in another, from 5.0 % in add to \
50.0 % in swap; 1 answer chose neither caption.
    """
    n = told.in_several
    share = f" ({written.percent(told.disagreements / n)})" if n >= written.FEW else ""
    those = " that were asked in several orders" if told.in_fewer else ""
    said = f"{name} answers {told.disagreements:,} of {count(n, 'item')}{those}{share} otherwise in another"
    said += "" if those else " order"
    rates = sorted(
        (each.disagreements / each.in_several, part, each.in_several) for part, each in parts if each.in_several
    )
    if len(rates) > 1:
        (low, first, of_first), (high, last, of_last) = rates[0], rates[-1]
        said += f", from {written.percent(low, of_first)} in {first} to {written.percent(high, of_last)} in {last}"
    if told.neither:
        said += f"; {count(told.neither, 'answer')} chose neither caption"
    return f"{said}."
