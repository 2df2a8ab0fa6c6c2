"""Teach: what a training fixed and what it broke. Training itself is not in this version."""

import streamlit as st
from markupsafe import Markup

from pages.compare import data, gallery, series, style
from pages.item import full
from pages.shared.data import findings
from pages.shared.drawing import finding
from pages.shared.drawing.numbers import count
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, empty, page_header, section
from pages.shared.frame.sidebar import choose_benchmark
from pages.shared.frame.style import show
from pages.teach import change as teach_change
from pages.teach import methods

KEYS = ("benchmark", "series", "before", "after", "kind", "which", "group")

style.apply()
page_header(
    "Teach",
    "What did training fix, and what did it break?",
    "A rising average can hide items that were right before and are wrong now. Choose two checkpoints of one "
    "training: every number compares the same items before and after, from stored scores.",
)
st.info(
    "Training from here is not in this version: Teach compares checkpoints that were trained elsewhere. What it is "
    "going to train, and by which papers, stands at the end of the page.", icon=":material/school:",
)  # fmt: skip
address.begin(KEYS)
benchmark = choose_benchmark()
if benchmark is None:
    section("What will be taught")
    methods.draw()
    st.stop()
known = data.all_series(benchmark)
change = teach_change.choose(benchmark, known) if known else None
if change is None:
    address.end()
    empty("No two checkpoints of one training are here", series.HOW)
    section("What will be taught")
    methods.draw()
    st.stop()

sides = change.chosen.sides
found = data.verdicts(sides, None, ())
names = gallery.keys(found, "concept")
address.end()
overall = data.against(sides, None, (), "").iloc[0]
show(Markup('<p class="cmp-said">{}</p>').format(teach_change.sentence_html(overall, change)))
a, b = (entry.label for entry in change.chosen.named)
setting = ("the headline metric of each protocol", change.chosen.named[1].side.setting.said(), benchmark.name)
finding.draw(
    findings.difference(a, b, overall, setting),
    "teach",
    name=f"flipside-{benchmark.name}-teach",
    link=address.named("benchmark", "series", "before", "after", "kind"),
)
tests = data.against(sides, None, (), "concept")
if len(found):
    teach_change.table(tests, change)
    chart_caption(
        f"{count(len(found), 'verdict')} by the headline metric of each protocol. Fixed: wrong before and right after; "
        "broken: right before and wrong after. Holm: adjusted over these rows."
    )
teach_change.to_compare(benchmark, change)
chart_caption(teach_change.ups_and_downs(tests))
if change.series == teach_change.EXAMPLE:
    chart_caption(teach_change.ABOUT_EXAMPLE)
shown, of, judged = benchmark, change, found


@st.fragment
def fixed_and_broken() -> None:
    """The items; their two choices rerun only this part."""
    opened, ids = gallery.draw(shown, of.chosen, judged, "concept", names, teach_change.WORDS)
    address.end()
    if opened:
        side = of.chosen.named[1]
        full.open_dialog(shown, ids, opened, side.model, side.side.setting.kind)


section("Which items?", "fixed, broken, and wrong all along")
fixed_and_broken()
section("What will be taught", "three ways with their papers; to be trained from this page in a later version")
methods.draw()
