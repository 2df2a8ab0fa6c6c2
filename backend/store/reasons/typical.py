"""Typical failures of one run: of its most frequent certified reasons an item each, in the middle by its margin."""

from dataclasses import dataclass

import pandas as pd

from backend.benchmarks.winoground_stub import GATED
from backend.store.build.store import Store
from backend.store.reasons.showcase import METRICS, UNCERTIFIED


@dataclass(frozen=True)
class Typical:
    """One of them. reason: the word of `outcomes` that it stands for, "" where no reason is certified and it stands for
    its subset; items: how many wrong items have that reason (or are in that subset); wrong: how many are wrong at all;
    margin: its own, which is in the middle of theirs."""

    item_id: str
    subset: str
    protocol: str
    cell: str
    reason: str
    items: int
    wrong: int
    margin: float | None


def typical(store: Store, run_id: str, kind: str, benchmark: str, most: int = 3) -> list[Typical]:
    """The most frequent certified reasons of a run's wrong items, each with the item whose margin is the median of
    theirs, the lower of two, and of equal ones the first of the file; at most so many.

    Quads are judged by all four scores, choices and triplets by their one verdict. Where no reason of any item is
    certified: the subsets with most wrong items in their place. benchmark: the hash whose items are shown. Only items
    whose captions are here are named, but all are counted.
    """
    wrong = _wrong(store, run_id, kind, benchmark)
    certified = wrong[~wrong["reason"].isin(UNCERTIFIED)]
    by = "reason" if len(certified) else "subset"
    counts = (certified if len(certified) else wrong)[by].value_counts(sort=True)
    ranked = sorted(counts.items(), key=lambda each: (-each[1], str(each[0])))
    found = []
    for name, items in ranked:
        group = wrong[(wrong[by] == name) & wrong["told"]].sort_values(["margin", "item_no"], kind="stable")
        if not len(group):
            continue
        middle = group["margin"].iloc[(len(group) - 1) // 2]
        row = group.iloc[int(group["margin"].searchsorted(middle))] if not pd.isna(middle) else group.iloc[0]
        margin = None if pd.isna(middle) else float(middle)
        found.append(
            Typical(
                str(row["item_id"]),
                str(row["subset"]),
                str(row["protocol"]),
                str(row["cell"]),
                str(row["reason"]),
                int(items),
                len(wrong),
                margin,
            )
        )
        if len(found) == most:
            break
    return found


def _wrong(store: Store, run_id: str, kind: str, benchmark: str) -> pd.DataFrame:
    """All items that a run gets wrong under a kind: item_no, item_id, subset, protocol, margin, cell, reason, and told:
    whether its captions are here."""
    return (
        store.cursor()
        .execute(
            """WITH how AS (SELECT unnest($protocol::VARCHAR[]) AS protocol, unnest($metric::VARCHAR[]) AS metric)
            SELECT i.item_no, i.item_id, i.subset, i.protocol, o.margin, coalesce(o.cell, '') AS cell,
                coalesce(o.reason, '') AS reason, len(i.texts) > 0 AND NOT ends_with(i.texts[1], $gated) AS told
            FROM outcomes o JOIN items i ON i.benchmark = $benchmark AND i.item_no = o.item_no
            JOIN how h ON h.protocol = i.protocol AND h.metric = o.metric
            WHERE o.run_id = $run AND o.kind = $kind AND o.query = -1 AND NOT o.correct
            ORDER BY i.item_no""",
            {
                "run": run_id, "kind": kind, "benchmark": benchmark, "gated": GATED,
                "protocol": [str(of) for of in METRICS], "metric": list(METRICS.values()),
            },
        )
        .df()
    )  # fmt: skip
