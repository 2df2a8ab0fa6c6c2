"""Try it: every score of every chosen model for images and captions of your own."""

import streamlit as st

from backend.errors import FlipsideError
from backend.live.scoring import captions
from backend.live.scoring.examples import EXAMPLES
from pages.runs import style
from pages.shared.drawing import colours
from pages.shared.frame.header import empty, page_header, trouble
from pages.shared.frame.plain import plain
from pages.try_it import explain, inputs, results, save, scores, state
from pages.try_it.many import batch, rank

state.begin()
page_header("Try it", *inputs.head())
models, kinds, prior = scores.sidebar()
doing = inputs.mode()
if doing == "many":
    style.apply()
    batch.draw(models, kinds, prior)
    st.stop()
if doing == "rank":
    rank.draw(models, kinds)
    st.stop()

with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    for example in EXAMPLES:
        st.button(example.title, key=f"try-{example.name}", help=example.asks, on_click=state.choose, args=(example,))
    st.button("Your own", key="try-own-inputs", icon=":material/upload:", on_click=state.clear, type="tertiary")

left, right = st.columns([5, 6], gap="large")
with left:
    shown, thumbs = inputs.images()
with right:
    lines = inputs.captions()
    layout = inputs.layout(len(shown), lines)
    asked = st.button("Score", type="primary", icon=":material/play_arrow:", shortcut="Mod+Enter", key="try-score")

try:
    texts = captions.check(lines)
except FlipsideError as error:
    trouble(str(error))
    st.stop()
if asked:
    st.session_state.try_live = True
state.write_address(shown, texts, layout)

if not shown:
    empty("No image yet", "Choose an example above, or drop, or paste, images on the left.")
    st.stop()
if len(texts) < 2:
    empty("Too few captions", "Type at least two captions, one a line, so that there is something to choose between.")
    st.stop()
if not models:
    empty("No model chosen", "Choose at least one model in the sidebar.")
    st.stop()

inputs.sharing(shown)
save.draw(shown, texts, layout)
for remark in scores.remarks(shown, texts, models, prior):
    st.info(plain(remark), icon=":material/info:")
if not st.session_state.get("try_live"):
    empty(
        "Ready to score", "Press Score (Ctrl + Enter): the models are loaded now and answer every later change at once."
    )
    st.stop()

found = scores.score_all(models, [p.image for p in shown], [p.key for p in shown], texts, prior)
paint = colours.of_models(models)
results.answer(found, layout, kinds, paint)
results.cards(found, layout, kinds, texts, thumbs, paint)
if "gen" in kinds:
    results.prior_section(found, layout, texts, thumbs, paint)
explain.style()
explain.draw(found, layout, texts, shown, models, prior, paint)
