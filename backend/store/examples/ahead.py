"""The generation with an example that ships, made before anybody asks for it, and taken over then by renaming.

Importing 36 runs takes seconds, which whoever opens Robustness first would wait for. So a process of its own imports
them beside the cache (`make`), or begins with what set-up has made of them (first_example.py): the example's files and
the database with them lie in `<cache>/db/ahead`, where nothing reads them. `take` puts both in their places, where
nothing else has come since; else what lies there is of no use, and the example is copied and imported as ever. Nothing
is shown before it is asked for.
"""

import contextlib
import filecmp
import json
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import duckdb

from backend import locks
from backend.durable import copied_tree, is_full, replaced, sync_dir, unwritable
from backend.engine.storage import shards
from backend.errors import FlipsideError
from backend.paths import cache_dir
from backend.store.build import attached, generations, importer, schema, sources
from backend.store.build.sources import read_json
from backend.store.build.store import Opened, Store
from backend.store.examples import first_example
from backend.store.exchange.check import verify

#: What is in the folder, beside the generation: the example's runs and benchmarks, what it was made on.
COMING, NOTE = "coming", generations.AHEAD_NOTE
_TOP: Final = ("runs", "benchmarks")
#: Beside the files of a run: no part of it. They lie in a folder of its own in one of `_TOP`.
_LOCK: Final = "lock"
_DEEP: Final = 2


def folder() -> Path:
    """Where it lies."""
    return generations.ahead_dir()


def make(place: Path) -> Path | None:
    """Import the example of a folder beside the cache; the generation, one that is there already where it still holds.
    None where it cannot be made now: something is new in the cache or has the name of what would come, another process
    makes it, or there is no generation yet.

    FlipsideError where the example is damaged, or the cache cannot be written.
    """
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with locks.held(folder() / generations.AHEAD_LOCK, wait=False, refused=generations.unwritable) as mine:
            return (found(place) or _whole_or_nothing(place)) if mine else None
    except OSError as error:
        raise generations.unwritable(error) from None
    except (ValueError, KeyError, duckdb.Error) as error:
        kept = unwritable(error, cache_dir())
        raise FlipsideError(kept or f"{place}: the example cannot be taken over ({error}).") from error


