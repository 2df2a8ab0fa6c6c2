"""Where a run's points are lost, subset by subset: cells beside luck, reasons that are certified, how many bind."""

from collections.abc import Collection
from typing import Any

import pandas as pd

from backend import enough
from backend.metrics.reasons.counterfactual import share_by_rank
from backend.metrics.reasons.names import reasons_of
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.reasons import bars, runs
from backend.store.reasons.words import CARRIED_BY
from backend.store.scores.setting import Setting


def of_run(store: Store, run_id: str, setting: Setting, subsets: Collection[str]) -> dict[str, dict[str, Any]]:
    """Subset -> what `report` says of its items under a setting; without subsets whose items have no cells.

    protocol; scale: of the scores; n: items with a cell; without_cell: items that have a verdict and no cell, since not
    all that it takes has been scored; clusters: how many of the n are independent draws. cells: cell -> n, share,
    mirrored (as many as luck alone would put there), mirrored_share: the parts of the bar on Overview. reasons: reason
    -> n, "uncertain" among them. at_least: so many bind (quads), or have evidence from their image: value, ci95, n,
    plus, minus (items with evidence for and against the truth), by_rank (of choices and triplets the same without any
    assumption on how margins are distributed, else None), elsewhere (of choices and triplets the ci95 against images of
    other subsets, None where none was scored: then it is not known whether it matters which images are taken) and said,
    in words. too_few: why there is no reason, or none
    that says what is seen, however the scores are; "" where there are enough items and images.
    """
    found: dict[str, dict[str, Any]] = {}
    counted = bars.of_run(store, run_id, setting)
    for subset, rows in counted[counted["subset"].isin(list(subsets))].groupby("subset", sort=False):
        protocol = Protocol(rows["protocol"].iloc[0])
        table = runs.of_run(store, run_id, setting, protocol)
        items = table[(table["subset"] == subset) & (table["cell"] != "")]
        found[str(subset)] = {
            "protocol": str(protocol),
            "scale": str((items if len(items) else rows)["scale"].iloc[0]),
            "n": len(items),
            "without_cell": _judged(store, run_id, setting.kind, protocol, str(subset)) - len(items),
            "clusters": _clusters(store, run_id, items),
            "cells": {row["cell"]: _cell(row, len(items)) for row in rows.to_dict("records")},
            "reasons": {name: int((items["reason"] == name).sum()) for name in reasons_of(protocol)},
            "at_least": _at_least(protocol, rows.iloc[0], items),
            "too_few": enough.too_few(len(items), int(items["n_other"].max()) if "n_other" in items else None),
        }
    return found


def _cell(row: dict[Any, Any], n: int) -> dict[str, Any]:
    own, decoys = int(row["items"]), int(row["mirrored"])
    return {"n": own, "share": own / n, "mirrored": decoys, "mirrored_share": decoys / n}


def _at_least(protocol: Protocol, row: pd.Series, items: pd.DataFrame) -> dict[str, Any]:
    """The row's share with its interval, as on Overview."""
    n, plus, minus = (int(row[name]) for name in ("n", "plus", "minus"))
    value = (plus - minus) / n if n else None
    ends = None if pd.isna(row["low"]) else (float(row["low"]), float(row["high"]))
    by_rank = share_by_rank(items["u"].to_numpy(dtype=float)) if "u" in items else None
    low, high = (items[name].iloc[0] if name in items else None for name in ("elsewhere_low", "elsewhere_high"))
    return {
        "value": value,
        "ci95": ends,
        "n": n,
        "plus": plus,
        "minus": minus,
        "by_rank": by_rank,
        "elsewhere": None if low is None or high is None or pd.isna(low) else (float(low), float(high)),
        "said": ": ".join(filter(None, bars.said(protocol, value, ends))),
    }


def _judged(store: Store, run_id: str, kind: str, protocol: Protocol, subset: str) -> int:
    """How many items of a subset have a verdict."""
    run = store.run(run_id)
    rows = run.cursor.execute(
        """SELECT count(DISTINCT o.item_no) FROM outcomes o JOIN items i ON i.benchmark = ? AND i.item_no = o.item_no
        WHERE o.run_id = ? AND o.kind = ? AND o.metric = ? AND i.subset = ?""",
        [run.benchmark, run_id, kind, CARRIED_BY[protocol][0], subset],
    ).fetchall()
    return int(rows[0][0])


def _clusters(store: Store, run_id: str, items: pd.DataFrame) -> int:
    run = store.run(run_id)
    rows = run.cursor.execute(
        "SELECT count(DISTINCT cluster) FROM items WHERE benchmark = ? AND item_no IN (SELECT unnest(?::INTEGER[]))",
        [run.benchmark, items["item_no"].tolist()],
    ).fetchall()
    return int(rows[0][0])
