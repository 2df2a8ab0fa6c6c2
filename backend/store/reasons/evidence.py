"""The numbers behind cells and reasons, kept at import: one row a run, kind and item at the kind's default setting."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun

#: Columns of `runs.of_run` that stand in the table `evidence`: of quads alone, of choices and triplets, of all.
OF_QUADS = ("gamma", "c", "r", "nested", "saturated")
OF_CHOICES = (
    "m", "b", "g", "s", "z", "b_error", "n_other", "u", "same", "preferred", "prefer", "others", "may_fit",
    "sources_agree", "least_low", "least_high", "elsewhere_low", "elsewhere_high",
)  # fmt: skip
OF_ALL = ("cell", "mirrored", "reason", "q", "scale")
#: What stands beside the items and is not kept twice.
_OF_ITEMS = {Protocol.QUAD: ("i.cluster",)}
#: All of them but the list of margins: what a card's line is made of.
NUMBERS = tuple(name for name in (*OF_QUADS, *OF_CHOICES, *OF_ALL) if name != "others")


def columns(protocol: Protocol) -> tuple[str, ...]:
    """The columns of a protocol's table that are kept."""
    return (*(OF_QUADS if protocol == Protocol.QUAD else OF_CHOICES), *OF_ALL)


def made(protocol: Protocol, table: pd.DataFrame) -> pa.Table:
    """The rows of the table `evidence` but run_id and kind, from a table of `runs.of_run` that has any."""
    names = ["item_no", *(name for name in columns(protocol) if name in table)]
    said = pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(table), dtype=np.int8)), pa.array([str(protocol)]))
    return pa.table({"protocol": said} | {name: _column(table[name]) for name in names})


def _column(values: pd.Series) -> pa.Array:
    """Words by their dictionary: read one by one out of a frame they take longer than everything else."""
    if pd.api.types.is_string_dtype(values) or (values.dtype == object and isinstance(values.iloc[0], str)):
        codes, names = pd.factorize(values)
        known = pa.array(codes.astype(np.int32), mask=codes < 0)
        return pa.DictionaryArray.from_arrays(known, pa.array([str(name) for name in names]))
    return pa.array(values, from_pandas=True)


def kept(run: StoredRun, kind: str, protocol: Protocol, subset: str | None = None) -> pd.DataFrame:
    """A protocol's table as it was kept, with item_no, item_id, subset and protocol, in item order; empty where nothing
    was. subset: one name, or several with commas."""
    names = ", ".join([*(f"e.{name}" for name in columns(protocol)), *_OF_ITEMS.get(protocol, ())])
    asked = f"""SELECT i.item_no, i.item_id, i.subset, i.protocol, {names}
        FROM evidence e JOIN items i ON i.benchmark = $1 AND i.item_no = e.item_no
        WHERE e.run_id = $2 AND e.kind = $3 AND e.protocol = $4
            AND ($5::VARCHAR IS NULL OR list_contains(string_split($5, ','), i.subset)) ORDER BY i.item_no"""
    # As Arrow: by way of Python's own words it takes six times as long.
    rows = run.cursor.sql(asked, params=[run.benchmark, run.run_id, kind, str(protocol), subset]).to_arrow_table()
    found: pd.DataFrame = rows.to_pandas()
    return found


def numbers(store: Store, run_id: str, kind: str, protocol: Protocol, names: Sequence[str]) -> pa.Table:
    """item_no and some columns of `columns` of a protocol's table as it was kept, in item order, without asking for the
    items; words come with their dictionary. No rows where nothing was kept."""
    rows = store.rows("evidence", run_id, kind, ["protocol", "item_no", *names])
    rows = rows.filter(pc.equal(rows["protocol"], str(protocol))).drop_columns("protocol")
    at = rows["item_no"].to_numpy()
    return rows if (at[1:] > at[:-1]).all() else rows.sort_by("item_no")
