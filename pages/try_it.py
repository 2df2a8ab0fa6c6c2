"""Try it: every score of every chosen model for images and captions of your own."""

import streamlit as st

from backend.errors import FlipsideError
from backend.live import captions
from backend.live.examples import EXAMPLES
from pages.parts import (
    colours,
    runs_style,
    try_batch,
    try_explain,
    try_inputs,
    try_rank,
    try_results,
    try_save,
    try_scores,
    try_state,
)
from pages.parts.header import empty, page_header, trouble
from pages.parts.plain import plain

try_state.begin()
page_header("Try it", *try_inputs.head())
models, kinds, prior = try_scores.sidebar()
doing = try_inputs.mode()
if doing == "many":
    runs_style.apply()
    try_batch.draw(models, kinds, prior)
    st.stop()
if doing == "rank":
    try_rank.draw(models, kinds)
    st.stop()

with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    for example in EXAMPLES:
        st.button(
            example.title, key=f"try-{example.name}", help=example.asks, on_click=try_state.choose, args=(example,)
        )
    st.button("Your own", key="try-own-inputs", icon=":material/upload:", on_click=try_state.clear, type="tertiary")

left, right = st.columns([5, 6], gap="large")
with left:
    shown, thumbs = try_inputs.images()
with right:
    lines = try_inputs.captions()
    layout = try_inputs.layout(len(shown), lines)
    asked = st.button("Score", type="primary", icon=":material/play_arrow:", shortcut="Mod+Enter", key="try-score")

try:
    texts = captions.check(lines)
except FlipsideError as error:
    trouble(str(error))
    st.stop()
if asked:
    st.session_state.try_live = True
try_state.write_address(shown, texts, layout)

if not shown:
    empty("No image yet", "Choose an example above, or drop, or paste, images on the left.")
    st.stop()
if len(texts) < 2:
    empty("Too few captions", "Type at least two captions, one a line, so that there is something to choose between.")
    st.stop()
if not models:
    empty("No model chosen", "Choose at least one model in the sidebar.")
    st.stop()

try_inputs.sharing(shown)
try_save.draw(shown, texts, layout)
for remark in try_scores.remarks(shown, texts, models, prior):
    st.info(plain(remark), icon=":material/info:")
if not st.session_state.get("try_live"):
    empty(
        "Ready to score", "Press Score (Ctrl + Enter): the models are loaded now and answer every later change at once."
    )
    st.stop()

found = try_scores.score_all(models, [p.image for p in shown], [p.key for p in shown], texts, prior)
paint = colours.of_models(models)
try_results.answer(found, layout, kinds, paint)
try_results.cards(found, layout, kinds, texts, thumbs, paint)
if "gen" in kinds:
    try_results.prior_section(found, layout, texts, thumbs, paint)
try_explain.style()
try_explain.draw(found, layout, texts, shown, models, prior, paint)
