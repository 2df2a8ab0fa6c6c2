"""Model: how one model does on each concept, and why it fails where it does."""

from pathlib import Path

import streamlit as st
from markupsafe import Markup

from pages.model import atlas_place, chosen, data, lacking, lines, printing, prior, sensitive, to_copy, typical
from pages.overview.controls import GROUPS
from pages.shared.data import partners, under
from pages.shared.drawing import cells, explore, finding
from pages.shared.frame import address, alpha, title
from pages.shared.frame.header import chart_caption, empty, page_header, seen
from pages.shared.frame.next_step import next_step, second_step
from pages.shared.frame.sidebar import choose_benchmark, choose_kind
from pages.shared.frame.style import sheet, show

KEYS = ("benchmark", "model", "kind", "by")

explore.apply()
sheet(Path(__file__).with_name("style.css"))
page_header(
    "Model",
    "How does this model do, and why does it fail?",
    "How often it is right on each part of the benchmark, beside what random scores would reach.",
)
address.begin((*KEYS, *alpha.KEYS))
alpha.begin()
benchmark = choose_benchmark(every_model=False)  # the head says it of the one that is shown
if benchmark is None:
    st.stop()
model = chosen.choose(benchmark)
title.name(data.name(benchmark, model) if model else "")
if model is None:
    st.stop()
with st.sidebar:
    kind = choose_kind(data.kinds(benchmark, model))
    offered = data.groupings(benchmark)
    by = offered[0]
    if len(offered) > 1:
        by = st.segmented_control(
            "Lines", offered, key=address.option("by", offered, offered[0]), default=address.value("by"),
            required=True, format_func=GROUPS.__getitem__,
            help="What a line is: a subset of the benchmark, what an item is about, or how its captions were changed.",
        ) or by  # fmt: skip
address.end()

shown = data.grid(benchmark, model, kind, by, alpha.judged(benchmark))
drawn = lines.of_grid(shown)
name = data.name(benchmark, model)
with st.container(key="model-head"):
    left, right = st.columns([0.62, 0.38], vertical_alignment="center")
with left:
    chosen.head(benchmark, model)
with right, st.container(horizontal=True, horizontal_alignment="right", gap="small", key="model-next"):
    next_step("Open its failures", "failures", benchmark=benchmark.name, model=model, kind=kind)
    if partners.partner(benchmark, model, kind):  # Compare opens on the first that it finds
        second_step("Compare it", "compare", icon=":material/balance:", benchmark=benchmark.name, a=f"{kind} {model}")
    printing.draw()
alpha.chip(benchmark, [(model, kind)], "Typical failures and what the prior decides are as scored.")
if not drawn:
    empty(
        f"No rates of {name} by this score kind",
        "Choose another score kind or benchmark in the sidebar; the text-only kinds judge text–text items alone.",
    )
    st.stop()
if said := lines.seen(name, shown, drawn, benchmark.name, by):
    seen(said)

key = f"model-lines-{benchmark.name}-{model}-{kind}-{by}"
bars, missing = under.bars(benchmark, ((model, kind),), alpha.judged(benchmark))
with st.container(key="fs-stack-model"):
    picture, reasons = st.columns([0.56, 0.44], gap="medium") if bars or missing else (st.container(), None)
with picture:
    show(Markup('<p class="md-label">How often is it right? Per cent, against chance</p>'))
    opened = lines.draw(lines.view(drawn, f"How often {name} is right, by {by}"), key)
    chart_caption("Dot: items right, with its 95 % interval; tick: chance. Click a line for its failures.")
part = None
if reasons is not None:
    with reasons:
        show(Markup('<p class="md-label" title="{}">{}</p>').format(cells.caption(len(bars)), cells.TITLE))
        part = cells.draw(cells.of_one(bars, missing), f"model-cells-{benchmark.name}-{model}-{kind}")
finding.draw(
    to_copy.said(name, benchmark, kind, drawn, alpha.setting(benchmark, model, kind)), key, key,
    f"flipside-{benchmark.name}-model", link=address.named(*KEYS),
)  # fmt: skip
item = typical.draw(benchmark, model, kind)
debias = prior.draw(benchmark, model) if kind == "gen" else None
reacts = sensitive.draw(benchmark, model, kind)
placed = atlas_place.draw(benchmark, model)
has_prior = kind == "gen" and prior.applies(benchmark, model)
left_out = None if reacts else sensitive.left_out(benchmark, model, kind)
lacking.draw(
    lacking.found(benchmark, model, kind, prior=has_prior, sensitive=reacts, placed=placed, left=left_out)
)  # fmt: skip

of = {"benchmark": benchmark.name, "model": model, "kind": kind}
if opened:
    address.go("pages/failures/page.py", of | data.behind(opened, shown, by))
if part:
    address.go("pages/failures/page.py", of | {"subset": part[2], "cell": part[3], "show": "all"})
if item:
    address.go("pages/item/page.py", of | {"item": item})
if debias:
    address.go("pages/debias/page.py", {**debias})
