"""Equivariance: does the score change with the meaning?"""

from pathlib import Path

import streamlit as st

from backend.kinds import PAIR_KINDS, listed
from pages.equivariance import everyone, pairs, parts, planes
from pages.equivariance import options as equivariance_options
from pages.item import opened
from pages.shared.drawing import explore
from pages.shared.frame import address, alpha
from pages.shared.frame.fold import fold
from pages.shared.frame.header import empty, page_header
from pages.shared.frame.sidebar import choose_benchmark, say_partial
from pages.shared.frame.style import sheet
from pages.shared.frame.tips import kind_name

explore.apply()
sheet(Path(__file__).with_name("reasons.css"))
page_header(
    "Equivariance",
    "Does the score change with the meaning?",
    "Each point is a quad: right in the green wedge, where binding is larger than the biases of caption and image.",
)
opened.arrive()
address.begin(equivariance_options.KEYS)
benchmark = choose_benchmark(every_model=False)
if benchmark is None:
    st.stop()
quads = benchmark.with_protocol("quad")
kinds = [k for k in equivariance_options.KINDS if any(k in of for of in benchmark.kinds.values())]
if not quads:
    empty(
        "This benchmark has no quads",
        "Equivariance needs two images and two captions an item; choose another benchmark in the sidebar.",
    )
    address.stop()
if not kinds:
    empty(
        "No score says how alike image and caption are",
        f"Forced choices and priors do not say it. Score a model with kind {listed(PAIR_KINDS)} on the Runs page.",
    )
    address.stop()
options = equivariance_options.choose(benchmark, quads, parts.concepts(benchmark, kinds), kinds)
if not parts.scored(benchmark, options.able, options.kind, options.scale, options.category):
    empty(
        "No quad has been scored with this kind",
        "Choose another score kind, or another subset or concept, in the sidebar.",
    )
    address.stop()
say_partial(
    benchmark,
    [m for m in options.able if m in benchmark.partial
     and parts.scored(benchmark, [m], options.kind, options.scale, options.category)],
)  # fmt: skip
alpha.unused("rates and planes are as scored, deviations of generation take all of log P(t) away")
planes.draw(benchmark, options)
with fold("Every model: what it knows beside what it loses", "equivariance-everyone", ":material/table:") as box:
    if box.open:
        everyone.draw(benchmark, options)
said = f"{options.where} · {kind_name(options.kind)} · {options.said}"
with fold(f"Right, and equivariant? Rates and deviations, {said}", "equivariance-table", ":material/table:") as box:
    if box.open:
        parts.table(benchmark, parts.of_options(benchmark, options), options)
with fold(
    f"How far from equivariant? {options.where}, {options.said}", "violins-open", ":material/show_chart:",
    first=options.asks_violins,
) as box:  # fmt: skip
    if box.open:
        parts.violins(benchmark, parts.of_options(benchmark, options), options)
if benchmark.with_protocol("retrieval"):
    with fold(
        "Close pairs mined from the pool", "pairs-open", ":material/compare_arrows:", first=options.asks_pairs
    ) as box:
        if box.open:
            pairs.draw(benchmark, options)
with fold("How the plane is made and read", "equivariance-how", ":material/menu_book:") as box:
    if box.open:
        everyone.how(benchmark, options)
address.end()
