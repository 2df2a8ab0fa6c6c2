"""Embeddings: where in a model's space the failures lie, and how far apart images and captions are."""

import streamlit as st

from backend.store.embeddings import parts
from pages.parts import (
    address,
    colours,
    embeddings_choices,
    embeddings_data,
    embeddings_explore,
    embeddings_gap,
    embeddings_style,
    embeddings_work,
    explore,
)  # fmt: skip
from pages.parts.embeddings_view import COLOURINGS
from pages.parts.header import chart_caption, empty, page_header, section
from pages.parts.sidebar import choose_benchmark

explore.apply()
embeddings_style.apply()
page_header(
    "Embeddings",
    "Where in the model's space do its failures lie?",
    "Every dot is an image or a caption, where the model puts it; failures that lie together have something in common. "
    "Point at one for its neighbours, click to keep them, draw a lasso to open the items.",
)
address.begin(embeddings_choices.KEYS)
benchmark = choose_benchmark()
if benchmark is None:
    st.stop()
models = embeddings_data.able(benchmark)
if not models or not parts(benchmark.protocols):
    said = [colours.label(m) for m in benchmark.models if m.startswith("predictions:")]
    reason = f" Predictions ({', '.join(said)}) are scores without vectors." if said else ""
    empty(
        "No model here has embeddings",
        "Images and captions have vectors under kind itc, captions alone under t2t; captioners and chat models have "
        f"none.{reason} Score a model with one of these kinds on the Runs page.",
    )
    address.end()
    st.stop()
choice = embeddings_choices.choose(benchmark, models)
for key in ("pin", "set"):
    address.words(key)
address.end()

layout = choice.layout if choice.map == "umap" else None
names = [choice.model, *([choice.other] if choice.other else [])]
spaces = [embeddings_data.space(benchmark, model, choice.part) for model in names]
ready = [space for space in spaces if space is not None and len(space.vectors) > 1]
for model, space in zip(names, spaces, strict=True):
    if space is None:
        embeddings_work.embed(benchmark, model, choice.part, layout)
    elif len(space.vectors) < 2:
        empty(
            f"{colours.label(model)} has no vectors of this part",
            "Its images could not be opened; choose another part.",
        )
    elif layout and embeddings_data.umap(space, layout) is None:
        embeddings_work.lay_out(space, layout, colours.label(model))
if ready:
    title = " beside ".join(colours.label(space.model) for space in ready)
    where = "all parts" if choice.part == "all" else choice.part
    by = COLOURINGS[choice.colour] + (f" of {colours.label(choice.judge)}" if choice.metric else "")
    section("The map", f"{title} · {where} · coloured by {by}")
    embeddings_explore.draw(benchmark, ready, choice)

others = [space for model in models if (space := embeddings_data.space(benchmark, model, choice.part)) is not None]
if others:
    section("The modality gap", "how far apart images and captions are as a whole")
    found = [embeddings_data.apart(space) for space in others if len(space.vectors)]
    embeddings_gap.table(found, choice.model)
    shown = next((one for one in found if one.model == choice.model and one.cosines is not None), None)
    if shown:
        embeddings_gap.chart(shown, colours.label(choice.model))
    left_out = [colours.label(model) for model in models if model not in {space.model for space in others}]
    if left_out:
        chart_caption(f"Not embedded yet on this part: {', '.join(left_out)}.")
