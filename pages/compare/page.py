"""Compare: two or more models on the same items."""

from collections.abc import Sequence

import streamlit as st

from backend.errors import FlipsideError
from pages.compare import (
    answer,
    data,
    gallery,
    margins,
    not_judged,
    parts,
    series,
    sides,
    style,
    texts_alone,
    ways_on,
    what_changed,
)
from pages.compare.picture import draw as picture
from pages.compare.sides import BY
from pages.item import full
from pages.shared.frame import address, alpha
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty, page_header, section, trouble
from pages.shared.frame.sidebar import choose_benchmark, say_partial

KEYS = (
    "benchmark", "a", "b", "more", "alpha", "prior", "norm", "metric", "subset", "weights", "by", "protocol", "parts",
    "link", "which", "group", "series", "series_kind", "picked",
)  # fmt: skip

style.apply()
page_header(
    "Compare",
    "Which model is better, at what, and is the difference real?",
    "Every number is of the items that all chosen models have judged; A is the baseline.",
)
address.begin(KEYS)
folded = {"wins": ("which", "group"), "steps": ("series", "series_kind"), "margins": ("picked",)}
linked = {fold_ for fold_, names in folded.items() if any(name in st.query_params for name in names)}
benchmark = choose_benchmark(every_model=False)
if benchmark is None:
    st.stop()
chosen = sides.choose(benchmark)
if chosen is None:
    empty("There is one model with scores here", "Compare needs two: score another model, or another kind, on Runs.")
    address.stop()
say_partial(benchmark, {entry.model for entry in chosen.named})
try:
    found = data.verdicts(chosen.sides, chosen.metric, chosen.subsets)
except FlipsideError as error:
    trouble(str(error))
    address.stop()
# Subsets come first, as on Overview: a concept mixes their formats.
split = data.dividing(chosen.sides, chosen.metric, chosen.subsets, list(BY))
address.option("by", split or list(BY), (split or list(BY))[0])
by = str(st.session_state["by"])
known = data.all_series(benchmark)
names = gallery.keys(data.parting(chosen.sides, chosen.metric, chosen.subsets, by))
series.keys(known, benchmark)
address.text("picked")
if len(found):
    what_changed.keys(chosen, found)
address.end()  # all of it is in place: whoever clicks while the page is still being drawn is not sent back to the link
if not len(found):
    heading = "These do not compare" if found.unlike else "These have no verdict in common"
    empty(heading, answer.why_none(chosen, found))
    ways_on.draw(benchmark, chosen)
    st.stop()
shown, said, judged = benchmark, chosen, found
so = [entry for entry in chosen.named if entry.side.setting.alpha
      and entry.side.setting == alpha.setting(benchmark, entry.model, "gen")]  # fmt: skip
if so:
    alpha.chip(benchmark, [(entry.model, "gen") for entry in so])
else:
    alpha.unused("no side is judged by it")
if told := not_judged.not_judged(benchmark, chosen.named):
    chart_caption(told)

with st.container(key="fs-compare-answer"):
    answer.draw(chosen, found)
    if split:
        picture.draw(chosen, by, BY[by])
with st.container(horizontal=True, vertical_alignment="center", key="compare-next"):
    if len(split) > 1:
        st.segmented_control(
            "By", split, key="by", default=address.value("by"), required=True, format_func=BY.__getitem__,
            label_visibility="collapsed", help="What a line of the picture and a row of the tests is.",
        )  # fmt: skip
    answer.next_steps(benchmark, chosen, found, by)
    answer.to_copy(benchmark, chosen, found)


def _open(ids: Sequence[str], item_id: str) -> None:
    """The item over the page; B's sentence leads."""
    side = said.named[1]
    full.open_dialog(shown, ids, item_id, side.model, side.side.setting.kind)


@st.fragment
def reasons() -> None:
    """The flow and the items of its open band: a click reruns only this part."""
    open_item = what_changed.draw(shown, said)
    address.end()
    open_item()


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
    opened, ids = margins.draw(shown, said, judged)
    address.end()
    if opened:
        _open(ids, opened)


@st.fragment
def curves() -> None:
    """The checkpoints; choosing a series reruns only this part."""
    series.draw(shown, known)
    address.end()


section(what_changed.title(chosen), f"A {chosen.named[0].label} → B {chosen.named[1].label}, the same items")
what_changed.choose(found)
reasons()
with fold("Wins and losses, item by item", "compare-wins", ":material/grid_view:", first="wins" in linked) as box:
    if box.open:
        wins_and_losses()
with fold("Every test", "compare-tests", ":material/table:") as box:
    if box.open:
        parts.tests(benchmark, chosen, found, by if split else "", BY[by] if split else "items")
        if split:
            picture.to_be_copied(benchmark, chosen, found, by, BY[by])
if len(chosen.named) > 2:
    with fold("Everyone against everyone", "compare-all", ":material/grid_on:") as box:
        if box.open:
            parts.matrix(benchmark, chosen, found)
if none := gallery.no_margins(chosen):
    chart_caption(f"How far apart the two are on an item is not known: {none}.")
else:
    with fold(
        "How far apart? The margins of both", "compare-margins", ":material/scatter_plot:", first="margins" in linked
    ) as box:
        if box.open:
            plane()
texts_alone.draw(benchmark)
if known:
    with fold("Checkpoints as curves", "compare-steps", ":material/show_chart:", first="steps" in linked) as box:
        if box.open:  # their α* takes seconds the first time, so it is computed for those who look
            curves()
