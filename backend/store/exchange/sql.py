"""Anybody's SQL on a read-only generation: no files, no network, no settings, bounded memory."""

import contextlib
import datetime as dt
from decimal import Decimal
from typing import Any

import duckdb

from backend.errors import UsageError
from backend.store.build import generations, importer
from backend.store.build.reader import open_store


def ask(query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of one statement; UsageError in one sentence for whatever DuckDB refuses.

    The generation is attached to an instance of its own: connections to one file share their settings within a
    process, and locking them would lock the dashboard's.
    """
    if not query.strip():
        raise UsageError('an empty query. Try: flipside sql "SELECT run_id, model, benchmark_name FROM runs"')
    open_store(follow=False).close()  # imports what is new
    path = generations.current()
    if path is None:
        raise UsageError("there is no database yet.")
    with contextlib.closing(duckdb.connect(":memory:", config=importer.limits(path))) as connection:
        attached = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{attached}' AS flipside (READ_ONLY)")
        connection.execute("USE flipside")
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
            return columns, [tuple(_plain(cell) for cell in row) for row in result.fetchall()]
        except duckdb.Error as error:
            raise UsageError(_sentence(str(error))) from None


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
