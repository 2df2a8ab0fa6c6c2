"""What is derived once, at import: outcomes at each kind's default setting, and all that follows from them."""

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.store.build import attached, left_out, verdict_rows
from backend.store.build.loading import drop_derived, forget_run
from backend.store.build.stored_run import StoredRun
from backend.store.build.transaction import whole
from backend.store.rates import kept
from backend.store.reasons import bars, evidence, uncertified
from backend.store.scores import outcomes, verdict_bits
from backend.store.scores.outcomes import Judged
from backend.store.scores.setting import Setting

#: Runs that are judged at once: numpy works without Python's lock. More would be held in memory together.
AT_ONCE = min(4, os.cpu_count() or 1)


@dataclass
class _Made:
    """A run's rows for the tables of schema.DERIVED. files: of those that lie in files, by table and kind; items: the
    numbers of those judged, each once, by kind."""

    run_id: str
    rows: list[tuple[str, pa.Table]] = field(default_factory=list)
    files: dict[tuple[str, str], list[pa.Buffer]] = field(default_factory=dict)
    items: list[NDArray[np.intp]] = field(default_factory=list)

    def add(self, table: str, kind: str, rows: pa.Table | None) -> None:
        """Rows of one table, whose run and kind are put in."""
        if rows is None or not len(rows):
            return
        if table in attached.FORMS:
            self.files.setdefault((table, kind), []).append(attached.parquet(table, rows))
            return
        for name, word in {"run_id": self.run_id, "kind": kind}.items():
            rows = rows.append_column(name, verdict_rows.constant(word, len(rows)))
        self.rows.append((table, rows))


def derive(
    connection: duckdb.DuckDBPyConnection, runs: Iterable[str], benchmarks: Iterable[str], rows: Path
) -> dict[str, str]:
    """Bring outcomes and all that follows from them up to date for changed runs and for all runs of changed benchmarks.

    rows: the folder of what lies in files; the views have to be made anew then (`attached.views`). Returned are the
    runs that could not be judged, of which nothing is left, each with the reason. Several runs are judged at once, in
    numpy; those that are done are written meanwhile, in their order.
    """
    unjudged: dict[str, str] = {}
    changed, stale = set(runs), set(benchmarks)
    pairs = connection.execute("SELECT run_id, benchmark FROM runs ORDER BY benchmark, run_id").fetchall()
    before = {run_id for (run_id,) in connection.execute("SELECT DISTINCT run_id FROM judged").fetchall()}
    wanted = [(run_id, benchmark) for run_id, benchmark in pairs if run_id in changed or benchmark in stale]
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="flipside-outcomes") as judges:
        try:
            for run_id, made in _in_turn(connection, judges, wanted):
                try:
                    _write(connection, rows, made.result(), run_id in before)
                except left_out.UNUSABLE as error:
                    unjudged[run_id] = f"its scores cannot be judged ({left_out.why(error)})"
        except BaseException:
            judges.shutdown(cancel_futures=True)
            raise
    for run_id in unjudged:  # not before: others may be reading its scores
        forget_run(connection, rows, run_id)
    return unjudged


def _in_turn(
    connection: duckdb.DuckDBPyConnection, judges: ThreadPoolExecutor, wanted: list[tuple[str, str]]
) -> Iterator[tuple[str, Future[_Made]]]:
    """Each run (with its benchmark) and what is made of it, in their order; a few of them ahead of the one that is
    asked for. What was read of one benchmark is not held while another one is judged."""
    of, shared = "", dict[tuple[object, ...], Any]()
    ahead: deque[tuple[str, Future[_Made]]] = deque()
    for run_id, benchmark in wanted:
        if benchmark != of:
            of, shared = benchmark, {}
        # A cursor belongs to one thread: it is made here, where nobody else uses the connection.
        ahead.append((run_id, _begun(judges, StoredRun(connection.cursor(), run_id, shared))))
        if len(ahead) > AT_ONCE:
            yield ahead.popleft()
    while ahead:
        yield ahead.popleft()


def _begun(judges: ThreadPoolExecutor, run: StoredRun) -> Future[_Made]:
    """What is going to be made of a run."""
    try:
        return judges.submit(_judged, run)
    except RuntimeError:  # the process ends, waits for this import, and lets no pool begin anything: it is done here
        made = Future[_Made]()
        try:
            made.set_result(_judged(run))
        except Exception as error:  # noqa: BLE001 - raised where it is asked for
            made.set_exception(error)
        return made


def _write(connection: duckdb.DuckDBPyConnection, rows: Path, made: _Made, known: bool) -> None:
    """All rows of a run in place of those that were there."""
    with whole(connection):  # what is brought to the disk is brought there once for a run, not for each of its tables
        if known:
            drop_derived(connection, rows, made.run_id)
        for (table, kind), content in made.files.items():
            files = {str(number): each for number, each in enumerate(content)}
            attached.put(attached.place(rows, table, made.run_id, kind), files)
        for table, fresh in made.rows:
            connection.register("fresh", fresh)
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
        every = len(_each_once(made.items))
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
    made.items.append(_each_once(numbers))
    made.add("judged", kind, pa.table({"items": [len(made.items[-1])]}))


def _each_once(arrays: list[NDArray[np.intp]]) -> NDArray[np.intp]:
    """The numbers of some arrays, each once, rising."""
    different = _different(arrays)
    if len(different) == 1 and (np.diff(different[0]) > 0).all():
        return different[0]
    return np.unique(np.concatenate(different))


def _different(arrays: list[NDArray[np.intp]]) -> list[NDArray[np.intp]]:
    """Arrays without those that say the same as the one before: the metrics of a protocol judge the same items."""
    kept = arrays[:1]
    for each in arrays[1:]:
        if not np.array_equal(each, kept[-1]):
            kept.append(each)
    return kept
