"""Compare: two or more models on the same items."""

from collections.abc import Sequence

import streamlit as st

from backend.errors import FlipsideError
from backend.store.compare.compare import groups
from pages.compare import data, gallery, parts, series, sides, style, texts_alone
from pages.item import full
from pages.shared.drawing import colours
from pages.shared.frame import address  # fmt: skip
from pages.shared.frame.header import empty, page_header, section, trouble
from pages.shared.frame.sidebar import choose_benchmark

KEYS = (
    "benchmark", "a", "b", "more", "alpha", "prior", "metric", "subset", "by", "which", "group", "series",
    "series_kind",
)  # fmt: skip
BY = {"concept": "concept", "subset": "subset", "perturbation": "change"}

style.apply()
page_header(
    "Compare",
    "Which model is better, at what, and is the difference real?",
    "All numbers are of the items that every chosen model has judged. A is the baseline; what the others gain over "
    "it is drawn to the right. A difference is more than chance where its interval leaves out zero and its adjusted "
    "p is below .05.",
)
address.begin(KEYS)
linked = any(key in st.query_params for key in ("series", "series_kind"))
benchmark = choose_benchmark()
if benchmark is None:
    st.stop()
chosen = sides.choose(benchmark)
if chosen is None:
    empty("There is one model with scores here", "Compare needs two: score another model, or another kind, on Runs.")
    st.stop()
try:
    found = data.verdicts(chosen.sides, chosen.metric, chosen.subsets)
except FlipsideError as error:
    trouble(str(error))
    st.stop()
# What all these items have alike divides nothing.
split = [name for name in BY if any(not rows.all() for _, rows in groups(found.frame, name))]
address.option("by", split or list(BY), "concept" if "concept" in (split or BY) else split[0])
by = str(st.session_state["by"])
known = data.all_series(benchmark)
names = gallery.keys(found, by)
series.keys(known, benchmark)
address.end()  # all of it is in place: whoever clicks while the page is still being drawn is not sent back to the link
if not len(found):
    empty("These have no verdict in common", parts.why_none(chosen, found))
    st.stop()

parts.summary(chosen, found)
parts.answer(benchmark, chosen, found)
if split:
    section("By what is tested", "left: rates; right: what is gained over A")
    if len(split) > 1:
        st.segmented_control(
            "By", split, key="by", default=address.value("by"), required=True, format_func=BY.__getitem__,
            label_visibility="collapsed",
        )  # fmt: skip
    parts.charts(benchmark, chosen, found, by, BY[by])
a_row = f"one row for each {BY[by]}" + (" and model" if len(chosen.named) > 2 else "") if split else ""
section("The tests", a_row or ("one row for each model" if len(chosen.named) > 2 else ""))
parts.tests(benchmark, chosen, by if split else "", BY[by] if split else "items")
if len(chosen.named) > 2:
    section("Everyone against everyone", "above the diagonal: what the column gains over the row; below: agreement")
    parts.matrix(benchmark, chosen, found)
shown, said, judged = benchmark, chosen, found


def _open(ids: Sequence[str], item_id: str) -> None:
    """The item over the page; B's sentence leads."""
    side = said.named[1]
    full.open_dialog(shown, ids, item_id, side.model, side.side.setting.kind)


@st.fragment
def wins_and_losses() -> None:
    """The gallery; its two choices rerun only this part."""
    opened, ids = gallery.draw(shown, said, judged, by, names)
    address.end()
    if opened:
        _open(ids, opened)


@st.fragment
def plane() -> None:
    """The margins; a lasso reruns only this part."""
    opened, ids = parts.margins(shown, said, judged)
    if opened:
        _open(ids, opened)


@st.fragment
def curves() -> None:
    """The checkpoints; opening them and choosing a series rerun only this part. Their α* takes seconds the first time,
    so it is computed for those who look, or whose link names a series."""
    if not known:
        series.draw(shown, known)
        return
    with st.expander(
        "Accuracy, deviation and α* over the steps", linked, key="steps-open", icon=":material/show_chart:",
        on_change="rerun",
    ) as box:  # fmt: skip
        if box.open:
            series.draw(shown, known)
    address.end()


pair = f"A {colours.label(chosen.named[0].label)}, B {colours.label(chosen.named[1].label)}"
section("Wins and losses", pair)
wins_and_losses()
section("How far apart?", f"each verdict's margin, {pair}; draw a lasso or a box around some")
plane()
texts_alone.draw(benchmark)
section("Checkpoints as curves", "models whose runs name a series and a step")
curves()
