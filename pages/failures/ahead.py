"""What a first visit asks once a server, asked before: how many models are right on each item, what fails without any
filter for the model that is chosen first, and the pictures of the first page of it, as large as its cards show them;
and, once nobody waits, the same of what is chosen next: what that model is right on, and the other models."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from backend.store.queries import FailureFilter, Setting
from pages.failures import data, filters
from pages.item import view
from pages.shared.data.stored import StoredBenchmark
from pages.shared.drawing.thumbnails import LARGE
from pages.shared.server import thumbnail_route

#: Models beside the first whose failures are asked before somebody chooses them: each takes some 0.2 s of 80,000 items,
#: and 2.5 MB of 5,000.
OTHERS: Final = 2


def prepare(benchmark: StoredBenchmark) -> None:
    """Keep it for a benchmark with runs."""
    _ask(benchmark, benchmark.models[0], "wrong")


def more(benchmark: StoredBenchmark) -> Iterator[None]:
    """The same of the next choices, one at a step."""
    first, *others = benchmark.models
    for model, shown in ((first, "right"), *((model, "wrong") for model in others[:OTHERS])):
        _ask(benchmark, model, shown)
        yield


def _ask(benchmark: StoredBenchmark, model: str, shown: str) -> None:
    kind = benchmark.kinds[benchmark.models[0]][0]  # another model is judged by the same where it has it
    kind = kind if kind in benchmark.kinds[model] else benchmark.kinds[model][0]
    base = FailureFilter(benchmark.runs[model], Setting(kind), correct=None, limit=1, also=benchmark.also(model))
    data.failures(base)
    first = data.failures(replace(base, correct=filters.SHOW[shown], limit=filters.PER_PAGE))
    data.solved(base)
    for detail in data.card_items(benchmark.hash, tuple(dict.fromkeys(map(str, first.rows["item_id"])))).values():
        view.shown(detail, _draw)


def _draw(uri: str) -> str:
    """Keep a picture; where it is shown by is not asked here."""
    thumbnail_route.ahead(uri, LARGE)
    return ""
