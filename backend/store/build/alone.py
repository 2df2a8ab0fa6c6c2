"""One run by itself, in a database of its own in memory: what a script has just scored is judged by the same code as
everything that is kept, and nothing of the cache is read or written."""

import tempfile
from pathlib import Path

import duckdb

from backend.errors import FlipsideError
from backend.store.build import attached, loading, schema, sources
from backend.store.build.picture_uris import Places
from backend.store.build.store import Opened, Store


class _Alone:
    """A generation that stays as it is."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: tempfile.TemporaryDirectory[str]) -> None:
        """folder: of what lies in files; it goes when nobody asks any more."""
        self.connection, self.folder = connection, folder

    def newest(self) -> Opened:
        """The connection; there is no file, beside which the folder would lie."""
        return Opened(self.connection, Path(self.folder.name) / "rows.duckdb", "alone")

    def beyond(self, connection: duckdb.DuckDBPyConnection) -> str:
        """Nothing: nothing is added."""
        return ""

    def refresh(self) -> None:
        """Nothing is imported."""

    def refresh_quietly(self) -> None:
        """Nothing is imported."""


def store_of(root: Path, run_id: str, benchmark: str) -> Store:
    """A store of one run under a root. benchmark: the name of its folder under `root/benchmarks`. FlipsideError where a
    part of it cannot be read."""
    folder = tempfile.TemporaryDirectory(prefix="flipside-alone-")
    rows = Path(folder.name) / "rows"
    connection = duckdb.connect(config={"threads": 2, "file_search_path": folder.name})
    schema.create(connection, rows)
    found = sources.scan_run(root, run_id, benchmark)
    loading.load_benchmarks(connection, found, Places(root))
    loading.load_runs(connection, found, rows)
    attached.views(connection, rows)
    if found.problems:
        path, reason = found.problems[0]
        raise FlipsideError(f"{path}: {reason}. Run it again.")
    return Store(_Alone(connection, folder), follow=False)
