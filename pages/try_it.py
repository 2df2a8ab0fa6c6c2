"""Try it: every score of every chosen model for images and captions of your own."""

import streamlit as st

from backend.errors import FlipsideError
from backend.live import captions, judging
from backend.live.examples import EXAMPLES
from pages.parts import colours, try_results, try_save, try_scores, try_state
from pages.parts.cards import captions_list
from pages.parts.header import empty, page_header, trouble
from pages.parts.style import show
from pages.parts.thumbnails import encode, picture

page_header(
    "Try it",
    "Which caption does each model believe?",
    "Start from an example or bring your own images and captions; a model is right where the framed cells, which "
    "belong together, win their row and column.",
)
try_state.begin()
models, kinds, prior = try_scores.sidebar()

with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    for example in EXAMPLES:
        st.button(
            example.title, key=f"try-{example.name}", help=example.asks, on_click=try_state.choose, args=(example,)
        )
    st.button("Your own", key="try-own-inputs", icon=":material/upload:", on_click=try_state.clear, type="tertiary")

left, right = st.columns([5, 6], gap="large")
with left:
    shown = try_state.pictures()
    if shown:
        thumbs = [encode(p.image, 320) for p in shown]
        frames = "".join(
            f"<figure>{picture(thumb, p.name, 176)}<figcaption>image {i + 1}</figcaption></figure>"
            for i, (thumb, p) in enumerate(zip(thumbs, shown, strict=True))
        )
        show(f'<div class="fs-frames">{frames}</div>')
with right:
    typed = st.text_area(
        "Captions, one a line", key="try_captions", height=122, placeholder="a red circle\na blue circle"
    )
    lines = [line for line in typed.splitlines() if line.strip()]
    options = judging.layouts(len(shown), len(lines))
    if st.session_state.try_layout not in options:
        st.session_state.try_layout = options[0]
    if lines:
        show(captions_list(lines, judging.roles(st.session_state.try_layout, len(lines))))
    judged = st.segmented_control(
        "Judge as",
        options,
        key="try_layout",
        format_func=judging.NAMES.__getitem__,
        required=True,
        help="Quad: image 1 belongs to caption 1, image 2 to caption 2. Triplet: captions 1 and 2 are true, 3 is "
        "false. Choice: caption 1 is true. Free grid: nothing is known to be true, so there is no verdict.",
    )
    layout = judged or options[0]
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
    empty("No image yet", "Choose an example above, or drop one or two images on the left.")
    st.stop()
if len(texts) < 2:
    empty("Too few captions", "Type at least two captions, one a line, so that there is something to choose between.")
    st.stop()
if not models:
    empty("No model chosen", "Choose at least one model in the sidebar.")
    st.stop()

try_state.sharing(shown)
try_save.draw(shown, texts, layout)
for remark in try_scores.remarks(shown, texts, models):
    st.info(remark, icon=":material/info:")
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
