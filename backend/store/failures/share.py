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
        listed = ask(store, wanted)
        # Where nothing but right or wrong narrows the list, what was asked for it says what it is of as well.
        narrowed = wanted.margin is not None or wanted.cells or wanted.reasons
        of = [each.hits for each in ask(store, _items_alone(wanted))] if narrowed else [
            each.but("correct") for each in listed
        ]  # fmt: skip
        for one, among in zip(listed, of, strict=True):
            rows = _defined(one, among)
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
            store,
            wanted.run_id,
            kind,
            asked.items.item_no[np.unique(asked.verdicts.item[_defined(asked, asked.hits)])],
        )

    among = _items_alone(wanted)
    return store.cached(("failure orders", notes.version(), among), make)


def _items_alone(wanted: FailureFilter) -> FailureFilter:
    return replace(wanted, correct=None, margin=None, cells=(), reasons=(), sort="item", limit=1, offset=0)


def _defined(asked: Asked, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Those of some rows of verdicts that are no undefined ones."""
    found: NDArray[np.intp] = rows[asked.verdicts.correct[rows] != UNDEFINED]
    return found


def _clusters(store: Store, benchmark: str) -> NDArray[np.int64]:
    """What each item of a benchmark (hash) belongs to with others, (n,), in the order of `columns.items`."""
    found: NDArray[np.int64] = store.cached(("failure clusters", benchmark), lambda: _numbered(store, benchmark))
    return found


def _numbered(store: Store, benchmark: str) -> NDArray[np.int64]:
    asked = """SELECT dense_rank() OVER (ORDER BY cluster) - 1 AS at FROM items
        WHERE benchmark = $benchmark ORDER BY item_no"""
    table = store.cursor().sql(asked, params={"benchmark": benchmark}).to_arrow_table()
    found: NDArray[np.int64] = table["at"].to_numpy().astype(np.int64)
    return found
