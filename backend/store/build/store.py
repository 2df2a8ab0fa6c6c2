"""The store as everybody uses it: read-only access to the newest generation, moving on with it.

`open_store()` (reader.py) makes one; how generations are opened and built is not known here.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import duckdb

from backend.errors import FlipsideError
from backend.store.build import attached, generations, sources
from backend.store.build.cache import Cache
from backend.store.build.stored_run import StoredRun

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")

#: Seconds between two looks at CURRENT, and between two looks at the roots.
LOOK = 0.5
LOOK_FOR_SHARDS = 3.0
#: So long an import of our own is waited for (seconds).
PATIENCE = 60.0


class Opened(NamedTuple):
    """A generation that can be read. held: what keeps its files where they are for as long as it is kept."""

    connection: duckdb.DuckDBPyConnection
    path: Path
    build: str
    held: object = None


class Source(Protocol):
    """Where a store gets its generations from."""

    def newest(self) -> Opened:
        """The newest generation that can be read."""

    def beyond(self, connection: duckdb.DuckDBPyConnection) -> str:
        """A mark of what the roots hold, "" where a generation holds all of it."""

    def refresh(self) -> None:
        """Import what is new, unless another process is doing it."""

    def refresh_quietly(self) -> None:
        """The same in the background: what goes wrong is said on standard error."""


class Store:
    """Read-only access to one generation after another; safe to share between threads.

    Every call to `cursor()` gives a connection of its own, because one connection used by several threads returns
    wrong rows without an error. What queries return may be changed: `cached` hands out copies.
    """

    def __init__(self, source: Source, follow: bool = True) -> None:
        self._lock = threading.RLock()
        self._source = source
        self._follow = follow
        self._closed = False
        self._connection, self._path, self._build, held = source.newest()
        #: Of the generations before, too: cursors of other threads may still be reading from them.
        self._held = deque([held], maxlen=3)
        self._looked = self._looked_for_shards = time.monotonic()
        self._importing: threading.Thread | None = None
        self._cache = Cache()

    @property
    def generation(self) -> str:
        """The name of what is being read, different for every build: the key for caches."""
        with self._lock:
            self._move_on()
            return self._build

    @property
    def reading(self) -> str:
        """The same without a look for a newer one."""
        with self._lock:
            return self._build

    def ahead(self) -> str:
        """What there is beyond what is being read, as a mark that changes while more is written; "" for nothing.

        Imports nothing and moves nowhere: names, sizes and times are read."""
        with self._lock:
            newest = generations.current()
            if self._closed or newest is None:
                return ""
            if newest != self._path:
                return newest.name
            return self._source.beyond(self._connection.cursor())

    def ahead_are_items(self) -> bool:
        """Whether what lies ahead is certain to be items without a new score. Imports nothing and moves nowhere."""
        with self._lock:
            if self._closed or generations.current() != self._path:
                return False
            runs, benchmarks = (
                {name for (name,) in self._connection.cursor().execute(question).fetchall()}
                for question in ("SELECT run_id FROM runs", "SELECT hash FROM benchmarks")
            )
            return sources.adds_only_items(runs, benchmarks, self._path)

    def held(self) -> tuple[dict[str, tuple[str, str, str, str]], dict[str, tuple[str, int]]]:
        """What is being read: run id -> (model, name and hash of its benchmark, when it was last written), and hash of
        a benchmark -> (name, how many items). Imports nothing and moves nowhere."""
        with self._lock:
            if self._closed:
                return {}, {}
            cursor = self._connection.cursor()
            runs = cursor.execute(
                "SELECT run_id, model, coalesce(benchmark_name, ''), coalesce(benchmark, ''), coalesce(updated, '') "
                "FROM runs"
            ).fetchall()
            benchmarks = cursor.execute("SELECT hash, name, coalesce(n_items, 0) FROM benchmarks").fetchall()
        return {run[0]: tuple(run[1:]) for run in runs}, {each[0]: (each[1], each[2]) for each in benchmarks}

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A read-only connection of the caller's own on the newest generation."""
        with self._lock:
            if self._closed:
                raise FlipsideError("This store has been closed.")
            self._move_on()
            return self._connection.cursor()

    def rows(self, table: str, run_id: str, name: str, columns: Sequence[str]) -> "pa.Table":
        """Some columns of what lies in files (`attached.FORMS`) of a run: of a part of its scores, else of a kind."""
        with self._lock:
            self._move_on()
            path = self._path
        return attached.read(attached.folder_of(path), table, run_id, name, columns)

    def rows_of(self, table: str, runs: Sequence[str]) -> str:
        """What lies in files of some runs, as SQL: rows of the view, without opening the files of all other runs."""
        with self._lock:
            self._move_on()
            path = self._path
        return attached.select(table, attached.files_of(attached.folder_of(path), table, runs))

    def run(self, run_id: str) -> StoredRun:
        """A run of the newest generation, for one question in one thread."""
        return StoredRun(self.cursor(), run_id, cached=self.cached)

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is derived from the newest generation under a key, made by `make` the first time that it is asked for.

        key: everything that the value follows from but the generation, which is added here; it begins with a name of
        its own. Values are dropped when a newer generation is read, when `Cache` is full, and when the store is closed.
        Where the generation changes while `make` reads, the value is handed out and never found again.
        """
        return self._cache.get((self.generation, key), make)

    def keep(self, build: str, answers: Mapping[Hashable, tuple[object, int]]) -> None:
        """Keep what another process has derived from a generation, by the keys of `cached` and with its bytes, where
        that generation is read now."""
        if self.reading == build:
            for key, (value, size) in answers.items():
                self._cache.put((build, key), value, size)

    def kept(self) -> dict[Hashable, tuple[object, int]]:
        """What has been derived from the generation that is read, by the keys of `cached`, and its bytes; not to be
        changed."""
        return self._cache.values_of(self.reading)

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._closed = True
            self._connection.close()
            self._held.clear()
            self._cache.clear()

    def move_on(self) -> None:
        """Read the newest generation at once, where this process has just published it; nothing is imported."""
        with self._lock:
            self._looked = 0.0
            self._move_on()

    def refresh(self) -> None:
        """Import what is new, unless another process is doing it, and read the newest generation.

        An import that this process has begun by itself is waited for: it may have begun before what is asked for was
        there, and would be taken for another process's.
        """
        begun = self._importing
        if begun is not None and begun.is_alive():
            begun.join(PATIENCE)
        self._source.refresh()
        self.move_on()

    def _move_on(self) -> None:
        """Under the lock: follow CURRENT, and start an import in the background where shards are new."""
        now = time.monotonic()
        if not self._follow or self._closed or now - self._looked < LOOK:
            return
        self._looked = now
        if generations.current() != self._path:
            # The old connection is not closed: cursors of other threads may still be reading from it.
            self._connection, self._path, self._build, held = self._source.newest()
            self._held.append(held)
            self._cache.clear()
        if now - self._looked_for_shards >= LOOK_FOR_SHARDS:
            self._looked_for_shards = now
            busy = self._importing is not None and self._importing.is_alive()
            if not busy and self._source.beyond(self._connection.cursor()):
                # No daemon, as a page's thread may be: a process that ends waits for the import instead of tearing
                # DuckDB down under it.
                self._importing = threading.Thread(
                    target=self._source.refresh_quietly, name="flipside-import", daemon=False
                )
                self._importing.start()
