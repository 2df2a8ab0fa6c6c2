"""Embeddings: where in a model's space the failures lie, and how far apart images and captions are."""

import streamlit as st

from backend.store.items.embeddings import parts
from backend.taxonomy import title
from pages.embeddings import choices, data, gap, style, work
from pages.embeddings import explore as embeddings_explore
from pages.embeddings.view import COLOURINGS
from pages.shared.drawing import colours, explore
from pages.shared.drawing.numbers import listing
from pages.shared.frame import address  # fmt: skip
from pages.shared.frame.header import chart_caption, empty, page_header, section
from pages.shared.frame.sidebar import choose_benchmark

explore.apply()
style.apply()
page_header(
    "Embeddings",
    "Where in the model's space do its failures lie?",
    "Every dot is an image or a caption, placed by the model; failures that lie close together have something in "
    "common. Point at a dot to see its neighbours, click it to keep them, draw a lasso to open items.",
)
address.begin(choices.KEYS)
benchmark = choose_benchmark()
if benchmark is None:
    st.stop()
models = data.able(benchmark)
called = colours.labels(benchmark.models)
if not models or not parts(benchmark.protocols):
    said = [called[m] for m in benchmark.models if m.startswith("predictions:")]
    reason = f" Predictions ({listing(said)}) are scores without vectors." if said else ""
    empty(
        "No model here has embeddings",
        "Images and captions have vectors under kind itc, captions alone under t2t; captioners and chat models have "
        f"none.{reason} Score a model with one of these kinds on the Runs page.",
    )
    address.end()
    st.stop()
choice = choices.choose(benchmark, models)
for key in ("pin", "set"):
    address.text(key)
address.end()

layout = choice.layout if choice.map == "umap" else None
names = [choice.model, *([choice.other] if choice.other else [])]
spaces = [data.space(benchmark, model, choice.part) for model in names]
ready = [space for space in spaces if space is not None and len(space.vectors) > 1]
for model, space in zip(names, spaces, strict=True):
    if space is None:
        work.embed(benchmark, model, choice.part, layout)
    elif len(space.vectors) < 2:
        empty(
            f"{called[model]} has no vectors of this subset",
            "Its images could not be opened; choose another subset.",
        )
    elif layout and data.umap(space, layout) is None:
        work.lay_out(space, layout, called[model])
if ready:
    names_of = " beside ".join(called[space.model] for space in ready)
    where = "all subsets" if choice.part == "all" else choice.part
    by = COLOURINGS[choice.colour] + (f" of {called[choice.judge]}" if choice.metric else "")
    section("The map", f"{names_of} · {where} · coloured by {by}")
    embeddings_explore.draw(benchmark, ready, choice)

others = [space for model in models if (space := data.space(benchmark, model, choice.part)) is not None]
if others:
    section("The modality gap", "how far apart images and captions are as a whole")
    found = [data.apart(space) for space in others if len(space.vectors)]
    gap.table(found, choice.model)
    shown = next((one for one in found if one.model == choice.model and one.cosines is not None), None)
    if shown:
        where = "all subsets" if choice.part == "all" else title(choice.part)
        gap.chart(shown, called[choice.model], benchmark.name, where)
    left_out = [called[model] for model in models if model not in {space.model for space in others}]
    if left_out:
        chart_caption(f"Not embedded yet on this subset: {listing(left_out)}.")
