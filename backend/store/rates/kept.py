"""Rates that are made at import and kept: those of every kind at its default setting, by what pages group them by.

They are what `rates.rates` would make of the same verdicts, row by row; nothing is estimated otherwise here. Without
them a heat map of a hundred runs would read all of their verdicts to show a few hundred numbers.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.kinds import Kind
from backend.metrics import statistics
from backend.metrics.core import registry
from backend.metrics.paired.resampling import where_shared
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.rates import shares
from backend.store.scores import matrices, noise
from backend.store.scores.outcomes import Judged
from backend.store.scores.setting import Setting

#: What rates are kept by; "" for None, everything in one group without a name.
BY: Final = ("", "all", "subset", "concept", "concept/*", "perturbation", "perturbation/*")
#: The columns of the table `rates` behind run_id, kind and by.
NUMBERS: Final = ("value", "n", "ties", "lo", "hi", "chance", "within_noise", "lowest", "highest")
COLUMNS: Final = ("metric", "group", *NUMBERS)

#: Kinds of which more counts than the verdicts: in which order was asked, which run the prior is from.
NOT_KEPT: Final = (Kind.VERDICT, Kind.PRIOR)
_SHAPE: Final = ("candidates", "relevant")

#: ((item number, query) of its first verdict, the metric's place, the group, its row)
_Found = tuple[tuple[int, int], int, str, tuple[object, ...]]
#: (group, positions of its items, what they share by number or None)
_Group = tuple[str, NDArray[np.intp], NDArray[Any] | None]
Row = dict[Hashable, object]


def made(run: StoredRun, kind: str, judged: Mapping[str, Sequence[Judged]]) -> pa.Table | None:
    """The rows of the table `rates` but run_id and kind, from a run's verdicts of a kind by metric.

    Nothing is kept of forced choices, whose orders of asking count, too: these are worked out when they are asked for.
    """
    if kind in NOT_KEPT:
        return None
    shared, own = run.shared or {}, dict[tuple[object, ...], Any]()
    bound, metrics = noise.of_run(run, Setting(kind)), {name: _together(of, own) for name, of in judged.items()}
    rows: list[tuple[object, ...]] = []
    numbers: dict[tuple[str, int], tuple[object, ...]] = {}
    for by in BY:
        found = []
        for place, (name, verdicts) in enumerate(metrics.items()):
            stays = shared if _stays(verdicts.items, shared) else own
            for group, at, clusters in _groups(verdicts.items, by, stays):
                first = (int(verdicts.item_no[at[0]]), int(verdicts.query[at[0]])) if len(at) else (-1, -1)
                # Two ways to group have some groups in common, which are counted once.
                key = (name, id(at))
                if key not in numbers:
                    numbers[key] = _numbers(name, verdicts, at, clusters, bound)
                found.append((first, place, group, (name, group, *numbers[key])))
        rows += [(by, *row) for *_, row in _in_turn(found)]
    names = ("by", *COLUMNS)
    return pa.table({name: pa.array([row[at] for row in rows]) for at, name in enumerate(names)})


def _in_turn(found: list[_Found]) -> list[_Found]:
    """Group by group, in the order in which their first verdicts come; in a group the metrics likewise."""
    first: dict[str, tuple[int, int]] = {}
    for at, _, group, _ in found:
        first[group] = min(at, first.get(group, at))
    turn = {group: k for k, group in enumerate(sorted(first, key=lambda name: first[name]))}  # equal ones as they came
    return sorted(found, key=lambda each: (turn[each[2]], each[0], each[1]))


@dataclass(frozen=True)
class _Verdicts:
    """One metric's n verdicts in the order of items and queries: arrays (n,), and the frame of the items, of which a
    pool's stand there once for each query."""

    items: pd.DataFrame
    item_no: NDArray[np.intp]
    query: NDArray[np.intp]
    correct: NDArray[np.bool_]
    defined: NDArray[np.bool_]
    ties: NDArray[np.bool_]
    margin: NDArray[np.float64]
    candidates: NDArray[np.intp]
    relevant: NDArray[np.intp]


def _together(judged: Sequence[Judged], own: dict[tuple[object, ...], Any]) -> _Verdicts:
    """The verdicts of one metric, which come in several parts where there are many classes, protocols or pools. own:
    keeps the frames of items, which the metrics of a protocol have in common."""
    query = np.concatenate([np.asarray(each.query, dtype=np.intp) for each in judged])
    key = ("together", *((id(each.items), id(each.rows), each.pool) for each in judged), query.tobytes())
    if key not in own:
        own[key] = (_items(judged, query), judged)  # what was judged is kept: nothing else can have its address
    items, order = own[key][0]
    columns = [
        np.concatenate([np.asarray(getattr(each.verdicts, name)) for each in judged])
        for name in ("correct", "defined", "ties", "margin")
    ]
    columns = [query, *columns]
    columns += [np.concatenate([np.asarray(getattr(each, name)) for each in judged]) for name in _SHAPE]
    if order is not None:
        columns = [column[order] for column in columns]
    return _Verdicts(items, items["item_no"].to_numpy(), *columns)


