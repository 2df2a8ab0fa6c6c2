"""Classify items in the store: in chunks that fit into memory, and with their classes in the order of the names."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.items import Protocol
from backend.store.build.stored_run import StoredRun
from backend.store.scores import matrices

#: Cells (items x classes) that are judged at a time: 16 MB an array.
CELLS = 2_000_000


def chunks(run: StoredRun, subset: str | None = None) -> Iterator[pd.DataFrame]:
    """The items with one true class, a part of one subset at a time, in item order; at most CELLS each."""
    items = matrices.items_of(run, Protocol.CLASSIFY, subset)
    several = matrices.multi_label(run) if len(items) else set()
    for name in items["subset"].unique():
        part = items[items["subset"] == name]
        step = max(1, CELLS // max(1, int(part["n_texts"].max())))
        for start in range(0, len(part) if name not in several else 0, step):
            yield part.iloc[start : start + step].reset_index(drop=True)


def in_order(
    run: StoredRun, items: pd.DataFrame, own_first: matrices.FloatArray
) -> tuple[matrices.FloatArray, NDArray[np.bool_]]:
    """Scores (n, classes) with the own class first, put in the order of the names; and which classes are true."""
    columns = own_first.shape[1]
    back = np.argsort(matrices.own_class_first(run, items, columns), axis=1)
    return np.take_along_axis(own_first, back, 1), truths(run, items, columns)


def truths(run: StoredRun, items: pd.DataFrame, columns: int) -> NDArray[np.bool_]:
    """Which classes each item has, bool (n, columns)."""
    run.cursor.register("wanted_items", pd.DataFrame({"item_no": items["item_no"]}))
    rows = run.cursor.execute(
        """SELECT item_no, unnest(json_extract(truth, '$[*][1]')::INTEGER[]) AS class
        FROM items JOIN wanted_items USING (item_no)
        WHERE benchmark = ?""",
        [run.benchmark],
    ).fetchnumpy()
    run.cursor.unregister("wanted_items")
    found = np.zeros((len(items), columns), dtype=np.bool_)
    place = np.searchsorted(items["item_no"].to_numpy(), np.asarray(rows["item_no"]))
    found[place, np.asarray(rows["class"])] = True
    return found
