"""Overview: which models fail at what."""

import streamlit as st

from backend.metrics.thresholds import DEFAULT
from pages.parts import address, explore, heatmap, overview_facts, overview_thresholds, stored
from pages.parts.header import chart_caption, empty, page_header, section
from pages.parts.overview_view import BEST, EVERY, QUAD_SCORES, SHORT, Grid, grid, headline, notice
from pages.parts.sidebar import choose_benchmark, kinds_help
from pages.parts.tips import KINDS, kind_name, metric_tip

explore.apply()
page_header(
    "Overview",
    "Which models fail at what?",
    "Each number is the share of items that a model gets right, with half its 95 % interval; click one to see the "
    "failures behind it.",
)
GROUPS = {"subset": "Subset", "concept": "Concept", "perturbation": "Change"}


def open_failures(shown: Grid, benchmark: stored.Chosen, by: str, opened: tuple[str, str]) -> None:
    """Go to the failures behind a cell."""
    row, column = opened
    if opened not in shown.kinds:
        return
    group, metric = column.split("\t")
    address = {"model": row.split("\t")[0], "kind": shown.kinds[opened], "metric": metric, by: group.split(" (")[0]}
    st.switch_page("pages/failures.py", query_params={"benchmark": benchmark.name, **address})


address.begin(("benchmark", "by", "quads", "score", "threshold"))
benchmark = choose_benchmark()
if benchmark is None:
    st.stop()
offered = [kind for kind in KINDS if any(kind in kinds for kinds in benchmark.kinds.values())]
with st.sidebar:
    by = st.segmented_control(
        "Columns", list(GROUPS), key=address.one("by", list(GROUPS), "subset"), required=True,
        format_func=GROUPS.__getitem__, help="What the columns are: parts of the benchmark, what an item is about, or "
        "how its captions were changed.",
    ) or "subset"  # fmt: skip
    quad = st.segmented_control(
        "Quads judged by", QUAD_SCORES, key=address.one("quads", QUAD_SCORES, QUAD_SCORES[0]), required=True,
        format_func=lambda name: SHORT[name].removesuffix(" score"),
        help="\n\n".join(metric_tip(name) for name in QUAD_SCORES),
    ) or QUAD_SCORES[0]  # fmt: skip
    kind = st.selectbox(
        "Score kind", [BEST, EVERY, *offered], key=address.one("score", [BEST, EVERY, *offered], BEST),
        format_func=lambda k: {BEST: "each model's best", EVERY: "all, a row each"}.get(k, f"{kind_name(k)} ({k})"),
        help="How a model judges an image with a text. “Each model's best” takes the kind with the highest mean rate. "
        "Text–text columns always compare texts alone.\n\n" + kinds_help(offered),
    ) or BEST  # fmt: skip
address.numbers("threshold", 0.0, 1.0, DEFAULT)
address.end()

known = stored.headlines(benchmark, by) if quad == QUAD_SCORES[0] else stored.rates(benchmark, by)
frame = headline(known, quad)
order = list(benchmark.subsets) if by == "subset" else list(dict.fromkeys(frame["group"]))
shown = grid(frame, order, kind)
if not shown.rows:
    empty(
        "No model has scores of this kind",
        "Choose another score kind in the sidebar; a forced choice judges quads by their text score only.",
    )
    st.stop()
opened = heatmap.draw(heatmap.view(shown.rows, shown.columns, shown.cells), f"heat-{by}-{quad}-{kind}")
if opened:
    open_failures(shown, benchmark, by, opened)
chart_caption(
    f"Per cent of items right, ± half of the 95 % interval. {heatmap.LEGEND}. Ties count as failures. Chance is what "
    "independent random scores reach; a model that cannot see a difference falls far below it on quads."
)
facts = notice(shown)
if facts:
    section("What to notice", "read off the numbers above")
    overview_facts.draw(facts)
overview_thresholds.draw(benchmark)
section("As a table", "every metric, with n, ties, interval and chance")
with st.expander("All rates", icon=":material/table_rows:", key="all-rates", on_change="rerun") as all_rates:
    if all_rates.open:
        overview_facts.table(stored.rates(benchmark, by), f"flipside-{benchmark.name}-rates-by-{by}.csv")
