"""What is derived once, at import: outcomes at each kind's default setting, and how many of them are in each cell."""

from collections.abc import Iterable

import duckdb
import pandas as pd

from backend.protocols import Protocol
from backend.store.build import left_out
from backend.store.build.loading import forget_run
from backend.store.build.stored_run import StoredRun
from backend.store.reasons import bars, evidence
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting


def derive(connection: duckdb.DuckDBPyConnection, runs: Iterable[str], benchmarks: Iterable[str]) -> dict[str, str]:
    """Bring outcomes and cells up to date for changed runs and for all runs of changed benchmarks.

    Returned are the runs that could not be judged, of which nothing is left in the tables, each with the reason.
    """
    unjudged: dict[str, str] = {}
    pairs = connection.execute("SELECT run_id, benchmark FROM runs ORDER BY run_id").fetchall()
    changed, stale = set(runs), set(benchmarks)
    for run_id, benchmark in pairs:
        if run_id in changed or benchmark in stale:
            for table in ("outcomes", "evidence", "cells"):
                connection.execute(f"DELETE FROM {table} WHERE run_id = ?", [run_id])
            try:
                run = StoredRun(connection, run_id)
                for kind in run.kinds:
                    _store_outcomes(connection, run, kind)
            except left_out.UNUSABLE as error:
                unjudged[run_id] = f"its scores cannot be judged ({left_out.why(error)})"
                forget_run(connection, run_id)
    return unjudged


def _store_outcomes(connection: duckdb.DuckDBPyConnection, run: StoredRun, kind: str) -> None:
    tables: dict[Protocol, pd.DataFrame] = {}
    frame = outcomes.frame_of(run, Setting(kind), None, tables)
    for protocol, table in tables.items():
        evidence.keep(connection, run.run_id, kind, protocol, table)
    if not len(frame):
        return
    connection.register("fresh_outcomes", frame)
    connection.execute(
        """INSERT INTO outcomes SELECT ?, ?, item_no, query, metric, correct, nullif(margin, 'nan'::DOUBLE), ties,
            cell, reason FROM fresh_outcomes""",
        [run.run_id, kind],
    )
    connection.unregister("fresh_outcomes")
    counts = bars.joined(bars.counted(table, protocol) for protocol, table in tables.items())
    if len(counts):
        connection.register("fresh_cells", counts)
        connection.execute("INSERT INTO cells SELECT ?, ?, * FROM fresh_cells", [run.run_id, kind])
        connection.unregister("fresh_cells")
