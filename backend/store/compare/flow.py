"""What became of what: the cells and reasons of the same verdicts under two systems, and how many went which way."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.metrics.core.registry import by_name
from backend.metrics.reasons.names import CELLS, reasons_of
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.compare import one_side
from backend.store.compare.compare import Shared, Side
from backend.store.compare.one_side import categories, coded
from backend.store.compare.two import UNCERTAIN
from backend.store.failures.columns import Words
from backend.store.failures.columns import found as places
from backend.store.reasons import runs

#: What a change of a verdict is called: (A is right, B is right) -> word.
WHICH = {(False, True): "fixed", (True, False): "broke", (True, True): "kept", (False, False): "both"}
_WAYS = ((False, False), (False, True), (True, False), (True, True))
#: What the parts of a flow are: arithmetic cells, or reasons.
BY = ("cells", "reasons")
VERDICTS = ("right", "wrong")
#: Columns of `links`.
LINKS = ("a", "b", "which", "n", "certified")


def family(found: Shared, protocol: Protocol) -> Shared:
    """The verdicts of one protocol."""
    metric = coded(found.frame["metric"])
    return found.only(metric.among([name for name in metric.names if by_name(name).protocol == protocol]))


def families(found: Shared) -> list[Protocol]:
    """The protocols that have a verdict, those with reasons first."""
    there = {by_name(str(metric)).protocol for metric in found.frame["metric"].unique()}
    return [of for of in (*CELLS, *(p for p in Protocol if p not in CELLS)) if of in there]


def words(store: Store, found: Shared, sides: Sequence[Side], protocol: Protocol) -> pd.DataFrame:
    """Of each verdict of one protocol (`family`), in its order, for each side by position: cell_0, reason_0 ("" where
    not measured), mirrored_0 (the cell of its decoy, "" where there is none), ties_0; cell_1 and so on. Words are
    categorical.
    """
    made: dict[str, object] = {}
    number, query = found.frame["item_no"].to_numpy(dtype=np.int64), found.frame["query"].to_numpy(dtype=np.int32)
    metric = coded(found.frame["metric"])
    for k, side in enumerate(sides):
        own = one_side.said(store, side.run_id, side.setting, metric.names)
        at = places((number, query, metric), (own.item_no, own.query, own.metric))
        known, decoys = _decoys(store, side, protocol)
        made |= {
            f"cell_{k}": categories(own.cell, at),
            f"reason_{k}": categories(own.reason, at),
            f"mirrored_{k}": categories(decoys, _where(known, number)),
            f"ties_{k}": np.where(at >= 0, own.ties[at], 0) if len(own.ties) else np.zeros(len(at), dtype=np.intp),
        }
    return pd.DataFrame(made, index=range(len(found)))


def _decoys(store: Store, side: Side, protocol: Protocol) -> tuple[NDArray[np.int64], Words]:
    """Numbers of the items whose decoy has a cell, and that cell: the column `mirrored` of `runs.of_run`, which at a
    default setting is read alone, because its table has thirty."""
    if protocol not in CELLS or not runs.measured(store.run(side.run_id), protocol, side.setting.kind):
        return np.zeros(0, dtype=np.int64), Words(np.zeros(0, dtype=np.int8), ())
    if side.setting.is_default:
        rows = store.rows("evidence", side.run_id, side.setting.kind, ("protocol", "item_no", "mirrored"))
        keep = Words.of(rows["protocol"]).among([str(protocol)])
        cells = Words.of(rows["mirrored"])
        return rows["item_no"].to_numpy().astype(np.int64)[keep], Words(cells.codes[keep], cells.names)
    table = runs.of_run(store, side.run_id, side.setting, protocol)
    if not len(table):
        return np.zeros(0, dtype=np.int64), Words(np.zeros(0, dtype=np.int8), ())
    return table["item_no"].to_numpy(dtype=np.int64), coded(table["mirrored"])


def _where(known: NDArray[np.int64], number: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where each number stands among others, -1 where it does not.

    >>> _where(np.array([3, 1]), np.array([1, 2])).tolist()
    [1, -1]
    """
    if np.array_equal(known, number):
        return np.arange(len(number))
    return np.asarray(pd.Index(known).get_indexer(pd.Index(number)), dtype=np.intp)


def measured(frame: pd.DataFrame, k: int) -> bool:
    """Whether every verdict has a cell under a side (its position)."""
    return bool(len(frame)) and bool((frame[f"cell_{k}"] != "").all())


def ends(found: Shared, frame: pd.DataFrame, pair: tuple[int, int], by: str) -> pd.DataFrame:
    """a, b: what each verdict is under two sides (positions), as `links` counts it; which: of WHICH; certified: whether
    its reason is certified on both sides.

    frame: of `words`. by: of BY; where a side has verdicts without a cell, both sides' verdicts stand for them.
    """
    right = [found.correct[:, k] for k in pair]
    known = all(measured(frame, k) for k in pair)
    column = "cell" if by == "cells" else "reason"
    each = [
        frame[f"{column}_{k}"].astype("category")
        if known
        else pd.Categorical.from_codes((~own).astype(np.int8), pd.Index(VERDICTS))
        for k, own in zip(pair, right, strict=True)
    ]
    sure = [frame[f"reason_{k}"].isin(["", UNCERTAIN]).to_numpy() for k in pair]
    which = pd.Categorical.from_codes(2 * right[0].astype(np.int8) + right[1], pd.Index([WHICH[way] for way in _WAYS]))
    certified = ~(sure[0] | sure[1]) & known
    return pd.DataFrame({"a": each[0], "b": each[1], "which": which, "certified": certified})


def links(each: pd.DataFrame, protocol: Protocol) -> pd.DataFrame:
    """LINKS, a row for each way that some verdict went, in the order of the parts: n verdicts, `certified` of them with
    a certified reason on both sides. each: of `ends`."""
    order = {name: place for place, name in enumerate(parts(protocol))}
    sides = [coded(each[name]) for name in LINKS[:3]]
    key = np.zeros(len(each), dtype=np.int64)
    for side in sides:
        key = key * (1 + len(side.names)) + side.codes
    way, _ = pd.factorize(key)
    first = np.unique(way, return_index=True)[1]
    words_ = [np.array([side.at(int(row)) for row in first], dtype=object) for side in sides]
    n, sure = (np.bincount(way, of, len(first)).astype(np.int64) for of in (None, each["certified"].to_numpy()))
    table = pd.DataFrame(dict(zip(LINKS, (*words_, n, sure), strict=True)))
    rank = table["a"].map(order) * len(order) + table["b"].map(order)
    return table.assign(rank=rank).sort_values(["rank", "which"], ignore_index=True)[list(LINKS)]


def parts(protocol: Protocol) -> tuple[str, ...]:
    """Everything that can be a part of a flow of a protocol, in the order in which it is drawn."""
    return tuple(dict.fromkeys((*reasons_of(protocol), *VERDICTS)))
