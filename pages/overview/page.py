"""Overview: which models fail at what."""

import streamlit as st

from pages.overview import blind, causes, controls, data, fetched, orders, printed, thresholds
from pages.overview import facts as overview_facts
from pages.overview.controls import KEYS, address_of
from pages.overview.view import grid, headline, notice, order_here, usual_order
from pages.shared.data import apart, stored
from pages.shared.drawing import explore, finding, heatmap
from pages.shared.frame import address, real_results
from pages.shared.frame.header import chart_caption, empty, page_header, section
from pages.shared.frame.sidebar import choose_benchmark
from pages.tour import tour

explore.apply()
page_header(
    "Overview",
    "Which models fail at what?",
    "The bars say what the scores of each item show: what a model gets right, and what outvotes it where it fails. In "
    "the table each number is the share of items right, with its 95 % interval. Click either for the items.",
)
address.begin(KEYS)
top = st.container()
benchmark = choose_benchmark(together=True)
with top:
    known_models = [model for each in stored.chosen().values() for model in each.models]
    real_results.draw_card(known_models, benchmark.name if benchmark is not None else "")
if benchmark is None:
    st.stop()
said = controls.draw(benchmark)
order = controls.order()
thresholds.keys(benchmark)

known = data.rates(benchmark, said.grouping, quad=said.quad)
frame = headline(known, said.quad)
groups = list(benchmark.subsets) if said.by == "subset" and not benchmark.parts else list(dict.fromkeys(frame["group"]))
shown = grid(frame, groups, said.kind)
if not shown.rows:
    address.end()
    empty(
        "No model has scores of this kind",
        "Choose another score kind in the sidebar; a forced choice judges quads by their text score only.",
    )
    st.stop()
causes_of = causes.draw(benchmark, shown, f"cells-{benchmark.name}-{said.kind}")
section("How often is it right?", f"by {said.by}")
beside = data.printed(benchmark)
shown = printed.beside_cells(shown, beside.numbers)
heat = f"heat-{benchmark.name}-{said.grouping}-{said.quad}-{said.kind}"
usual = usual_order(shown)
order = usual if order is None else order_here(order, shown, usual)
opened, order = heatmap.draw(
    heatmap.view(shown.rows, shown.columns, shown.cells, tour.marked(benchmark)), heat,
    order,
)  # fmt: skip
controls.keep_order(order, usual)
address.end()
if causes_of:
    address.go("pages/failures/page.py", causes_of)
if opened:
    finer = stored.headlines(benchmark, said.by) if said.broad else None
    if wanted := address_of(shown, benchmark, said, opened, finer):
        address.go("pages/failures/page.py", wanted | tour.onward(opened))
chart_caption(
    f"Per cent of items right, in brackets the ends of the 95 % interval. {heatmap.LEGEND}. Ties count as failures. "
    "Chance is what independent random scores reach; a model that cannot see a difference falls far below it on quads."
)
first = data.lead(benchmark, said.quad, said.kind)
finding.draw(
    data.heat_finding(benchmark, shown, said.grouping, first),
    heat,
    heat,
    f"flipside-{benchmark.name}-rates",
    link=address.named("benchmark", "by", "broad", "quads", "score"),
)
orders.draw(benchmark, shown)
if facts := notice(shown, apart.of(benchmark), first.fact if first else None):
    section("What to notice", "read off the numbers above")
    overview_facts.draw(facts)
fetched.draw(benchmark)
printed.draw(benchmark, beside)
if not benchmark.parts:
    thresholds.draw(benchmark)
blind.draw(benchmark)
section("As a table", "every metric, with n, ties, interval and chance")
with st.expander("All rates", icon=":material/table_rows:", key="all-rates", on_change="rerun") as all_rates:
    if all_rates.open:
        name = f"flipside-{benchmark.name}-rates-by-{said.by}"
        overview_facts.table(data.rates(benchmark, said.grouping, every=True), f"{name}.csv")
        overview_facts.latex(shown, benchmark.name, f"{name}.tex")
