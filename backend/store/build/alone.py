"""One run by itself, in a database of its own in memory: what a script has just scored is judged by the same code as
everything that is kept, and nothing of the cache is read or written."""

from pathlib import Path

import duckdb

from backend.errors import FlipsideError
from backend.store.build import loading, schema, sources
from backend.store.build.picture_uris import Places
from backend.store.build.store import Store


class _Alone:
    """A generation that stays as it is."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection

    def newest(self) -> tuple[duckdb.DuckDBPyConnection, Path, str]:
        """(connection, no file, its name)."""
        return self.connection, Path(), "alone"

    def is_current(self, connection: duckdb.DuckDBPyConnection) -> bool:
        """Always: nothing is added."""
        return True

    def refresh(self) -> None:
        """Nothing is imported."""

    def refresh_quietly(self) -> None:
        """Nothing is imported."""


def store_of(root: Path, run_id: str, benchmark: str) -> Store:
    """A store of one run under a root. benchmark: the name of its folder under `root/benchmarks`. FlipsideError where a
    part of it cannot be read."""
    connection = duckdb.connect(config={"threads": 2})
    schema.create(connection)
    found = sources.scan_run(root, run_id, benchmark)
    loading.load_benchmarks(connection, found, Places(root))
    loading.load_runs(connection, found)
    if found.problems:
        path, reason = found.problems[0]
        raise FlipsideError(f"{path}: {reason}. Run it again.")
    return Store(_Alone(connection), follow=False)
