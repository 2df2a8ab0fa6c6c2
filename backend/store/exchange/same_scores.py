"""Whether two copies of a run say the same: cell by cell, to what another machine's arithmetic changes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

#: Scores made anew agree to this (docs/architecture.md), relative to scores above one; in half precision to HALF.
CLOSE = 1e-4
HALF = 2e-2
Floats = NDArray[np.float64]
_KEY = ("item_no", "image_index", "text_index", "text_index_b", "sample", "index", "image_item")


def first_difference(
    mine: Path, ours: Mapping[str, Any], other: Path, theirs: Mapping[str, Any], dtype: str | None = None
) -> str | None:
    """Where two run folders with these manifests differ, in a few words; None where every part that both have agrees.

    dtype: of the run. A part that is not complete in one of them is compared as far as both go.
    """
    for part in sorted(set(ours["parts"]) & set(theirs["parts"])):
        found = _differs(mine, ours["parts"][part], other, theirs["parts"][part], dtype)
        if found:
            return f"{part}: {found}"
    return None


def _differs(mine: Path, one: Mapping[str, Any], other: Path, two: Mapping[str, Any], dtype: str | None) -> str | None:
    if {shard["sha256"] for shard in one["shards"]} == {shard["sha256"] for shard in two["shards"]}:
        return None
    left, right = _table(mine, one), _table(other, two)
    if left is None or right is None:
        return None
    value = next(name for name in ("value", "logprobs", "vector") if name in left.column_names)
    keys = [name for name in _KEY if name in left.column_names]
    both = (
        left.select([*keys, value]).join(
            right.select([*keys, value]), keys, join_type="inner", right_suffix="_of_other"
        )
        if value == "value"
        else None
    )
    whole = one["complete"] and two["complete"]
    if "image_item" in left.column_names:
        whole = False  # one of them may have been scored under more images than the other
    if whole and left.num_rows != right.num_rows:
        return f"{left.num_rows:,} rows here, {right.num_rows:,} there"
    if both is None:
        return _lists_differ(left.sort_by([(name, "ascending") for name in keys]),
                             right.sort_by([(name, "ascending") for name in keys]), value, dtype)  # fmt: skip
    if whole and both.num_rows != left.num_rows:
        return "other cells"
    a, b = (both.column(name).to_numpy().astype(np.float64) for name in (value, f"{value}_of_other"))
    far = _far(a, b, dtype)
    if not far.any():
        return None
    at = int(np.argmax(far))
    return f"item {both.column('item_no')[at].as_py()} has {a[at]:.4g} here, {b[at]:.4g} there"


def _lists_differ(left: pa.Table, right: pa.Table, value: str, dtype: str | None) -> str | None:
    """Token log-probabilities and vectors, where both tables are of the same cells."""
    if left.num_rows != right.num_rows:
        return None  # one of them is not complete; the sums of what was scored are compared
    a, b = (pc.list_flatten(table.column(value)).to_numpy().astype(np.float64) for table in (left, right))
    if a.shape != b.shape or _far(a, b, dtype if value == "logprobs" else "float16").any():
        return "other tokens" if value == "logprobs" else "other vectors"
    return None


def _far(a: Floats, b: Floats, dtype: str | None) -> NDArray[np.bool_]:
    close = CLOSE if dtype in (None, "float32", "float64") else HALF
    return np.asarray(~((np.abs(a - b) <= close * np.maximum(1.0, np.abs(a))) | (np.isnan(a) & np.isnan(b))))


def _table(folder: Path, part: Mapping[str, Any]) -> pa.Table | None:
    tables = [pq.read_table(folder / shard["file"]) for shard in part["shards"]]
    return pa.concat_tables(tables) if tables else None
