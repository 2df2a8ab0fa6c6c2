"""Atlas: where every published CLIP stands, and where mine."""

from pathlib import Path

import streamlit as st
from markupsafe import Markup

from backend.errors import FlipsideError
from backend.live import real_results
from pages.atlas import card, correlation, data, offer, options, others, plane, taught
from pages.atlas import view as atlas_view
from pages.shared.drawing import colours, explore, finding
from pages.shared.drawing.numbers import count
from pages.shared.frame import address
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, page_header, section, seen, trouble
from pages.shared.frame.next_step import next_step
from pages.shared.frame.style import sheet

CHART = "atlas-plane"

explore.apply()
sheet(Path(__file__).with_name("style.css"))
page_header(
    "Atlas",
    "Where does a model stand among all that anyone has measured?",
    "A point is a published CLIP, as measured by Oh et al. 2024; a star is a run stored here, on the same items.",
)
address.begin(options.KEYS)
there = real_results.atlas_file()
if there is None:
    offer.draw()
    st.stop()
try:
    atlas = data.atlas(*there)
    own = data.own()
except FlipsideError as error:
    trouble(str(error))
    st.stop()

names = colours.labels([each.model for each in own])
view = options.choose(atlas, own, names)
best = atlas_view.said(view, atlas)
both = None if view.x.key == view.y.key else data.correlations(atlas, (view.x, view.y), None)
alike = atlas_view.together(both, view) if both is not None else ""
seen(Markup('<span class="atl-said">{}</span>').format(alike or best))
plane.draw(
    plane.drawing(view, atlas, own, names), CHART,
    f"{count(int(view.shown(atlas).sum()), 'model')}: {view.x.title} across, {view.y.title} up. {best}",
    lambda: options.click(plane.opened(CHART)),
)  # fmt: skip
chosen = next((each for each in own if each.key == view.star), None)
drawn = atlas_view.stars(view, own) if view.stars else []
stands = ", and it stands here" if atlas_view.can_stand(view) else ""
with st.container(horizontal=True, vertical_alignment="center"):
    if chosen is not None and chosen.benchmarks:
        next_step(
            f"All of {names[chosen.model]}: what it fails at, and why", "model", model=chosen.model,
            benchmark=chosen.benchmarks[0],
        )  # fmt: skip
    elif drawn:
        next_step("What the models stored here get wrong", "overview")
    else:
        next_step("Score a model of your own" + stands, "runs", tab="score")
    finding.draw(atlas_view.to_copy(view, atlas, both), CHART, CHART, "flipside-atlas", link=address.named("x", "y"))
    chart_caption("Click a point or a star for its model." if drawn else "Click a point for its model.")
if view.entry is not None:
    section("This model", card.place_said(view.x, atlas, view.entry))
    with st.container(key=card.KEY):
        card.draw(atlas, view.entry, own, names)
    said = card.to_copy(atlas, view.entry, (view.x, view.y), own, names)
    finding.draw(said, card.KEY, card.KEY, "flipside-atlas-model", link=address.named("x", "y", "entry"))
if chosen is not None:
    section("This model", "stored here")
    if not_there := atlas_view.missing(view, chosen, own, names[chosen.model]):
        chart_caption(not_there)
    with st.container(key=card.KEY):
        card.draw_own(chosen, atlas, names)
    said = card.own_to_copy(chosen, atlas, names)
    finding.draw(said, card.KEY, card.KEY, "flipside-atlas-model", link=address.named("x", "y", "entry"))
with fold("How the plane is read: front, precision, chance, stars", "atlas-fold-how", ":material/menu_book:") as box:
    if box.open:
        notes = (atlas_view.precision(view, atlas), atlas_view.chance_said(view), atlas_view.stars_said(view, own))
        for line in (best, *filter(None, notes), offer.credit(len(atlas.entries))):
            chart_caption(line)
with fold(
    "What teaching changed: each base → taught, on all benchmarks and tasks", "atlas-fold-taught", ":material/school:"
) as box:
    if box.open:
        changes = taught.changes(atlas, view.x, view.y)
        taught.draw(changes, atlas, view.x, view.y)
        chart_caption(
            "▲ rose, ▼ fell, and the median change in points. Only rates are published, not items, so single changes "
            "have no paired test; the sign test takes benchmarks and tasks as the sample. Hold the pointer on a name "
            "for how and by whom."
        )
        finding.draw(
            taught.to_copy(changes, atlas), taught.KEY, taught.KEY, "flipside-atlas-taught",
            link=address.named("x", "y"),
        )  # fmt: skip
asked = correlation.place()
with fold("Which benchmarks measure the same thing?", "atlas-fold-alike", ":material/grid_on:", first=asked) as box:
    if box.open:
        correlation.draw(atlas)
with fold(
    "Where sources disagree: the same model and benchmark, printed elsewhere", "atlas-fold-others", ":material/rule:"
) as box:
    if box.open:
        elsewhere = others.with_own(atlas, own, names)
        others.draw(atlas, elsewhere)
        finding.draw(others.to_copy(elsewhere), others.KEY, others.KEY, "flipside-atlas-sources", link={})
address.end()
