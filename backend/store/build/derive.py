"""What is derived once, at import: outcomes at each kind's default setting, and diagnosis labels."""

from collections.abc import Iterable

import duckdb

from backend.store.build import left_out
from backend.store.build.loading import forget_run
from backend.store.build.stored_run import StoredRun
from backend.store.labels import diagnosis, edited_captions
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting


def benchmarks_of_runs(connection: duckdb.DuckDBPyConnection) -> dict[str, set[str]]:
    """Run -> the benchmarks whose labels may rest on it: its own, and the one that this is an edition of."""
    parents = edited_captions.parents(connection)
    pairs = connection.execute("SELECT run_id, benchmark FROM runs").fetchall()
    return {run: {of, parents.get(of, of)} for run, of in pairs}


def derive(
    connection: duckdb.DuckDBPyConnection, runs: Iterable[str], benchmarks: Iterable[str], relabel: Iterable[str] = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Bring outcomes and labels up to date for changed runs and for all runs of changed benchmarks.

    relabel: benchmarks some of whose evidence is gone. Returned are the runs that could not be judged, of which nothing
    is left in the tables, and the benchmarks whose failures could not be labelled, each with its reason.
    """
    unjudged: dict[str, str] = {}
    unlabelled: dict[str, str] = {}
    pairs = connection.execute("SELECT run_id, benchmark FROM runs ORDER BY run_id").fetchall()
    changed, stale = set(runs), set(benchmarks)
    dirty = stale | {benchmark for run_id, benchmark in pairs if run_id in changed}
    for run_id, benchmark in pairs:
        if run_id in changed or benchmark in stale:
            connection.execute("DELETE FROM outcomes WHERE run_id = ?", [run_id])
            try:
                run = StoredRun(connection, run_id)
                for kind in run.kinds:
                    _store_outcomes(connection, run, kind)
            except left_out.UNUSABLE as error:
                unjudged[run_id] = f"its scores cannot be judged ({left_out.why(error)})"
                forget_run(connection, run_id)
    # A label may rest on other runs of the benchmark (blind models) and on runs of its editions (edited captions), so
    # all of its runs are labelled again.
    parents = edited_captions.parents(connection)
    dirty |= {parents[benchmark] for benchmark in dirty if benchmark in parents} | set(relabel)
    for benchmark in sorted(dirty):
        connection.execute("DELETE FROM diagnoses WHERE benchmark = ?", [benchmark])
        judged = [run for run, of in pairs if of == benchmark and run not in unjudged]
        try:
            labels = diagnosis.label_benchmark(connection, benchmark, judged)
        except left_out.UNUSABLE as error:
            unlabelled[benchmark] = f"the failures of its runs cannot be labelled ({left_out.why(error)})"
            continue
        if len(labels):
            connection.register("fresh_labels", labels)
            connection.execute(
                "INSERT INTO diagnoses SELECT ?, run_id, kind, item_no, label, evidence FROM fresh_labels", [benchmark]
            )
            connection.unregister("fresh_labels")
    return unjudged, unlabelled


def _store_outcomes(connection: duckdb.DuckDBPyConnection, run: StoredRun, kind: str) -> None:
    frame = outcomes.frame_of(run, Setting(kind))
    if not len(frame):
        return
    connection.register("fresh_outcomes", frame)
    connection.execute(
        """INSERT INTO outcomes SELECT ?, ?, item_no, query, metric, correct, nullif(margin, 'nan'::DOUBLE), ties
        FROM fresh_outcomes""",
        [run.run_id, kind],
    )
    connection.unregister("fresh_outcomes")
