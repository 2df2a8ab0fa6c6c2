"""Equivariance: does the score change with the meaning?"""

import streamlit as st

from backend.kinds import PAIR_KINDS, listed
from pages.equivariance import options as equivariance_options
from pages.equivariance import pairs, parts, planes
from pages.shared.drawing import explore
from pages.shared.frame import address
from pages.shared.frame.header import empty, page_header, section
from pages.shared.frame.sidebar import choose_benchmark
from pages.shared.frame.tips import kind_name

explore.apply()
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
section("Right, and equivariant?", f"{options.where} · {kind_name(options.kind)} · {options.said}")
parts.table(benchmark, frame, options)
planes.draw(benchmark, options)
section("How far from equivariant?", f"{options.where} · {kind_name(options.kind)} · {options.said}")
parts.violins(benchmark, frame, options)
pairs.draw(benchmark, options)
address.end()
