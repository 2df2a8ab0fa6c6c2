"""What a first visit asks once a server, asked before: how many models are right on each item, what fails without any
filter for the model that is chosen first, and the pictures of the first page of it, as large as its cards show them."""

from dataclasses import replace

from backend.store.queries import FailureFilter, Setting
from pages.failures import data, filters
from pages.item import view
from pages.shared.data.stored import StoredBenchmark
from pages.shared.drawing.thumbnails import LARGE
from pages.shared.server import thumbnail_route


def prepare(benchmark: StoredBenchmark) -> None:
    """Keep it for a benchmark with runs."""
    model = benchmark.models[0]
    base = FailureFilter(
        benchmark.runs[model], Setting(benchmark.kinds[model][0]), correct=None, limit=1, also=benchmark.also(model)
    )
    data.failures(base)
    first = data.failures(replace(base, correct=filters.SHOW["wrong"], limit=filters.PER_PAGE))
    data.solved(base)
    for detail in data.card_items(benchmark.hash, tuple(dict.fromkeys(map(str, first.rows["item_id"])))).values():
        view.shown(detail, _draw)


def _draw(uri: str) -> str:
    """Keep a picture; where it is shown by is not asked here."""
    thumbnail_route.ahead(uri, LARGE)
    return ""
