"""What is derived once, at import: outcomes at each kind's default setting, and all that follows from them."""

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.store.build import left_out, schema, verdict_rows
from backend.store.build.loading import forget_run
from backend.store.build.stored_run import StoredRun
from backend.store.build.transaction import whole
from backend.store.rates import kept
from backend.store.reasons import bars, evidence, uncertified
from backend.store.scores import outcomes, verdict_bits
from backend.store.scores.outcomes import Judged
from backend.store.scores.setting import Setting


@dataclass
class _Made:
    """A run's rows for the tables of schema.DERIVED. items: the numbers of those judged, each once, by kind."""

    run_id: str
    rows: list[tuple[str, pa.Table]] = field(default_factory=list)
    items: list[NDArray[np.intp]] = field(default_factory=list)

    def add(self, table: str, kind: str, rows: pa.Table | None) -> None:
        """Rows of one table, whose run and kind are put in."""
        if rows is not None and len(rows):
            names = {"run_id": self.run_id, "kind": kind}
            for name, word in names.items():
                rows = rows.append_column(name, verdict_rows.constant(word, len(rows)))
            self.rows.append((table, rows))


def derive(connection: duckdb.DuckDBPyConnection, runs: Iterable[str], benchmarks: Iterable[str]) -> dict[str, str]:
    """Bring outcomes and all that follows from them up to date for changed runs and for all runs of changed benchmarks.

    Returned are the runs that could not be judged, of which nothing is left in the tables, each with the reason. While
    one run is written, the next one is judged: one works in the database, the other in numpy.
    """
    unjudged: dict[str, str] = {}
    pairs = connection.execute("SELECT run_id, benchmark FROM runs ORDER BY benchmark, run_id").fetchall()
    changed, stale = set(runs), set(benchmarks)
    before = {run_id for (run_id,) in connection.execute("SELECT DISTINCT run_id FROM judged").fetchall()}
    of, shared = "", dict[tuple[object, ...], Any]()
    writing: tuple[str, Future[None]] | None = None
    with ThreadPoolExecutor(1, thread_name_prefix="flipside-outcomes") as writer:
        for run_id, benchmark in pairs:
            if run_id not in changed and benchmark not in stale:
                continue
            if benchmark != of:  # what was read of one benchmark is not held while another one is judged
                of, shared = benchmark, {}
            made: _Made | None = None
            try:
                made = _judged(StoredRun(connection.cursor(), run_id, shared))
            except left_out.UNUSABLE as error:
                unjudged[run_id] = _why(error)
            _finish(connection, writing, unjudged)
            if made is None:
                forget_run(connection, run_id)
                writing = None
            else:
                writing = run_id, writer.submit(_write, connection, made, run_id in before)
        _finish(connection, writing, unjudged)
    return unjudged


def _why(error: Exception) -> str:
    return f"its scores cannot be judged ({left_out.why(error)})"


def _finish(
    connection: duckdb.DuckDBPyConnection, writing: tuple[str, Future[None]] | None, unjudged: dict[str, str]
) -> None:
    """Wait until a run is written, and leave it out where it could not be."""
    if writing is None:
        return
    run_id, written = writing
    try:
        written.result()
    except left_out.UNUSABLE as error:
        unjudged[run_id] = _why(error)
        forget_run(connection, run_id)


def _write(connection: duckdb.DuckDBPyConnection, made: _Made, known: bool) -> None:
    """All rows of a run in place of those that were there."""
    with whole(connection):  # what is brought to the disk is brought there once for a run, not for each of its tables
        for table in schema.DERIVED if known else ():
            connection.execute(f"DELETE FROM {table} WHERE run_id = ?", [made.run_id])
        for table, rows in made.rows:
            connection.register("fresh", rows)
            connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM fresh")
            connection.unregister("fresh")


def _judged(run: StoredRun) -> _Made:
    """Judge a run by each of its kinds."""
    made = _Made(run.run_id)
    for kind in run.kinds:
        judged = verdict_rows.by_metric(outcomes.judge(run, Setting(kind)))
        if judged:
            _of_kind(made, run, kind, judged)
    if made.items:
        every = len(np.unique(np.concatenate(_different(made.items))))
        made.add("judged", "", pa.table({"items": [every]}))
    return made


def _of_kind(made: _Made, run: StoredRun, kind: str, judged: dict[str, list[Judged]]) -> None:
    """All that is kept of a kind's verdicts."""
    every = [each for of in judged.values() for each in of]
    worded = {each.words.protocol: (each.words.table, each.items) for each in every if each.words is not None}
    for protocol, (table, _) in worded.items():
        made.add("evidence", kind, evidence.made(protocol, table) if len(table) else None)
    made.add("outcomes", kind, verdict_rows.table(judged))
    made.add("verdict_bits", kind, verdict_bits.made(judged))
    made.add("rates", kind, kept.made(run, kind, judged))
    counts = bars.joined(
        bars.counted(table, protocol, kept.clusters(run, items) if len(items) == len(table) else None)
        for protocol, (table, items) in worded.items()
    )
    if len(counts):
        parts = [
            uncertified.tallied(part).assign(protocol=str(protocol), subset=subset)
            for protocol, (table, _) in worded.items()
            for subset, part in table[table["cell"] != ""].groupby("subset", sort=False)
        ]
        named = ["protocol", "subset", "cell"]
        more = pd.concat(parts, ignore_index=True)[[*named, *uncertified.TALLY]]
        made.add("cells", kind, pa.Table.from_pandas(counts.merge(more, on=named, how="left"), preserve_index=False))
    numbers = [each.items["item_no"].to_numpy()[each.rows] for each in every]
    made.items.append(np.unique(np.concatenate(_different(numbers))))
    made.add("judged", kind, pa.table({"items": [len(made.items[-1])]}))


def _different(arrays: list[NDArray[np.intp]]) -> list[NDArray[np.intp]]:
    """Arrays without those that say the same as the one before: the metrics of a protocol judge the same items."""
    kept = arrays[:1]
    for each in arrays[1:]:
        if not np.array_equal(each, kept[-1]):
            kept.append(each)
    return kept
