"""Items and verdicts as plain frames, for what is written into files that stand by themselves (`publish`)."""

import json
from typing import Any

import pandas as pd

from backend.store.build.store import Store

#: The columns of `items`.
ITEMS = (
    "item_no", "item_id", "subset", "protocol", "texts", "image_keys", "image_uris", "truth", "concepts",
    "perturbations", "cluster",
)  # fmt: skip


def items(store: Store, benchmark: str) -> pd.DataFrame:
    """The items of a benchmark (hash) in their order: ITEMS; lists as lists, truth as JSON pairs."""
    frame = (
        store.cursor()
        .execute(f"SELECT {', '.join(ITEMS)} FROM items WHERE benchmark = ? ORDER BY item_no", [benchmark])
        .df()
    )
    for column in ("texts", "image_keys", "image_uris", "concepts", "perturbations"):
        frame[column] = [[str(each) for each in row] for row in frame[column]]
    return frame


def verdicts(store: Store, run_id: str, kind: str) -> pd.DataFrame:
    """A run's verdicts an item under a kind's default setting: item_no, metric, correct (missing where undefined),
    margin, ties, cell, reason; in item order. Verdicts of a single text of an item (text-to-image recall) are not in
    it."""
    return (
        store.cursor()
        .execute(
            """SELECT item_no, metric, correct, margin, coalesce(ties, false) AS ties, coalesce(cell, '') AS cell,
                coalesce(reason, '') AS reason
            FROM outcomes WHERE run_id = ? AND kind = ? AND query = -1 ORDER BY metric, item_no""",
            [run_id, kind],
        )
        .df()
    )


def about(store: Store, benchmark: str) -> dict[str, Any]:
    """What an edition says of itself; {} where it says nothing."""
    row = store.cursor().execute("SELECT record FROM benchmarks WHERE hash = ?", [benchmark]).fetchone()
    record = json.loads(row[0]) if row and row[0] else {}
    said = record.get("about") if isinstance(record, dict) else None
    return said if isinstance(said, dict) else {}
