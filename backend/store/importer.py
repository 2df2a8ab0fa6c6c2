"""From shards to the next generation of the database; safe in any number of processes."""

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb

from backend.errors import FlipsideError
from backend.store import derive, generations, loading, schema, sources


def is_current(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether a generation holds everything that the roots hold; reads names, sizes and times only."""
    return _meta(connection, "stamp") == sources.stamp(_problem_paths(connection))


def refresh(wait: bool = False) -> bool:
    """Import whatever is new; idempotent. False where another process holds the lock (only without `wait`)."""
    with generations.import_lock(wait) as held:
        if held:
            base = _usable(generations.current())
            if base is None or not _up_to_date(base):
                _build(base)
        return held


def _up_to_date(base: Path) -> bool:
    with contextlib.closing(connect(base, read_only=True)) as connection:
        return schema.version_of(connection) == schema.VERSION and is_current(connection)


def limits(path: Path) -> dict[str, str | bool | int | float | list[str]]:
    """What every connection of ours may use; temporary files stand beside the database."""
    return {
        "memory_limit": os.environ.get("FLIPSIDE_DB_MEMORY", "1GB"),
        "threads": min(4, os.cpu_count() or 1),
        "temp_directory": str(path.parent / "tmp"),
        "max_temp_directory_size": "8GB",
        "preserve_insertion_order": True,
    }


def connect(path: Path, read_only: bool) -> duckdb.DuckDBPyConnection:
    """A connection with bounded memory and its own temporary folder; the error is one sentence."""
    try:
        return duckdb.connect(str(path), read_only=read_only, config=limits(path))
    except duckdb.Error as error:
        raise FlipsideError(
            f"{path}: cannot be opened by DuckDB {duckdb.__version__} "
            f"({str(error).splitlines()[0]}). A file made by DuckDB 2.x cannot be read by 1.x: run `make setup` for "
            f"the pinned version, or delete {path.parent}, which is rebuilt from shards."
        ) from error


def _usable(base: Path | None) -> Path | None:
    """The last generation if the next can be built on it; a damaged one is set aside by building from shards."""
    if base is None:
        return None
    try:
        with contextlib.closing(connect(base, read_only=True)) as connection:
            version = schema.version_of(connection)
    except FlipsideError as error:
        if "not a valid" not in str(error.__cause__):
            raise
        print(f"{base.name} is damaged; the database is rebuilt from shards.", file=sys.stderr)  # noqa: T201
        return None
    schema.refuse_newer(version, str(base))
    return base


def _build(base: Path | None) -> Path:
    aside = generations.begin(base)
    try:
        with contextlib.closing(connect(aside, read_only=False)) as connection:
            if base is None:
                schema.create(connection)
                migrated = True
            else:
                migrated = schema.migrate(connection)
            if migrated:
                problems = _fill(connection)
                connection.execute("CHECKPOINT")
        if not migrated:
            aside.unlink()
            return _build(None)
    except OSError as error:
        raise generations.unwritable(error) from None
    path = generations.publish(aside)
    for where, reason in problems:
        print(f"Left out: {where}: {reason}.", file=sys.stderr)  # noqa: T201
    return path


def _fill(connection: duckdb.DuckDBPyConnection) -> list[loading.Problem]:
    """Everything that is new, into an open generation."""
    before = sources.stamp()
    found = sources.scan()
    rested = derive.standing(connection)
    changed = loading.load_benchmarks(connection, found)
    runs = loading.load_runs(connection, found)
    gone = rested.keys() - derive.standing(connection).keys()
    derive.derive(connection, runs, changed, {benchmark for run in gone for benchmark in rested[run]})
    connection.execute("DELETE FROM problems")
    for path, reason in found.problems:
        connection.execute("INSERT INTO problems VALUES (?, ?)", [str(path), reason])
    after = sources.stamp()
    stamp = sources.stamp(_problem_paths(connection)) if before == after else ""
    _set_meta(connection, "stamp", stamp)
    _set_meta(connection, "build", secrets.token_hex(4))
    return found.problems


def _problem_paths(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [path for (path,) in connection.execute("SELECT path FROM problems").fetchall()]


def _meta(connection: duckdb.DuckDBPyConnection, key: str) -> str | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
    return str(row[0]) if row else None


def build_id(connection: duckdb.DuckDBPyConnection) -> str:
    """A generation's own name, different for every build."""
    return _meta(connection, "build") or ""


def _set_meta(connection: duckdb.DuckDBPyConnection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])


def problems(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    """What the last import left out, as (path, reason)."""
    yield from connection.execute("SELECT path, reason FROM problems ORDER BY path").fetchall()
