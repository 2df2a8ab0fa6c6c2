"""Anybody's SQL on a read-only generation: no files, no network, no settings, bounded memory."""

import contextlib
import datetime as dt
import threading
from concurrent.futures import Future
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from backend.errors import UsageError
from backend.store.build import attached, generations, importer
from backend.store.build.reader import open_store
from backend.store.exchange import joined

#: Column names, and rows.
Answer = tuple[list[str], list[tuple[Any, ...]]]
#: Seconds between two looks at whether it is done, and that a query gets to end in once it is told to.
LOOK, END = 0.2, 1.5
#: Rows taken at once; between two times a query can be stopped.
BLOCK = 10_000


def ask(query: str) -> Answer:
    """Column names and rows of one statement; UsageError in one sentence for whatever DuckDB refuses.

    KeyboardInterrupt (Ctrl-C, SIGTERM) stops the query, which DuckDB would finish first: it is at work in a thread of
    its own, and told to end. The generation is attached to an instance of its own: connections to one file share their
    settings within a process, and locking them would lock the dashboard's.
    """
    if not query.strip():
        raise UsageError('an empty query. Try: flipside sql "SELECT run_id, model, benchmark_name FROM runs"')
    open_store(follow=False).close()  # imports what is new
    path = generations.current()
    if path is None:
        raise UsageError("there is no database yet.")
    held = generations.lease(path)  # its files stay until the answer is there
    connection = duckdb.connect(":memory:", config=importer.limits(path))
    found: Future[Answer] = Future()
    stop, ended = threading.Event(), threading.Event()

    def work() -> None:
        try:
            with contextlib.closing(connection):
                found.set_result(_answer(connection, str(path), query, stop))
        except BaseException as error:  # noqa: BLE001 - raised where it was asked for
            found.set_exception(error)
        finally:
            if held is not None:
                held.close()
            ended.set()

    threading.Thread(target=work, name="flipside-sql", daemon=True).start()
    try:
        # Not Thread.join: interrupted, Python 3.11's takes the thread for ended.
        while not ended.wait(LOOK):
            pass
        return found.result()
    except KeyboardInterrupt:
        stop.set()
        with contextlib.suppress(duckdb.Error):  # it is closed already
            connection.interrupt()
        ended.wait(END)
        raise


def _answer(connection: duckdb.DuckDBPyConnection, path: str, query: str, stop: threading.Event) -> Answer:
    quoted = path.replace("'", "''")
    connection.execute("SET enable_progress_bar = false")  # it is drawn into standard output, among the rows
    connection.execute(f"ATTACH '{quoted}' AS flipside (READ_ONLY)")
    connection.execute("USE flipside")
    joined.create(connection)
    # The views read the files of this generation, by names that are sought beside it; nothing else may be opened.
    files = attached.folder_of(Path(path))
    allowed = ", ".join("'" + f"{each}/".replace("'", "''") + "'" for each in (files, files.name))
    connection.execute(f"SET allowed_directories = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    try:
        statements = duckdb.extract_statements(query)
        if len(statements) != 1:
            raise UsageError(f"{len(statements)} statements; one at a time.")
        result = connection.execute(statements[0])
        if result.description is None:
            return [], []
        columns = _unique([str(column[0]) for column in result.description])
        rows: list[tuple[Any, ...]] = []
        while not stop.is_set() and (block := result.fetchmany(BLOCK)):
            rows += (tuple(_plain(cell) for cell in row) for row in block)
    except duckdb.Error as error:
        raise UsageError(_sentence(str(error))) from None
    return columns, rows


#: What stands in each table, for `--schema`.
ABOUT = {
    joined.NAME: "one row a verdict of every run (limited and repeated ones too: `whole`, `run_id`), at default "
    "settings, with its model, item and reason: a view",
    "benchmarks": "items, images and texts of each benchmark",
    "items": "one row an item of a benchmark (hash)",
    "runs": "one row a run; record is everything that was written down, as JSON",
    "run_parts": "the parts of a run and whether they are complete",
    "scores": "one row a score, as the model gave it",
    "tokens": "the log-probability of each token",
    "embeddings": "vectors of images and captions: of pools, and (part vectors:…) each different one of a subset once",
    "outcomes": "one row a verdict, by item number",
    "judged": "how many items of a run have a verdict of a kind",
    "verdict_bits": "the verdicts of a run by one metric, a bit an item",
    "rates": "each run's rates at its default settings, by subset, concept and perturbation",
    "cells": "how many items of a run are in which cell",
    "evidence": "what each item's reason rests on",
    "counterfactual_scores": "scores of captions under other images",
    "counterfactual_vectors": "vectors of captions and of other images",
    "files": "the files beside the database that hold scores, outcomes and evidence",
    "problems": "files that the last import left out",
    "meta": "the schema's version",
}
_COLUMNS = """SELECT table_name, column_name, data_type FROM duckdb_columns()
    WHERE NOT internal AND (database_name = 'flipside' OR table_name = '{view}') ORDER BY table_name, column_index"""


def schema() -> list[tuple[str, str, list[tuple[str, str]]]]:
    """(table, what is in it, its columns with their types), the view first."""
    _, rows = ask(_COLUMNS.format(view=joined.NAME))
    tables: dict[str, list[tuple[str, str]]] = {}
    for name, column, kind in rows:
        tables.setdefault(str(name), []).append((str(column), str(kind)))
    order = [*ABOUT, *(name for name in tables if name not in ABOUT)]
    return [(name, ABOUT.get(name, ""), tables[name]) for name in order if name in tables]


def _sentence(text: str) -> str:
    """DuckDB's message without its picture of the query."""
    kept = [line.strip() for line in text.split("\n\nLINE ")[0].splitlines() if line.strip()]
    return " ".join(kept)[:600]


def _unique(names: list[str]) -> list[str]:
    """Two columns of one name stay apart, so that no JSON row loses one."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found


def _plain(cell: Any) -> Any:
    """A value that JSON has."""
    if isinstance(cell, dict):
        return {str(key): _plain(value) for key, value in cell.items()}
    if isinstance(cell, list | tuple):
        return [_plain(value) for value in cell]
    if isinstance(cell, Decimal):
        return float(cell)
    if isinstance(cell, dt.date | dt.time | dt.timedelta | bytes):
        return str(cell)
    return cell if isinstance(cell, str | int | float | bool | None) else str(cell)
