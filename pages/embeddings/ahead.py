"""What a first visit asks once a server, asked before: of the map that is shown first its places, who lies near whom,
whether wrong ones lie together, and its clumps. Nothing that loads what finds these, or begins to embed."""

import numpy as np
from numpy.typing import NDArray

from backend.live.maps import beside
from backend.live.maps.layouts import Layout
from backend.store.items.embeddings import IMAGE, TEXT, parts
from backend.store.queries import Setting
from pages.embeddings import data, over
from pages.shared.data.stored import StoredBenchmark


def prepare(benchmark: StoredBenchmark) -> None:
    """Keep it for a benchmark with runs; nothing where no model has vectors of it."""
    models = data.able(benchmark)
    if not models or not parts(benchmark.protocols):
        return
    model = models[0]
    part = data.first_part(benchmark, model)
    shown = data.space(benchmark, model, part)
    if shown is None or not shown.known or len(shown.vectors) < 2:
        return
    laid_out = data.umap(shown, Layout())
    places: NDArray[np.floating] = data.pca(shown).places if laid_out is None else laid_out
    data.near(shown)
    judge = judge_of(benchmark, model, part)
    if judge is not None:
        side = TEXT if TEXT in set(shown.points.contents["modality"]) else IMAGE
        over.near(benchmark, shown, judge, side)
        if beside.find(places):
            over.clumps(benchmark, shown.points, judge, places)


def judge_of(benchmark: StoredBenchmark, model: str, part: str) -> over.Judge | None:
    """By whose verdicts, where nobody chose others; None where nobody has any."""
    known = data.judges(benchmark, part)
    if not known:
        return None
    own = model if model in known else next(iter(known))
    run, setting = benchmark.runs[own], Setting(known[own][0])
    listed = data.metrics(data.points(benchmark, part), run, setting)
    return over.Judge(run, setting, listed[0]) if listed else None
