"""Shards of scores on their way into the files of a generation: each is read once, checked, and kept as it is where it
can be."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from backend.engine.storage.schema import SCORES
from backend.store.build import attached, completions
from backend.store.build.sources import Part, Shard

TABLE = "scores"


@dataclass(frozen=True)
class Moved:
    """That a run's items are shown as those of the edition that completes their stub."""

    completions: completions.Completions
    stub: str


@dataclass(frozen=True)
class Sound:
    """A shard that is what its manifest says. content: its file in a generation; n: how many rows that has."""

    shard: Shard
    content: bytes | pa.Buffer
    n: int


def read(connection: duckdb.DuckDBPyConnection, shard: Shard, part: str, moved: Moved | None = None) -> Sound | str:
    """A shard, read once; a few words where it is not what its manifest says. moved: where its items are those of a
    stub's completion. OSError where there is no such file, or it may not be read."""
    content = shard.path.read_bytes()
    if hashlib.sha256(content).hexdigest() != shard.sha256:
        return "damaged: its content does not match the manifest's sha256"
    try:
        rows = pq.read_table(pa.BufferReader(content), use_threads=False)
        as_it_is = rows.schema == SCORES
        if not as_it_is:
            rows = _cast(connection, shard.path)
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        return f"not a shard of part {part} ({(str(error).strip().splitlines() or [type(error).__name__])[0]})"
    if len(rows) != shard.rows:
        return f"{len(rows)} rows, the manifest says {shard.rows}"
    if moved is not None:
        rows, as_it_is = _renumbered(connection, rows, moved), False
    # Ordered by item, so that one item's rows are found without reading the others; as the engine writes them.
    if not attached.in_order(rows):
        rows, as_it_is = rows.sort_by("item_no"), False
    return Sound(shard, content if as_it_is else attached.parquet(TABLE, rows), len(rows))


def _cast(connection: duckdb.DuckDBPyConnection, path: Path) -> pa.Table:
    """The columns of a file of other types as those of scores; what is missing is -1."""
    form = attached.FORMS[TABLE]
    columns = ", ".join(
        f"coalesce({name}, -1)::{kind} AS {name}" if name in form.absent else f"{name}::{kind} AS {name}"
        for name, kind in form.columns.items()
    )
    found: pa.Table = connection.sql(f"SELECT {columns} FROM read_parquet(?)", params=[str(path)]).to_arrow_table()
    return found.cast(SCORES)


def _renumbered(connection: duckdb.DuckDBPyConnection, rows: pa.Table, moved: Moved) -> pa.Table:
    """Rows with the item numbers of the completion; those of items that it has not are left out."""
    moved.completions.numbers(connection, moved.stub)
    pairs = connection.execute("SELECT old, new FROM moved ORDER BY old").fetchnumpy()
    place = pc.index_in(rows.column("item_no"), pa.array(pairs["old"].astype(np.int32)))
    there = pc.is_valid(place)
    new = pa.array(pairs["new"].astype(np.int32)).take(place.filter(there))
    return rows.filter(there).set_column(0, SCORES.field("item_no"), new)


def keep(folder: Path, part: Part, fresh: Sequence[Sound], shards: Sequence[str]) -> None:
    """Make the files of a part those of some shards (their sums, in the manifest's order): the fresh ones, and what was
    there of the others."""
    where = attached.place(folder, TABLE, part.run_id, part.part)
    new = {each.shard.sha256[:16]: each.content for each in fresh}
    known = {path.stem.rpartition("-")[2]: path for path in sorted(where.glob("*.parquet"))}
    wanted = [digest[:16] for digest in shards]
    files: dict[str, bytes | pa.Buffer | Path] = {}
    if any(digest not in new and digest not in known for digest in wanted):
        files[attached.WHOLE] = known[attached.WHOLE]  # what an older database held of the part, in one file
    for number, digest in enumerate(wanted):
        if digest in new or digest in known:
            files[f"{number:06}-{digest}"] = new[digest] if digest in new else known[digest]  # read in this order
    attached.put(where, files)
