"""What a filter's verdicts are a share of: with the interval over what items share, and, of choices that were asked in
several orders, what these come to on the same items."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from backend.metrics import statistics
from backend.metrics.paired.resampling import where_shared
from backend.metrics.statistics import Rate
from backend.store.build.store import Store
from backend.store.failures import notes
from backend.store.failures.columns import UNDEFINED
from backend.store.failures.conditions import Asked, ask
from backend.store.failures.filter import FailureFilter
from backend.store.rates import asking_orders
from backend.store.rates.asking_orders import Told


def share(store: Store, wanted: FailureFilter) -> Rate:
    """The listed verdicts among all that the filters of items leave, defined ones. What comes of the verdict itself
    (right or wrong, a margin, a cell, a reason) narrows what is listed alone: among items that have it all would be
    wrong, or none."""

    def make() -> Rate:
        hits: list[NDArray[np.bool_]] = []
        clusters: list[NDArray[np.int64]] = []
        for one, among in zip(ask(store, wanted), ask(store, _items_alone(wanted)), strict=True):
            rows = _judged(among)
            hit = np.zeros(len(one.verdicts.item), dtype=np.bool_)
            hit[one.hits] = True
            hits.append(hit[rows])
            # Benchmarks share no cluster: each goes on where the one before has ended.
            start = 1 + max((int(each.max(initial=-1)) for each in clusters), default=-1)
            clusters.append(start + _clusters(store, one.items.benchmark)[one.verdicts.item[rows]])
        return statistics.rate(np.concatenate(hits), clusters=where_shared(np.concatenate(clusters)))

    return store.cached(("failure share", notes.version(), replace(wanted, sort="item", limit=1, offset=0)), make)


def told(store: Store, wanted: FailureFilter) -> Told | None:
    """What choices that were asked in several orders come to on the items of `share`; None of every other run."""
    kind = wanted.setting.kind
    if wanted.also or not asking_orders.in_several(store, wanted.run_id, kind):
        return None

    def make() -> Told | None:
        (asked,) = ask(store, among)
        return asking_orders.told(
            store, wanted.run_id, kind, asked.items.item_no[np.unique(asked.verdicts.item[_judged(asked)])]
        )

    among = _items_alone(wanted)
    return store.cached(("failure orders", notes.version(), among), make)


def _items_alone(wanted: FailureFilter) -> FailureFilter:
    return replace(wanted, correct=None, margin=None, cells=(), reasons=(), sort="item", limit=1, offset=0)


def _judged(asked: Asked) -> NDArray[np.intp]:
    return asked.hits[asked.verdicts.correct[asked.hits] != UNDEFINED]


def _clusters(store: Store, benchmark: str) -> NDArray[np.int64]:
    """What each item of a benchmark (hash) belongs to with others, (n,), in the order of `columns.items`."""

    def make() -> NDArray[np.int64]:
        asked = """SELECT dense_rank() OVER (ORDER BY cluster) - 1 AS at FROM items
            WHERE benchmark = $benchmark ORDER BY item_no"""
        table = store.cursor().sql(asked, params={"benchmark": benchmark}).to_arrow_table()
        found: NDArray[np.int64] = table["at"].to_numpy().astype(np.int64)
        return found

    found: NDArray[np.int64] = store.cached(("failure clusters", benchmark), make)
    return found
