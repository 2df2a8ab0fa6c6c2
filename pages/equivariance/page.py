"""Equivariance: does the score change with the meaning?"""

from pathlib import Path

import streamlit as st

from backend.kinds import PAIR_KINDS, listed
from pages.equivariance import options as equivariance_options
from pages.equivariance import pairs, parts, planes
from pages.shared.drawing import explore
from pages.shared.frame import address
from pages.shared.frame.header import empty, page_header, section
from pages.shared.frame.sidebar import choose_benchmark
from pages.shared.frame.style import sheet
from pages.shared.frame.tips import kind_name

explore.apply()
sheet(Path(__file__).with_name("reasons.css"))
page_header(
    "Equivariance",
    "Does the score change with the meaning?",
    "When images and captions are swapped together, the scores of an equivariant model swap, too: its deviations "
    "are zero. Small deviations prove nothing by themselves: a model that tells nothing apart has them as well, so "
    "read them beside the rates.",
)
address.begin(equivariance_options.KEYS)
benchmark = choose_benchmark()
if benchmark is None:
    st.stop()
quads = benchmark.with_protocol("quad")
kinds = [k for k in equivariance_options.KINDS if any(k in of for of in benchmark.kinds.values())]
if not quads:
    empty(
        "This benchmark has no quads",
        "Equivariance needs two images and two captions an item; choose another benchmark in the sidebar.",
    )
    st.stop()
if not kinds:
    empty(
        "No score says how alike image and caption are",
        f"Forced choices and priors do not say it. Score a model with kind {listed(PAIR_KINDS)} on the Runs page.",
    )
    st.stop()
options = equivariance_options.choose(benchmark, quads, parts.concepts(benchmark, kinds), kinds)
frame = parts.quads(benchmark, options.able, options.kind, options.scale, options.category)
if frame.empty or not frame["s11"].notna().any():
    empty(
        "No quad has been scored with this kind",
        "Choose another score kind, or another subset or concept, in the sidebar.",
    )
    st.stop()
planes.draw(benchmark, options)
section("Right, and equivariant?", f"{options.where} · {kind_name(options.kind)} · {options.said}")
parts.table(benchmark, frame, options)
with st.expander(
    f"How far from equivariant? {options.where}, {options.said}", icon=":material/show_chart:", key="violins-open",
    on_change="rerun", expanded=options.asks_violins,
) as violins:  # fmt: skip
    if violins.open:
        parts.violins(benchmark, frame, options)
if benchmark.with_protocol("retrieval"):
    with st.expander(
        "Close pairs mined from the pool", icon=":material/compare_arrows:", key="pairs-open", on_change="rerun",
        expanded=options.asks_pairs,
    ) as mined:  # fmt: skip
        if mined.open:
            pairs.draw(benchmark, options)
address.end()
