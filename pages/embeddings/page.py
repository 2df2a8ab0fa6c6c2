"""Embeddings: where in a model's space the failures lie, what they share, and how far apart images and captions are."""

import streamlit as st

from backend.store.items.embeddings import parts
from backend.taxonomy import title
from pages.embeddings import choices, data, gap, method, prepared, selection, style, work
from pages.embeddings import explore as embeddings_explore
from pages.shared.drawing import colours, explore
from pages.shared.drawing.numbers import listing
from pages.shared.frame import address, alpha, model_link
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty, page_header, seen
from pages.shared.frame.sidebar import choose_benchmark, say_partial
from pages.shared.server import warm

explore.apply()
style.apply()
page_header(
    "Embeddings",
    "Where in the model's space do its failures lie?",
    "Each dot is an image or a caption where the model puts it. Draw around some to see what they share.",
)
address.begin(choices.KEYS)
alpha.unused("right and wrong are as scored")
benchmark = choose_benchmark(every_model=False)
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
say_partial(benchmark, {choice.model, choice.other, choice.judge})
address.text("pin")
selection.take_over(benchmark, choice.model, choice.part)
address.end()

layout = choice.layout if choice.map == "umap" else None
names = [choice.model, *([choice.other] if choice.other else [])]
spaces = []
for model in names:
    space = data.space(benchmark, model, choice.part)
    if space is not None and not space.known and (layout is None or data.umap(space, layout) is None):
        space = None  # its map ships, but not this one: its vectors have to be there
    spaces.append(space)
ready = [space for space in spaces if space is not None and len(space.vectors) > 1]
near = ""
if ready:
    name = model_link.named(ready[0].model, benchmark.name, called[ready[0].model])
    told = ready[0] if ready[0].known else data.captions(benchmark, ready[0].model, choice.part) or ready[0]
    judge = embeddings_explore.judge_of(benchmark, choice)
    seen(method.line(benchmark, told, judge, name, choice.whose))
    near = method.near_copied(benchmark, told, judge) if len(ready) == 1 else ""
for model, space in zip(names, spaces, strict=True):
    if space is None:
        work.embed(benchmark, model, choice.part, layout)
    elif len(space.points.contents) < 2:
        empty(
            f"{called[model]} has no vectors of this subset",
            "Its images could not be opened; choose another subset.",
        )
if ready:
    for number, space in enumerate(ready):
        # There is always such a place, so that the map below stays the same element when it is empty again.
        with st.container(key=f"fs-embeddings-offer-{number}"):
            if space.known and layout and data.umap(space, layout) is None:
                work.lay_out(space, layout, called[space.model])
    embeddings_explore.draw(benchmark, ready, choice, near)
    for number, space in enumerate(ready):  # below the map, which does not move when they are there
        if not space.known:
            work.below(benchmark, space.model, choice.part, for_the_line=number == 0)

if ready and all(space.known for space in ready):
    with fold("How far apart images and captions are", "embeddings-gap") as box:
        if box.open:
            others = [space for m in models if (space := data.space(benchmark, m, choice.part)) is not None]
            others = [space for space in others if space.known]
            found = [data.apart(space) for space in others if len(space.vectors)]
            gap.table(found, choice.model)
            shown = next((one for one in found if one.model == choice.model and one.cosines is not None), None)
            if shown:
                where = "all subsets" if choice.part == "all" else title(choice.part)
                gap.chart(shown, called[choice.model], benchmark.name, where)
            left_out = [called[model] for model in models if model not in {space.model for space in others}]
            if left_out:
                chart_caption(f"Not embedded yet on this subset: {listing(left_out)}.")
if ready:
    with fold("What the map is, and how selections are tested", "embeddings-method") as box:
        if box.open:
            method.about(benchmark, ready, choice)
if not prepared.is_done(benchmark.name):
    warm.ahead("sklearn.cluster")  # clumps of the next map: half a second of importing
