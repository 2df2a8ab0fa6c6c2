"""In which orders of its captions each item was asked, and whether two sides were asked in the same ones.

An answer may change with the order in which the captions stand, whatever they say: what was asked in one order on one
side and in another order on the other differs by the order, too. Where no order is named, how many there were decides:
who must be right in more of them is right less often by chance alone.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.kinds import ORDER
from backend.store.build.stored_run import StoredRun

_NAMES = """
SELECT item_no, string_agg(name, ', ' ORDER BY lower(name), name) AS names, count(*) AS times
FROM (SELECT DISTINCT item_no, part[length($prefix) + 1:] AS name FROM scores
    WHERE run_id = $run AND starts_with(part, $prefix) AND part <> $prefix) -- which is of answers without one
GROUP BY item_no
"""
#: Words of numbers of orders that have no name.
_TIMES = {1: "once, in an order without a name", 2: "in two orders"}


@dataclass(frozen=True)
class Orders:
    """The orders in which n items were asked. names: (n,) text, as "a, b" (no name holds a comma), "" where none is
    named; times: (n,) how many there were."""

    names: NDArray[np.object_]
    times: NDArray[np.intp]


def of_items(run: StoredRun, item_no: NDArray[np.intp]) -> Orders:
    """Of a run's choices on these items: a server's were asked in both orders, which have no names; others in those
    that are kept apart, and once where none is."""
    model = run.record.get("model")
    if isinstance(model, dict) and model.get("family") == "endpoint":
        return Orders(np.full(len(item_no), "", dtype=object), np.full(len(item_no), 2))
    if alone := only_order(run):
        return Orders(np.full(len(item_no), alone, dtype=object), np.ones(len(item_no), dtype=np.intp))
    known = _named(run) if run.cached is None else run.cached(("orders by name", run.run_id), lambda: _named(run))
    found = known.reindex(item_no)
    return Orders(
        found["names"].fillna("").to_numpy(dtype=object), found["times"].fillna(1).to_numpy(dtype=np.intp)
    )  # fmt: skip


def only_order(run: StoredRun) -> str:
    """The one order in which all of a run's choices were asked, whose name its record keeps; "" where there are several
    or none, or some answers name none."""
    model = run.record.get("model")
    orders = (model.get("orders") if isinstance(model, dict) else None) or []
    named = [str(order) for order in orders if order]
    return named[0] if len(named) == 1 and not any(part.startswith(ORDER) for part in run.parts) else ""


def _named(run: StoredRun) -> pd.DataFrame:
    """names and times by item_no, of the items that were asked in an order with a name, where orders are kept apart."""
    if not any(part.startswith(ORDER) and part != ORDER for part in run.parts):
        return pd.DataFrame({"names": pd.Series(dtype=object), "times": pd.Series(dtype=float)})
    return run.cursor.execute(_NAMES, {"run": run.run_id, "prefix": ORDER}).df().set_index("item_no")


def same(a: Orders, b: Orders) -> NDArray[np.bool_]:
    """Which items (n,) two sides were asked about in the same orders: by name where both have names, in which capitals
    make no difference, else in as many.

    >>> asked = Orders(np.array(["a", "a", "a", ""], dtype=object), np.array([1, 1, 1, 1]))
    >>> again = Orders(np.array(["A", "b", "", ""], dtype=object), np.array([1, 1, 1, 2]))
    >>> same(asked, again).tolist()
    [True, False, True, False]
    """
    return np.asarray(np.where(_both_named(a, b), _folded(a) == _folded(b), a.times == b.times), dtype=np.bool_)


def _both_named(a: Orders, b: Orders) -> NDArray[np.bool_]:
    return np.asarray((a.names != "") & (b.names != ""), dtype=np.bool_)


def _folded(orders: Orders) -> NDArray[np.object_]:
    codes, names = pd.factorize(orders.names)
    return np.array([str(name).casefold() for name in names], dtype=object)[codes]


def otherwise(runs: tuple[StoredRun, StoredRun], item_no: NDArray[np.intp]) -> tuple[int, str, str] | None:
    """On how many of these items the choices of two runs were asked in orders of other names, and how most of these
    were asked on each side (`words`); None where on none. Where a side names no order, nothing is known."""
    a, b = (of_items(run, item_no) for run in runs)
    apart = _both_named(a, b) & (_folded(a) != _folded(b))
    if not apart.any():
        return None
    ways = pd.DataFrame({"a": a.names, "b": b.names, "in_a": a.times, "in_b": b.times})[apart].value_counts()
    first, second, in_first, in_second = ways.index[0]
    return int(apart.sum()), words(first, in_first), words(second, in_second)


def words(names: str, times: int) -> str:
    """How an item was asked, for a sentence: names and times as in `Orders`.

    >>> words("a", 1), words("a, b", 2), words("", 1), words("", 2)
    ('in the order a', 'in the orders a, b', 'once, in an order without a name', 'in two orders')
    """
    if not names:
        return _TIMES.get(times, f"in {times} orders")
    return f"in the order{'s' if times > 1 else ''} {names}"
