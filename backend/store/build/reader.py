"""The door to the store: `open_store()` gives read-only access to the newest generation, and moves on with it."""

import contextlib
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from backend.errors import FlipsideError
from backend.store.build import generations, importer, schema

T = TypeVar("T")

#: Seconds between two looks at CURRENT, and between two looks at the roots.
LOOK = 0.5
LOOK_FOR_SHARDS = 3.0
#: Derived frames kept in memory.
CACHED = 64


class Store:
    """Read-only access to one generation after another; safe to share between threads.

    Every call to `cursor()` gives a connection of its own, because one connection used by several threads returns
    wrong rows without an error. Frames that queries return are shared between callers: copy before changing one.
    """

    def __init__(self, follow: bool = True) -> None:
        self._lock = threading.RLock()
        self._follow = follow
        self._closed = False
        self._connection, self._path, self._build = _open_newest()
        self._looked = self._looked_for_shards = time.monotonic()
        self._importing: threading.Thread | None = None
        self._cache: OrderedDict[Hashable, Any] = OrderedDict()

    @property
    def generation(self) -> str:
        """The name of what is being read, different for every build: the key for caches."""
        with self._lock:
            self._move_on()
            return self._build

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A read-only connection of the caller's own on the newest generation."""
        with self._lock:
            if self._closed:
                raise FlipsideError("This store has been closed.")
            self._move_on()
            return self._connection.cursor()

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value for a key in this generation, made once; the most recent ones stay."""
        full = (self.generation, key)
        with self._lock:
            if full in self._cache:
                self._cache.move_to_end(full)
                value: T = self._cache[full]
                return value
        value = make()
        with self._lock:
            self._cache[full] = value
            while len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        return value

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._closed = True
            self._connection.close()
            self._cache.clear()

    def refresh(self) -> None:
        """Import what is new, unless another process is doing it, and read the newest generation."""
        importer.refresh()
        with self._lock:
            self._looked = 0.0
            self._move_on()

    def _move_on(self) -> None:
        """Under the lock: follow CURRENT, and start an import in the background where shards are new."""
        now = time.monotonic()
        if not self._follow or self._closed or now - self._looked < LOOK:
            return
        self._looked = now
        if generations.current() != self._path:
            # The old connection is not closed: cursors of other threads may still be reading from it.
            self._connection, self._path, self._build = _open_newest()
            self._cache.clear()
        if now - self._looked_for_shards >= LOOK_FOR_SHARDS:
            self._looked_for_shards = now
            busy = self._importing is not None and self._importing.is_alive()
            if not busy and not importer.is_current(self._connection.cursor()):
                self._importing = threading.Thread(target=_import_quietly, name="flipside-import", daemon=True)
                self._importing.start()


def prepare() -> threading.Thread:
    """Begin to import what is new while the server still starts, so that the first page finds a generation.

    What goes wrong here goes wrong again, and is said, where a page opens the store.
    """

    def work() -> None:
        with contextlib.suppress(FlipsideError, OSError, duckdb.Error):
            importer.refresh(wait=True)

    # No daemon: a server stopped in its first seconds waits for the import instead of tearing DuckDB down under it.
    thread = threading.Thread(target=work, name="prepare the store")
    thread.start()
    return thread


def open_store(follow: bool = True, wait: bool = False) -> Store:
    """The store on the newest generation, after everything new in the roots has been imported.

    follow: move on when a newer generation appears (a dashboard); without it one generation is read to the end.
    wait: wait for an import in another process; otherwise the last generation is read meanwhile, and standard error
    says so.
    """
    if not importer.refresh(wait or generations.current() is None):
        print("Another process is importing results; this reads the last generation.", file=sys.stderr)  # noqa: T201
    return Store(follow)


def _open_newest() -> tuple[duckdb.DuckDBPyConnection, Path, str]:
    """(connection, file, build id) of the newest generation; builds one where there is none that can be read."""
    for attempt in range(5):
        path = generations.current()
        if path is None:
            importer.refresh(wait=True)
            continue
        try:
            connection = importer.connect(path, read_only=True)
        except FlipsideError:
            if attempt == 4 or generations.current() == path:
                raise
            continue  # removed between our reading CURRENT and opening it
        version = schema.version_of(connection)
        schema.refuse_newer(version, str(path))
        if version == schema.VERSION:
            return connection, path, f"{path.stem}-{importer.build_id(connection)}"
        connection.close()
        importer.refresh(wait=True)
    raise FlipsideError(f"{generations.db_dir()}: no generation of the database can be read. Delete it and try again.")


def _import_quietly() -> None:
    try:
        importer.refresh()
    except FlipsideError as error:
        print(f"flipside: {error}", file=sys.stderr)  # noqa: T201
