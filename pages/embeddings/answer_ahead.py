"""`pages.embeddings.answer_ahead` (see `paths.module_command`), with a benchmark's name on standard input: works out
what Embeddings will ask of the maps that a first look did not need, other models' and other subsets', and keeps it on
disk (kept.py, clumped.py)."""

import sys
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.live import working_ahead
from backend.live.maps.layouts import Layout
from backend.store.build import reader
from backend.store.items.embeddings import IMAGE, TEXT, parts
from pages.embeddings import ahead, data, over
from pages.shared.data import stored

#: Maps that are looked at, at most: some half a second each.
MOST: Final = 48


def maps_of(benchmark: stored.StoredBenchmark) -> Iterator[tuple[str, str]]:
    """(model, subset) in the order in which they may be asked for: every model where the page opens with it, other
    subsets of the first one, then all else."""
    models, listed = data.able(benchmark), parts(benchmark.protocols)
    if not models or not listed:
        return
    opened = [(model, data.first_part(benchmark, model)) for model in models]
    first = opened[0][1]
    seen = dict.fromkeys([*opened, *((model, first) for model in models)])
    seen |= dict.fromkeys((models[0], part) for part in listed)
    yield from seen
    yield from ((model, part) for model in models for part in listed if (model, part) not in seen)


def answer(benchmark: stored.StoredBenchmark, most: int = MOST) -> int:
    """Ask what the page asks of each map that it can draw at once; how many there were."""
    n = 0
    for model, part in maps_of(benchmark):
        found = data.space(benchmark, model, part)
        if found is None or len(found.vectors) < 2:
            continue
        laid_out = data.umap(found, Layout())
        if laid_out is None and not found.known:
            continue
        places: NDArray[np.floating] = data.pca(found).places if laid_out is None else laid_out
        data.near(found)
        side = TEXT if TEXT in set(found.points.contents["modality"]) else IMAGE
        judge = ahead.judge_of(benchmark, model, part)
        if judge is not None:
            over.near(benchmark, found, judge, side)
            over.clumps(benchmark, found.points, judge, places)
        n += 1
        if n >= most:
            break
    return n


def main(name: str) -> int:
    """Work; 0 also where there is nothing to do. name: of the benchmark, in addresses."""
    working_ahead.give_way()
    try:
        stored.read_instead(reader.open_last())
        benchmark = stored.chosen().get(name)
        if benchmark is not None and benchmark.runs:
            answer(benchmark)
    except FlipsideError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.stdin.read()))
