"""Overview: which models fail at what. page.py draws it."""

from functools import partial
from pathlib import Path

import streamlit as st

from pages.overview import (
    blind,
    causes,
    controls,
    data,
    failure,
    fetched,
    first_picture,
    orders,
    printed,
    thresholds,
    widgets_ahead,
)
from pages.overview import facts as overview_facts
from pages.overview.controls import KEYS
from pages.overview.notice import notice
from pages.overview.view import grid, headline, order_here, usual_order, with_pages
from pages.shared.data import apart, stored
from pages.shared.drawing import explore, finding, heatmap
from pages.shared.frame import address, alpha, model_link, to_failures
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty, page_header, seen
from pages.shared.frame.sidebar import choose_benchmark
from pages.shared.frame.style import sheet, show
from pages.shared.offers import real_results
from pages.tour import tour

#: With fewer columns the bars stand beside the heat map.
NARROW = 3


def draw() -> None:
    """The page below its head."""
    explore.apply()
    sheet(Path(__file__).with_name("style.css"))
    page_header(*first_picture.HEAD, headed=True)
    address.begin((*KEYS, *alpha.KEYS))
    alpha.begin()
    top = st.container()
    benchmark = choose_benchmark(together=True)
    with top:
        known_models = [model for each in stored.chosen().values() for model in each.models]
        offered = real_results.draw_card(known_models, benchmark.name if benchmark is not None else "")
    if benchmark is None:
        st.stop()
    said = controls.draw(benchmark)
    order = controls.order()
    thresholds.keys(benchmark)

    # What the page waits for is said below the failure, which so stays where it is.
    card = st.container()
    read = stored.store().generation
    known = data.rates(benchmark, said.grouping, quad=said.quad)
    frame = headline(known, said.quad)
    groups = (
        list(benchmark.subsets) if said.by == "subset" and not benchmark.parts else list(dict.fromkeys(frame["group"]))
    )
    best = data.kinds(benchmark, said.quad)
    shown = grid(frame, groups, said.kind, families=said.by != "subset" and not said.broad, best=best)
    if not shown.rows:
        address.end()
        empty(
            "No model has scores of this kind",
            "Choose another score kind in the sidebar; a forced choice judges quads by their text score only.",
        )
        st.stop()
    failures = failure.found(benchmark, shown)
    failure.keys(failures)
    with card:
        alpha.chip(
            benchmark, [(row.key.split("\t")[0], kind) for row in shown.rows for kind in [row.key.split("\t")[-1]]],
            "The failure on top is as scored.",
        )  # fmt: skip
        failure.draw(benchmark, failures)

    beside = data.printed(benchmark)
    shown = printed.beside_cells(shown, beside.numbers, [model for model, _ in alpha.judged(benchmark)])
    shown = with_pages(shown, partial(model_link.to, benchmark=benchmark), model_link.described(benchmark.models))
    first = data.lead(benchmark, said.quad, said.kind)
    facts = notice(shown, apart.of(benchmark), first.fact if first else None)
    if facts:
        at = int(first is not None and len(facts) > 1)  # what sets the columns apart, before who is ahead of whom
        seen(overview_facts.sentence(facts[at]))
        facts = facts[:at] + facts[at + overview_facts.is_short(facts[at]) :]
    heat = f"heat-{benchmark.name}-{said.grouping}-{said.quad}-{said.kind}"
    usual = usual_order(shown)
    order = usual if order is None else order_here(order, shown, usual)
    # A column or two leave room beside them: there stand the bars.
    narrow = len(shown.columns) < NARROW and bool(causes.found(benchmark, shown)[0])
    with st.container(key="fs-stack-overview"):
        beside_it = st.columns([0.46, 0.54], gap="medium") if narrow else (st.container(), None)
    with beside_it[0]:
        behind = {at: to | tour.onward(at) for at, to in controls.behind(shown, benchmark, said).items()}
        drawn = heatmap.view(
            shown.rows, shown.columns, shown.cells, tour.marked(benchmark), compact=True,
            leads={at: to_failures.href(to) for at, to in behind.items()},
        )  # fmt: skip
        if read == stored.store().generation:
            above = ["results"] * offered + ["failure"] * bool(failures) + ["sentence"] * bool(facts)
            first_picture.keep(read, first_picture.Picture.of(benchmark.name, drawn, order, above))
        opened, order = heatmap.draw(drawn, heat, order)
        named = heatmap.named(heat)
        controls.keep_order(order, usual)
        show(heatmap.scale(shown.columns))
        chart_caption(controls.how_to_read(shown, said))
        finding.draw(
            data.heat_finding(benchmark, shown, said.grouping, first),
            heat,
            heat,
            f"flipside-{benchmark.name}-rates",
            link=address.named("benchmark", "by", "broad", "quads", "score"),
        )
    with beside_it[1] or st.container():
        causes_of, by_bars = causes.draw(benchmark, shown, f"cells-{benchmark.name}-{said.kind}", order)
    address.end()
    if model := (named or by_bars).partition("\t")[0]:
        address.go("pages/model/page.py", {**model_link.where(model, benchmark)})
    if causes_of:
        address.go("pages/failures/page.py", causes_of)
    if opened in behind:
        address.go("pages/failures/page.py", behind[opened])

    if facts:
        with fold("What else the numbers show", "overview-notice", ":material/lightbulb:"):
            overview_facts.draw(facts)
    orders.draw(benchmark, shown)
    fetched.draw(benchmark)
    printed.draw(benchmark, beside)
    if not benchmark.parts:
        thresholds.draw(benchmark)
    blind.draw(benchmark)
    with fold("Every number, with n, ties, interval and chance", "all-rates", ":material/table_rows:") as all_rates:
        if all_rates.open:
            name = f"flipside-{benchmark.name}-rates-by-{said.by}"
            overview_facts.table(data.rates(benchmark, said.grouping, every=True), f"{name}.csv")
            overview_facts.latex(shown, benchmark.name, f"{name}.tex")
    widgets_ahead.draw()
