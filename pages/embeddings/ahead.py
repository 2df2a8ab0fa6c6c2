"""What a first visit asks once a server, asked before: of the map that is shown first its places, who lies near whom,
whether wrong ones lie together, and its clumps; and, once nobody waits, the same of the subsets that may be chosen
next. Nothing that loads what finds these, or begins to embed."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.live.maps import beside, clumped
from backend.live.maps.layouts import Layout
from backend.store.items.embeddings import IMAGE, TEXT, parts
from backend.store.queries import Setting
from pages.embeddings import data, over
from pages.shared.data.stored import StoredBenchmark

#: Other subsets of the model that is shown first, asked before somebody chooses them: each takes some 15 MB of 80,000
#: items.
OTHERS: Final = 2


def prepare(benchmark: StoredBenchmark) -> None:
    """Keep it for a benchmark with runs; nothing where no model has vectors of it."""
    models = data.able(benchmark)
    if not models or not parts(benchmark.protocols):
        return
    places = _ask(benchmark, models[0], first := data.first_part(benchmark, models[0]))
    if places is not None and not clumped.is_known(places) and beside.find(places):
        _ask(benchmark, models[0], first)


def more(benchmark: StoredBenchmark) -> Iterator[None]:
    """The same of other subsets of that model, one at a step."""
    models, listed = data.able(benchmark), parts(benchmark.protocols)
    if not models or not listed:
        return
    first = data.first_part(benchmark, models[0])
    for part in [part for part in listed if part != first][:OTHERS]:
        _ask(benchmark, models[0], part)
        yield


def _ask(benchmark: StoredBenchmark, model: str, part: str) -> NDArray[np.floating] | None:
    """What the page asks of one map, and of its clumps where they are known already; its places, None for no map."""
    shown = data.space(benchmark, model, part)
    if shown is None or not shown.known or len(shown.vectors) < 2:
        return None
    laid_out = data.umap(shown, Layout())
    places: NDArray[np.floating] = data.pca(shown).places if laid_out is None else laid_out
    data.near(shown)
    judge = judge_of(benchmark, model, part)
    if judge is None:
        return None
    side = TEXT if TEXT in set(shown.points.contents["modality"]) else IMAGE
    over.near(benchmark, shown, judge, side)
    if clumped.is_known(places):
        over.clumps(benchmark, shown.points, judge, places)
    return places


def judge_of(benchmark: StoredBenchmark, model: str, part: str) -> over.Judge | None:
    """By whose verdicts, where nobody chose others; None where nobody has any."""
    known = data.judges(benchmark, part)
    if not known:
        return None
    own = model if model in known else next(iter(known))
    run, setting = benchmark.runs[own], Setting(known[own][0])
    listed = data.metrics(data.points(benchmark, part), run, setting)
    return over.Judge(run, setting, listed[0]) if listed else None
