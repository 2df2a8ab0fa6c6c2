"""A quad whose scores are stored: benchmark, model, kind and item, chosen in the sidebar."""

import numpy as np
import streamlit as st

from backend.errors import FlipsideError
from backend.kinds import in_own_unit
from backend.metrics.reasons.names import NAMES
from backend.protocols import Protocol
from backend.store.quads.deviations import logit_scale
from backend.store.queries import ItemDetail
from backend.store.reasons import plane
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours
from pages.shared.drawing.thumbnails import source
from pages.shared.frame import address
from pages.shared.frame.fold import more
from pages.shared.frame.header import empty, trouble
from pages.shared.frame.sidebar import choose_benchmark, choose_kind, choose_model
from pages.shared.frame.tips import kind_name
from pages.teach.what_if.presets import SCALE, UNITS, Scores, Start


def choose() -> tuple[Start, dict[str, str]] | None:
    """(the quad, the address of its item's own page); None, after saying what to do, where there is none."""
    benchmark = choose_benchmark(every_model=False)  # one item has no rates
    if benchmark is None:
        return None
    kinds = {
        model: [kind for kind in benchmark.kinds[model] if kind in UNITS and not in_own_unit(kind, model)]
        for model in benchmark.models
    }
    models = [model for model, own in kinds.items() if own]
    if not benchmark.with_protocol(Protocol.QUAD) or not models:
        empty(
            f"No quad of {benchmark.name} has a cosine or log-odds",
            "Two images with two captions, scored by a model that can be taught, are what the losses are asked of: "
            "choose another benchmark in the sidebar, or begin with made-up scores.",
        )
        return None
    with st.sidebar:
        model = choose_model(models)
        items = st.container()
        with more("kind", key="more-what-if-stored"):
            kind = choose_kind(kinds[model])
        frame = plane.quads(stored.store(), benchmark.runs[model], kind)
        if frame.empty:
            name = colours.labels(benchmark.models)[model]
            empty(
                f"{name} has no quads here that are scored by {kind_name(kind)}",
                "Choose another model, score kind or benchmark in the sidebar, or begin with made-up scores.",
            )
            return None
        said = {str(line.item_id): f"{line.item_id} · {NAMES[str(line.cell)]}" for line in lines_of(frame)}
        ids = list(said)
        item_id = items.selectbox(
            "Item", ids, key=address.option("item", ids, ids[0]), index=address.index("item"),
            format_func=said.__getitem__, help="Type to search, by the id or by what the scores alone say.",
        ) or ids[0]  # fmt: skip
    try:
        detail = stored.item(benchmark.hash, item_id)
    except FlipsideError as error:
        trouble(str(error))
        return None
    scores = scores_of(detail, benchmark.runs[model], kind)
    if scores is None:
        trouble(f"Item {item_id} lacks a score of its four under {kind_name(kind)}: choose another one in the sidebar.")
        return None
    scale = logit_scale(stored.store(), benchmark.runs[model]) if kind == "itc" else 1.0
    name = colours.labels(benchmark.models)[model]
    start = Start(
        f"{benchmark.hash} {model} {item_id} {kind}", kind, scores, scale if scale != 1 else SCALE,
        f"{item_id}, {kind_name(kind)} of {name}", tuple(detail.texts),
        tuple(source(uri) for uri in detail.image_uris), is_made_up=False,
    )  # fmt: skip
    return start, {"benchmark": benchmark.name, "item": item_id, "model": model, "kind": kind}


def scores_of(detail: ItemDetail, run_id: str, kind: str) -> Scores | None:
    """A quad's four raw scores as they are stored (cosine, log-odds); None where one is missing or not finite."""
    rows = detail.scores[(detail.scores["run_id"] == run_id) & (detail.scores["part"] == kind)]
    values = np.full((2, 2), np.nan)
    for line in lines_of(rows):
        values[int(line.image_index), int(line.text_index)] = float(line.value)
    s11, s12, s21, s22 = (float(value) for value in values.ravel())
    return (s11, s12, s21, s22) if np.isfinite(values).all() else None