def found(place: Path) -> Path | None:
    """The generation that was made with an example, where nothing has changed since; None where there is none."""
    try:
        note = read_json(folder() / NOTE)
        path = folder() / generations.path_of(int(note["number"])).name
        fits = note["place"] == str(place) and note["base"] == _state(generations.current())
        fits = fits and note["stamp"] == sources.stamp(note["problems"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    free = not generations.path_of(int(note["number"])).exists() and not _taken_names(folder() / COMING)
    return path if fits and free and path.is_file() and attached.folder_of(path).is_dir() else None


def _state(base: Path | None) -> list[Any]:
    """What a generation is known again by without opening it."""
    if base is None:
        return []
    stat = base.stat()
    return [base.name, stat.st_size, stat.st_mtime_ns, stat.st_ino]


def _taken_names(coming: Path) -> list[Path]:
    """What lies in the cache already under the name of something that is to come (the example's folder, or a copy)."""
    moved = (cache_dir() / path.relative_to(coming) for top in _TOP for path in coming.glob(f"{top}/*"))
    return [path for path in moved if path.exists()]


def _whole_or_nothing(place: Path) -> Path | None:
    """`_made`; whatever ends it in the middle, a signal among it, nothing is left lying about."""
    generations.drop_ahead()
    path = None
    try:
        path = _made(place)
    finally:
        if path is None:
            generations.drop_ahead()
    return path


def _made(place: Path) -> Path | None:
    base = generations.current()
    held = generations.lease(base) if base else None
    if base is None or held is None:
        return None
    with held:
        if _taken_names(place):
            return None
        with contextlib.closing(importer.connect(base, read_only=True)) as connection:
            known = importer.problem_paths(connection)
            usable = schema.version_of(connection) == schema.VERSION and importer.is_current(connection)
            if not usable:
                return None
            note = {"place": str(place), "base": _state(base), "stamp": sources.stamp(known), "problems": known}
        coming = folder() / COMING
        copied_tree(place, coming, ignore=shutil.ignore_patterns("own", "db", _LOCK))
        for run in shards.run_dirs(coming):
            verify(coming, run.name, str(read_json(run / shards.RECORD)["benchmark"]["hash"])[:16], rows=False)
        path = _of_set_up(base, place) or _imported(base)
        if path is None:
            return None
        _sync(coming)
        sync_dir(path)
        replaced(folder() / NOTE, json.dumps(note | {"number": generations.number_of(path)}).encode())
    return found(place)


def _of_set_up(base: Path, place: Path) -> Path | None:
    """`_imported` of what set-up has made; None where that does not fit, or turns out to be no use."""
    try:
        begun = first_example.instead_of(base, place)
        return _imported(begun, settle=True) if begun else None
    except (OSError, duckdb.Error, FlipsideError) as error:
        if is_full(error):
            raise
        return None


def _imported(begun: Path, *, settle: bool = False) -> Path | None:
    """The generation that is to come: a copy of one, and what lies in `COMING` on top; None where a file of that one is
    damaged, or has gone. settle: see `first_example`."""
    path = folder() / generations.path_of(generations.coming()).name
    rows, aside = attached.folder_of(path), path.with_name(f"{generations.ASIDE}{path.name}")
    aside.with_name(f"{aside.name}.wal").unlink(missing_ok=True)  # of one that could not be read, as its files
    shutil.rmtree(rows, ignore_errors=True)
    rows.mkdir()
    (rows / generations.READ).touch()
    shutil.copyfile(begun, aside)
    attached.take(attached.folder_of(begun), rows)
    with contextlib.closing(importer.connect(aside, read_only=False)) as connection:
        if attached.wrong(connection, rows, read=True):
            return None
        if settle:
            first_example.settle_in(connection)
        importer.fill(connection, rows, coming=folder() / COMING)
        connection.execute("CHECKPOINT")
    sync_dir(aside)
    aside.replace(path)
    return path


def _sync(coming: Path) -> None:
    """Bring the files of the example to the disk."""
    for path in sorted(coming.rglob("*"), reverse=True):
        sync_dir(path)
    sync_dir(coming)


def take(place: Path) -> bool:
    """Put the example of a folder into the cache and its generation in place of the newest one; False where there is
    none that fits, or it was changed since it was made, and nothing of the cache has changed then.

    FlipsideError where the cache cannot be written. Ended in the middle, it leaves runs in the cache that the next
    import finds, as it finds every other.
    """
    if not folder().is_dir():
        return False
    with locks.held(folder() / generations.AHEAD_LOCK, wait=False, refused=generations.unwritable) as mine:
        if not mine:
            return False
        with generations.import_lock(wait=True):
            path = found(place)
            if path is None:
                return False
            if not _is_sound(place, path):
                generations.drop_ahead()
                return False
            try:
                _move(path)
            except OSError as error:
                raise generations.unwritable(error) from None
        generations.drop_ahead()
    return True


def _is_sound(place: Path, path: Path) -> bool:
    """Whether what was made is as it was made: the example's files byte for byte, those of the database by their
    checksums (of a very large one by their sizes), and nowhere a link to something else."""
    coming, rows = folder() / COMING, attached.folder_of(path)
    if any(each.is_symlink() for each in (coming, rows, path)):
        return False
    here = list(_walk(coming))
    if any(entry.is_symlink() for entry in (*here, *_walk(rows))):
        return False
    # Somebody waits for it, and both read files for most of their time: one beside the other.
    with ThreadPoolExecutor(1) as beside:
        database = beside.submit(_is_sound_database, path, rows)
        same = _is_the_example(place, coming, [entry for entry in here if entry.is_file()])
        return database.result() and same


def _is_the_example(place: Path, coming: Path, here: list[os.DirEntry[str]]) -> bool:
    """Whether the files that lie here are those of the example, byte for byte."""
    mine = {_below(entry, coming) for entry in here}
    theirs = {_below(entry, place) for top in _TOP for entry in _walk(place / top) if entry.name != _LOCK}
    theirs = {name for name in theirs if name.count(os.sep) == _DEEP}
    return mine == theirs and all(filecmp.cmp(coming / each, place / each, shallow=False) for each in mine)


def _is_sound_database(path: Path, rows: Path) -> bool:
    """Whether the files of a database are as they were written, by their checksums; of a very large one by sizes."""
    try:
        with contextlib.closing(importer.connect(path, read_only=True)) as connection:
            return not attached.wrong(connection, rows, read=attached.size(connection) <= importer.CHECKED)
    except (OSError, FlipsideError, duckdb.Error):
        return False


def _walk(top: Path | str) -> Iterator[os.DirEntry[str]]:
    """Everything below a folder, links not followed; nothing where there is no such folder. Somebody waits for it, and
    paths of `pathlib` take four times as long."""
    try:
        entries = list(os.scandir(top))
    except FileNotFoundError:
        return
    for entry in entries:
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path)


def _below(entry: os.DirEntry[str], top: Path) -> str:
    return entry.path[len(str(top)) + 1 :]


def _move(path: Path) -> None:
    coming, cache = folder() / COMING, cache_dir()
    for top in reversed(_TOP):  # a run is never there before its items
        (cache / top).mkdir(exist_ok=True)
        for each in sorted((coming / top).glob("*")):
            each.rename(cache / top / each.name)
        sync_dir(cache / top)
    target = generations.path_of(generations.number_of(path) or 0)
    attached.folder_of(path).rename(attached.folder_of(target))
    generations.publish(path)


class _Ahead:
    """A generation that no page reads yet, as the source of a store."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def newest(self) -> Opened:
        """That generation, called as it will be in its place."""
        connection = importer.connect(self.path, read_only=True)
        return Opened(connection, self.path, f"{self.path.stem}-{importer.build_id(connection)}")

    def beyond(self, _: duckdb.DuckDBPyConnection) -> str:
        """Nothing: it is never moved on from."""
        return ""

    def refresh(self) -> None:
        """Nothing is imported into it."""

    refresh_quietly = refresh


def read(path: Path) -> Store:
    """A store on a generation that was made ahead, called as it will be once it is taken."""
    return Store(_Ahead(path), follow=False)


__all__ = ["folder", "found", "make", "read", "take"]
