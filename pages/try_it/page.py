"""Try it: every score of every chosen model for images and captions of your own, and what turns it."""

import streamlit as st

from backend.live.scoring.examples import EXAMPLES
from pages.runs import style
from pages.shared.frame import alpha
from pages.shared.frame.header import page_header
from pages.try_it import explain, inputs, scores, state
from pages.try_it.bench import bench
from pages.try_it.many import batch, rank

state.begin()
page_header("Try it", *inputs.head())
alpha.unused("what is scored here is shown as scored")
models, kinds, prior = scores.sidebar()
with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    doing = inputs.mode()
    if doing == "one":
        for example in EXAMPLES:
            st.button(
                example.title, key=f"try-{example.name}", help=example.asks, on_click=state.choose, args=(example,)
            )
        st.button("Your own", key="try-own-inputs", icon=":material/upload:", on_click=state.clear, type="tertiary")
if doing == "many":
    style.apply()
    batch.draw(models, kinds, prior)
    st.stop()
if doing == "rank":
    rank.draw(models, kinds)
    st.stop()

st.session_state.try_whole = True
bench.draw(models, kinds, prior)
explain.style()
scores.bring_libraries(models, prior)