def _items(judged: Sequence[Judged], query: NDArray[np.intp]) -> tuple[pd.DataFrame, NDArray[np.intp] | None]:
    """The items of some verdicts in the order of items and queries, and that order where it is not theirs already."""
    first = judged[0]
    if len(judged) == 1 and not first.pool and np.array_equal(first.rows, np.arange(len(first.items))):
        return first.items, None
    parts = [each.items.iloc[each.rows].assign(pool=each.pool) for each in judged]
    items = pd.concat(parts, ignore_index=True)
    numbers = items["item_no"].to_numpy()
    if not (np.diff(numbers) < 0).any() and not (np.diff(query)[np.diff(numbers) == 0] < 0).any():
        return items, None
    order = np.lexsort((query, numbers))
    return items.iloc[order].reset_index(drop=True), order


def _groups(items: pd.DataFrame, by: str, shared: dict[tuple[object, ...], Any]) -> list[_Group]:
    """The groups of some items as `shares.groups` has them, once for all runs that have scored the same ones."""
    with matrices.SHARING:
        clusters, known = clusters_of(items, shared), shared.setdefault(("groups", id(items)), {})
        if by not in known:
            members = shares.groups(items if "pool" in items else items.assign(pool=""), by or None)
            known[by] = [_once(group, at, clusters, known.values()) for group, at in members]
        found: list[_Group] = known[by]
    return found


def _once(group: str, at: NDArray[np.intp], clusters: NDArray[np.intp], known: Iterable[Sequence[_Group]]) -> _Group:
    """A group; where another one has the same items, with its very arrays."""
    for _, items, shared in (each for groups in known for each in groups):
        if len(items) == len(at) and np.array_equal(items, at):
            return group, items, shared
    return group, at, where_shared(clusters[at])


def _stays(items: pd.DataFrame, shared: Mapping[tuple[object, ...], Any]) -> bool:
    """Whether these are all items of a protocol, as `matrices.items_of` holds them for all runs of an import; what is
    worked out of a run's own selection is dropped with it."""
    with matrices.SHARING:
        return any(key[0] == "items" and known is items for key, known in shared.items())


def clusters(run: StoredRun, items: pd.DataFrame) -> NDArray[np.intp]:
    """What each item that a run has judged shares, by number in the order of the clusters' names, (n,)."""
    shared = run.shared or {}
    return clusters_of(items, shared if _stays(items, shared) else {})


def clusters_of(items: pd.DataFrame, shared: dict[tuple[object, ...], Any]) -> NDArray[np.intp]:
    """What each item shares, by number in the order of the clusters' names, (n,); once for all runs on these items."""
    key = ("clusters", id(items))
    with matrices.SHARING:
        if key not in shared:  # the frame is kept beside them: no other one can have its address meanwhile
            shared[key] = (items, pd.factorize(items["cluster"], sort=True)[0])
    codes: NDArray[np.intp] = shared[key][1]
    return codes


def _numbers(
    name: str, of: _Verdicts, at: NDArray[np.intp], clusters: NDArray[Any] | None, bound: noise.Noise
) -> tuple[object, ...]:
    """NUMBERS of one metric on some items."""
    defined = of.defined[at]
    rate = statistics.rate(of.correct[at], defined, of.ties[at], clusters)
    judged = at[defined]
    declared = registry.known(name)
    chance = declared.level(of.candidates[judged], of.relevant[judged]) if declared else None
    noisy = shares.within(of.margin[judged], bound.of(name))
    low, high = rate.ci95 or (None, None)
    more = (None, None, None) if noisy is None else (noisy.n, noisy.lowest, noisy.highest)
    return rate.value, rate.n, rate.ties, low, high, chance, *more


def rows_of(store: Store, run_id: str, setting: Setting, by: str | None) -> list[Row] | None:
    """The rows that are kept for a run at a default setting: COLUMNS; None where none are, and they have to be made."""
    if not setting.is_default or (by or "") not in BY:
        return None
    found = store.cached(("kept rates", by or ""), lambda: _Read(store, by or "")).rows.get((run_id, setting.kind))
    return None if found is None else [dict(row) for row in found]


class _Read:
    """The rows that are kept by one way to group, by (run, kind). Not a dictionary, which `Store.cached` would hand out
    as a copy of all runs for each run that is asked for."""

    def __init__(self, store: Store, by: str) -> None:
        listed = ", ".join(f'"{name}"' for name in COLUMNS)
        rows = (
            store.cursor()
            .execute(f'SELECT run_id, kind, {listed} FROM rates WHERE "by" = ? ORDER BY run_id, kind, rowid', [by])
            .fetchall()
        )
        self.rows: dict[tuple[str, str], list[Row]] = {}
        for run_id, kind, *values in rows:
            self.rows.setdefault((run_id, kind), []).append(dict(zip(COLUMNS, values, strict=True)))
