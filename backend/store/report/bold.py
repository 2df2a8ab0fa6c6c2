"""Which values of a table are bold: better than every rival of their column beyond chance.

Rivals are models. People's scores, repeats of another model and models that were trained on a table's items compete
with nobody. A rate of a part of what others of the column were judged on is never bold, but its model is a rival: on
the items that both have judged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from backend.metrics.contests import MEAN_OF_ORDERS
from backend.metrics.core import registry
from backend.metrics.paired.differences import Paired
from backend.metrics.paired.multiplicity import holm
from backend.store.build.store import Store
from backend.store.catalog import public, taught
from backend.store.compare import mean_of_orders, rules
from backend.store.compare.compare import Side, against, shared
from backend.store.rates.covered import WHOLE

#: Holm-adjusted p at which a difference counts.
LEVEL = 0.05


@dataclass(frozen=True)
class Tested:
    """The best of a column (its number) against a rival, rows both. p: exact and two-sided, over images where verdicts
    share one; 1 where the rival is as good on the n items that both have, or better; NaN where nothing compares.
    unlike: how many more items both judged, which compare in nothing (`compare.Shared`). two_rules: whether one of the
    two alone has to be right in every order of asking; p and n are then of the mean of the orders, and nothing where
    that asks not the same of both. even: that test, rival − best (`rules.even`). orders: in which orders both were
    asked to choose, in words, where these have other names; else ()."""

    column: int
    best: int
    rival: int
    p: float
    n: int
    unlike: int = 0
    two_rules: bool = False
    even: Paired | None = None
    orders: tuple[str, str] | tuple[()] = ()


def out_of_competition(store: Store, cells: Mapping[tuple[int, int], Any]) -> dict[int, str]:
    """Row -> why it competes with nobody: "people", "repeat" of another one (`public.set_apart`), or "trained" on items
    of the table. cells: by (row, column)."""
    runs: dict[int, str] = {}
    for (row, _), cell in sorted(cells.items()):
        runs.setdefault(row, cell.run_id)
    every = {(row, cell.run_id) for (row, _), cell in cells.items()}
    trained = {row: "trained" for row, run_id in every if taught.trained_on(store.run(run_id).record)}
    return trained | public.set_apart({row: store.run(run_id).record for row, run_id in sorted(runs.items())})


def with_best(
    store: Store, columns: Sequence[Any], cells: dict[tuple[int, int], Any], apart: Mapping[int, str]
) -> tuple[dict[tuple[int, int], Any], list[Tested]]:
    """The cells, the best of each column marked where it is beyond chance better than every rival on the items that it
    shares with that one, and the tests. apart: rows that are none."""
    found, tests = dict(cells), list[Tested]()
    parts = of_a_part(cells)
    for number, column in enumerate(columns):
        if column.metric != MEAN_OF_ORDERS and (not column.metric or registry.by_name(column.metric).judge is None):
            continue  # nothing of an item that could be paired
        mine = {
            row: cell
            for (row, at), cell in cells.items()
            if at == number and cell.value is not None and row not in apart
        }
        whole = [row for row in mine if (row, number) not in parts]
        if not whole or len({(cell.run_id, cell.setting) for cell in mine.values()}) < 2:
            continue
        best = max(whole, key=lambda row: (float(mine[row].value or 0.0) * (1 if column.higher else -1), -row))
        others = [row for row in mine if row != best]
        own = [
            _test(store, Tested(number, best, row, float("nan"), 0), mine[best], mine[row], column) for row in others
        ]
        if all(adjusted <= LEVEL for adjusted in holm([test.p for test in own])):  # a NaN is no such number
            found[best, number] = replace(mine[best], best=True)
        tests += own
    return found, tests


def most_judged(cells: Mapping[tuple[int, int], Any]) -> dict[int, int]:
    """Column -> the most verdicts that a cell of it has."""
    found: dict[int, int] = {}
    for (_, at), cell in cells.items():
        found[at] = max(found.get(at, 0), int(cell.n))
    return found


def of_a_part(cells: Mapping[tuple[int, int], Any]) -> frozenset[tuple[int, int]]:
    """The cells whose rate is of clearly fewer items than another one of their column, and no rate of the same.

    >>> from types import SimpleNamespace as Cell
    >>> sorted(of_a_part({(0, 0): Cell(n=1000), (1, 0): Cell(n=940), (2, 0): Cell(n=960), (0, 1): Cell(n=9)}))
    [(1, 0)]
    """
    most = most_judged(cells)
    return frozenset(place for place, cell in cells.items() if cell.n < WHOLE * most[place[1]])


def _test(store: Store, asked: Tested, best: Any, rival: Any, column: Any) -> Tested:
    """What is asked, answered."""
    sides = (Side(best.run_id, best.setting), Side(rival.run_id, rival.setting))
    subset = column.subset.partition(" (")[0] if not column.subset.startswith("(") else ""
    subsets = (subset,) if subset else ()
    if column.metric == MEAN_OF_ORDERS:
        gap = mean_of_orders.paired(store, *sides, subsets)
        return replace(asked, p=_p(gap.difference, gap.p, column), n=gap.n)
    both = shared(store, sides, column.metric, subsets)
    told = rules.named_otherwise(store, sides, both, 1)
    asked = replace(asked, orders=told[1:] if told else ())
    if len(both) and rules.uneven(sides, rules.rules(store, sides), 1) is not None:
        even = rules.even(store, sides, both, 1)
        if even is None:
            return replace(asked, unlike=len(both) + both.unlike, two_rules=True)
        p = _p(even.difference, even.p, column)
        return replace(asked, p=p, n=even.n, unlike=both.unlike, two_rules=True, even=even)
    row: Any = against(both).iloc[0] if len(both) else {"gain": None, "p": None}
    return replace(asked, p=_p(row["gain"], row["p"], column), n=len(both), unlike=both.unlike)


def _p(gain: float | None, p: float | None, column: Any) -> float:
    """`Tested.p`, from the rival's gain over the best and the p of the two."""
    if gain is None or p is None:
        return float("nan")
    return float(p) if gain * (1 if column.higher else -1) < 0 else 1.0
