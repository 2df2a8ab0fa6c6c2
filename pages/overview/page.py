"""Overview: which models fail at what."""

import streamlit as st

from backend.metrics.thresholds import DEFAULT
from pages.overview import controls, data, printed, thresholds
from pages.overview import facts as overview_facts
from pages.overview.controls import KEYS, address_of
from pages.overview.view import grid, headline, notice
from pages.shared.data import stored
from pages.shared.drawing import explore, heatmap
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, empty, page_header, section
from pages.shared.frame.sidebar import choose_benchmark
from pages.tour import tour

explore.apply()
page_header(
    "Overview",
    "Which models fail at what?",
    "Each number is the share of items that a model gets right, with the ends of its 95 % interval; click one to "
    "see the failures behind it, or a column's name to sort by it.",
)
address.begin(KEYS)
benchmark = choose_benchmark(together=True)
if benchmark is None:
    st.stop()
said = controls.draw(benchmark)
order = str(st.session_state[address.text("order")])
address.number("threshold", 0.0, 1.0, DEFAULT)

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
beside = data.printed(benchmark)
shown = printed.beside_cells(shown, beside.numbers)
opened, order = heatmap.draw(
    heatmap.view(shown.rows, shown.columns, shown.cells, tour.marked(benchmark)),
    f"heat-{benchmark.name}-{said.grouping}-{said.quad}-{said.kind}",
    order.replace("|", "\t"),
)
address.note("order", order.replace("\t", "|"), "")
address.end()
if opened:
    finer = stored.headlines(benchmark, said.by) if said.broad else None
    if wanted := address_of(shown, benchmark, said, opened, finer):
        address.go("pages/failures/page.py", wanted | tour.onward(opened))
chart_caption(
    f"Per cent of items right, in brackets the ends of the 95 % interval. {heatmap.LEGEND}. Ties count as failures. "
    "Chance is what independent random scores reach; a model that cannot see a difference falls far below it on quads."
)
if facts := notice(shown):
    section("What to notice", "read off the numbers above")
    overview_facts.draw(facts)
printed.draw(benchmark, beside)
if not benchmark.parts:
    thresholds.draw(benchmark)
section("As a table", "every metric, with n, ties, interval and chance")
with st.expander("All rates", icon=":material/table_rows:", key="all-rates", on_change="rerun") as all_rates:
    if all_rates.open:
        name = f"flipside-{benchmark.name}-rates-by-{said.by}"
        overview_facts.table(data.rates(benchmark, said.grouping, every=True), f"{name}.csv")
        overview_facts.latex(shown, benchmark.name, f"{name}.tex")
