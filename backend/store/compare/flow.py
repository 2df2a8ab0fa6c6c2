"""What became of what: the cells and reasons of the same verdicts under two systems, and how many went which way."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from backend.items import Kind
from backend.metrics.core.registry import by_name
from backend.metrics.reasons.names import CELLS, reasons_of
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.compare.compare import KEYS, Shared, Side
from backend.store.compare.two import UNCERTAIN
from backend.store.reasons import runs
from backend.store.scores import outcomes

#: What a change of a verdict is called: (A is right, B is right) -> word.
WHICH = {(False, True): "fixed", (True, False): "broke", (True, True): "kept", (False, False): "both"}
#: What the parts of a flow are: arithmetic cells, or reasons.
BY = ("cells", "reasons")
VERDICTS = ("right", "wrong")
#: Columns of `links`.
LINKS = ("a", "b", "which", "n", "certified")


def family(found: Shared, protocol: Protocol) -> Shared:
    """The verdicts of one protocol."""
    of = {str(metric): by_name(str(metric)).protocol == protocol for metric in found.frame["metric"].unique()}
    return found.only(found.frame["metric"].astype(str).map(of).to_numpy(dtype=bool))


def families(found: Shared) -> list[Protocol]:
    """The protocols that have a verdict, those with reasons first."""
    there = {by_name(str(metric)).protocol for metric in found.frame["metric"].unique()}
    return [of for of in (*CELLS, *(p for p in Protocol if p not in CELLS)) if of in there]


def words(store: Store, found: Shared, sides: Sequence[Side], protocol: Protocol) -> pd.DataFrame:
    """Of each verdict of one protocol (`family`), in its order, for each side by position: cell_0, reason_0 ("" where
    not measured), mirrored_0 (the cell of its decoy, "" where there is none), ties_0; cell_1 and so on.
    """
    columns: dict[str, object] = {}
    for k, side in enumerate(sides):
        rows = _said(store, found, side)
        table = runs.of_run(store, side.run_id, side.setting, protocol) if protocol in CELLS else pd.DataFrame()
        decoys = table.set_index("item_no")["mirrored"] if len(table) else pd.Series(dtype=object)
        columns |= {
            f"cell_{k}": rows["cell"].fillna("").to_numpy(dtype=object),
            f"reason_{k}": rows["reason"].fillna("").to_numpy(dtype=object),
            f"mirrored_{k}": rows["item_no"].map(decoys).astype(object).fillna("").to_numpy(dtype=object),
            f"ties_{k}": rows["ties"].fillna(0).to_numpy(dtype=np.intp),
        }
    return pd.DataFrame(columns, index=range(len(found)))


def _said(store: Store, found: Shared, side: Side) -> pd.DataFrame:
    """item_no, cell, reason and ties of each verdict under a side, in the order of the verdicts; NaN where there is
    none."""
    keys = ["item_no", "query", "metric"]
    own = _stored(store, side, [str(name) for name in found.frame["metric"].unique()])
    if own is None or not found.frame["pool"].eq("").all():
        keys, own = list(KEYS), outcomes.compute(store, side.run_id, side.setting)
    own = own[[*keys, "cell", "reason", "ties"]].drop_duplicates(keys)
    if len(own) == len(found) and all((own[key].to_numpy() == found.frame[key].to_numpy()).all() for key in keys):
        return own.reset_index(drop=True)  # the same verdicts in the same order, as a rule: nothing has to be sought
    return found.frame[keys].merge(own, on=keys, how="left")


def _stored(store: Store, side: Side, metrics: Sequence[str]) -> pd.DataFrame | None:
    """What `_said` needs of `outcomes.compute`, read from what is stored of a default setting by these metrics alone;
    None where nothing is."""
    if not side.setting.is_default or side.setting.kind == Kind.PRIOR:
        return None
    columns = store.cursor().execute(
        """SELECT item_no, query, metric, cell, reason, ties FROM outcomes
        WHERE run_id = $run AND kind = $kind AND list_contains($metrics::VARCHAR[], metric)
        ORDER BY item_no, query""",
        {"run": side.run_id, "kind": side.setting.kind, "metrics": list(metrics)},
    ).fetchnumpy()  # fmt: skip
    words = {
        name: np.ma.filled(values, "").astype(object) for name, values in columns.items() if values.dtype == object
    }
    return pd.DataFrame(columns | words) if len(columns["item_no"]) else None


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
        frame[f"{column}_{k}"].to_numpy(dtype=object) if known else np.where(own, *VERDICTS).astype(object)
        for k, own in zip(pair, right, strict=True)
    ]
    sure = [frame[f"reason_{k}"].isin(["", UNCERTAIN]).to_numpy() for k in pair]
    which = np.array([[WHICH[a, b] for b in (False, True)] for a in (False, True)], dtype=object)[
        right[0].astype(np.intp), right[1].astype(np.intp)
    ]
    certified = ~(sure[0] | sure[1]) & known
    return pd.DataFrame({"a": each[0], "b": each[1], "which": pd.Series(which, dtype=object), "certified": certified})


def links(each: pd.DataFrame, protocol: Protocol) -> pd.DataFrame:
    """LINKS, a row for each way that some verdict went, in the order of the parts: n verdicts, `certified` of them with
    a certified reason on both sides. each: of `ends`."""
    order = {name: place for place, name in enumerate(parts(protocol))}
    found = each.groupby(["a", "b", "which"], sort=False).agg(n=("certified", "size"), certified=("certified", "sum"))
    table = found.reset_index()
    rank = table["a"].map(order) * len(order) + table["b"].map(order)
    return table.assign(rank=rank).sort_values(["rank", "which"], ignore_index=True)[list(LINKS)]


def parts(protocol: Protocol) -> tuple[str, ...]:
    """Everything that can be a part of a flow of a protocol, in the order in which it is drawn."""
    return tuple(dict.fromkeys((*reasons_of(protocol), *VERDICTS)))
