"""What a first visit asks once a server, asked before: of the map that is shown first its places, who lies near whom,
and whether wrong ones lie together. Nothing that loads what finds clumps, or begins to embed."""

from backend.live.maps.layouts import Layout
from backend.store.items.embeddings import IMAGE, TEXT, parts
from backend.store.queries import Setting
from pages.embeddings import data, over
from pages.embeddings.data import Space
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
    if data.umap(shown, Layout()) is None:
        data.pca(shown)
    data.near(shown)
    _errors(benchmark, shown, model, part)


def _errors(benchmark: StoredBenchmark, shown: Space, model: str, part: str) -> None:
    """By the verdicts that count where nobody chose others."""
    known = data.judges(benchmark, part)
    if not known:
        return
    own = model if model in known else next(iter(known))
    run, setting = benchmark.runs[own], Setting(known[own][0])
    listed = data.metrics(data.points(benchmark, part), run, setting)
    if listed:
        side = TEXT if TEXT in set(shown.points.contents["modality"]) else IMAGE
        over.near(benchmark, shown, over.Judge(run, setting, listed[0]), side)
