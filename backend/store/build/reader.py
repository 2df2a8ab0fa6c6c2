"""The door to the store: `open_store()` gives read-only access to the newest generation, and moves on with it."""

import contextlib
import sys

import duckdb

from backend.errors import FlipsideError
from backend.store.build import generations, importer, schema
from backend.store.build.store import Opened, Store


def prepare() -> None:
    """Import what is new, as a server starts, so that the first page finds a generation.

    What goes wrong here goes wrong again, and is said, where a page opens the store.
    """
    with contextlib.suppress(FlipsideError, OSError, duckdb.Error):
        importer.refresh(wait=True)


def open_store(follow: bool = True, wait: bool = False) -> Store:
    """The store on the newest generation, after everything new in the roots has been imported.

    follow: move on when a newer generation appears (a dashboard); without it one generation is read to the end.
    wait: wait for an import in another process; otherwise the last generation is read meanwhile, and standard error
    says so where there is more than it holds. A cache that may not be written is read as it is: its last generation,
    and standard error says so where that does not hold everything.
    """
    try:
        here = generations.imports_here()
        imported = importer.refresh(wait or generations.current() is None)
        if not (imported or here or generations.imports_here() or _holds_everything()):
            _say("Another process is importing results; this reads the last generation.")
    except generations.ReadOnlyError as error:
        if not importer.can_be_read(generations.current()):
            raise
        if not importer.is_current_now():
            _say(f"What is new is not imported, this reads the last generation: {error}")
    return Store(_Imports(), follow)


def open_last() -> Store:
    """The store on the last generation as it is: nothing is imported where there is one, and it does not move on."""
    return Store(_Imports(), follow=False)


def _holds_everything() -> bool:
    """Whether the last generation has all there is, so that whoever holds the import lock only looks."""
    try:
        return importer.is_current_now()
    except (FlipsideError, OSError, duckdb.Error):
        return False


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)  # noqa: T201


class _Imports:
    """Generations made of what lies in the roots."""

    def newest(self) -> Opened:
        """The newest generation; builds one where there is none that can be read."""
        for attempt in range(5):
            path = generations.current()
            if path is None:
                importer.refresh(wait=True)
                continue
            held = generations.lease(path)
            try:
                connection = importer.connect(path, read_only=True)
            except FlipsideError:
                if attempt == 4 or generations.current() == path:
                    raise
                continue  # removed between our reading CURRENT and opening it
            version = schema.version_of(connection)
            schema.refuse_newer(version, str(path))
            if version == schema.VERSION:
                return Opened(connection, path, f"{path.stem}-{importer.build_id(connection)}", held)
            connection.close()
            importer.refresh(wait=True)
        raise FlipsideError(
            f"{generations.db_dir()}: no generation of the database can be read. Delete it and try again."
        )

    def beyond(self, connection: duckdb.DuckDBPyConnection) -> str:
        """A mark of what the roots hold, "" where a generation holds all of it."""
        return importer.beyond(connection)

    def refresh(self) -> None:
        """Import what is new, unless another process is doing it."""
        importer.refresh()

    def refresh_quietly(self) -> None:
        """The same in the background: what goes wrong is said on standard error."""
        try:
            importer.refresh()
        except generations.ReadOnlyError:
            pass  # it was said when the store was opened
        except FlipsideError as error:
            _say(f"flipside: {error}")
