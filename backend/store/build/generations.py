"""Generations of the database: files that are built aside, renamed into place, and never changed again.

`<cache>/db/CURRENT` names the newest one, `flipside-<n>.duckdb`; the rows of its largest tables lie in the folder
`flipside-<n>` (attached.py). Whoever builds holds `<cache>/import.lock`. Whoever reads keeps the database open, which
Linux and macOS keep alive when it is unlinked, and a shared lock in the folder, which stays for as long (`lease`).
"""

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from backend import locks
from backend.durable import IN_CACHE, full, is_full, not_written, sync_dir
from backend.errors import FlipsideError
from backend.paths import cache_dir
from backend.store.build import attached

PREFIX = "flipside-"
SUFFIX = ".duckdb"
#: A file being built; whatever a killed importer left under this prefix is removed by the next one.
ASIDE = ".building-"
#: Generations that stay: the current one, and the one before it for readers that have just read CURRENT.
KEPT = 2
#: In the folder of a generation: held by its readers.
READ = ".read"
#: In the folder of what is made ahead: held by who makes or takes it, and what says that it is whole.
AHEAD_LOCK, AHEAD_NOTE = "lock", "note.json"
_NUMBER = re.compile(rf"{PREFIX}([0-9]+)(?:{SUFFIX})?$")


def db_dir() -> Path:
    """The folder of the generations."""
    return cache_dir() / "db"


def ahead_dir() -> Path:
    """Where a generation is made before what it is to hold lies in the cache (store/examples/ahead.py)."""
    return db_dir() / "ahead"


def drop_ahead() -> None:
    """Away with what was made ahead: it was made on a generation that is not the newest any more. Call it under
    AHEAD_LOCK, which stays."""
    for each in ahead_dir().glob("*"):
        if each.name != AHEAD_LOCK:
            with contextlib.suppress(OSError):
                shutil.rmtree(each) if each.is_dir() else each.unlink()


def sweep_ahead() -> None:
    """Away with what a process that was killed while it made something ahead has left; what is whole, or is being made,
    stays."""
    with contextlib.suppress(OSError), locks.held(ahead_dir() / AHEAD_LOCK, wait=False) as mine:
        if mine and not (ahead_dir() / AHEAD_NOTE).exists():
            drop_ahead()


def path_of(number: int) -> Path:
    """The file of a generation."""
    return db_dir() / f"{PREFIX}{number}{SUFFIX}"


def number_of(path: Path) -> int | None:
    """The number in a generation's file name; None for any other file.

    >>> number_of(Path("flipside-12.duckdb")), number_of(Path("notes.sqlite"))
    (12, None)
    """
    digits = path.name.removeprefix(PREFIX).removesuffix(SUFFIX)
    return int(digits) if path.name == f"{PREFIX}{digits}{SUFFIX}" and digits.isdecimal() else None


def current() -> Path | None:
    """The newest generation; None where there is none yet."""
    try:
        name = (db_dir() / "CURRENT").read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        return None
    path = db_dir() / name
    return path if number_of(path) is not None and path.is_file() else None


#: Import locks that threads of this process hold.
_HELD_HERE: set[Path] = set()


@contextmanager
def import_lock(wait: bool) -> Iterator[bool]:
    """Hold `<cache>/import.lock`; yields False at once where somebody else holds it and `wait` is False."""
    path = cache_dir() / "import.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(error) from None
    with locks.held(path, wait, unwritable) as mine:
        if mine:
            _HELD_HERE.add(path)
        try:
            yield mine
        finally:
            if mine:
                _HELD_HERE.discard(path)


def imports_here() -> bool:
    """Whether it is this process that holds the import lock, in whichever thread: a server that has just been
    started imports beside its first pages."""
    return cache_dir() / "import.lock" in _HELD_HERE


def begin(base: Path | None) -> Path:
    """A file to build the next generation in: a copy of `base`, or nothing yet, and the folder of its rows, which lies
    where it is going to stay (`target_of`). Call it under the lock."""
    folder = db_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sweep()
        number = coming()
        aside = folder / f"{ASIDE}{os.getpid()}-{number}{SUFFIX}"
        rows = attached.folder_of(path_of(number))
        rows.mkdir()
        (rows / READ).touch()
        if base is not None:
            shutil.copyfile(base, aside)
            attached.take(attached.folder_of(base), rows)
    except OSError as error:
        sweep()
        raise unwritable(error) from None
    return aside


def coming() -> int:
    """The number of the next generation."""
    # What was set aside as damaged, and a folder that is still read, count, too: those who read them see by the number
    # that there is a newer one.
    named = (_NUMBER.search(path.name) for path in db_dir().glob(f"*{PREFIX}*"))
    return max((int(found[1]) for found in named if found), default=0) + 1


def target_of(aside: Path) -> Path:
    """What a file that is being built is going to be called; its folder lies there already."""
    return path_of(int(aside.stem.rpartition("-")[2]))


def sweep() -> None:
    """Away with what a killed or failed build has left, and with folders that nobody reads. Call it under the lock."""
    for left in db_dir().glob(f"{ASIDE}*"):
        with contextlib.suppress(OSError):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    for rows in db_dir().glob(f"{PREFIX}*"):
        generation = rows.with_name(rows.name + SUFFIX)
        if rows.is_dir() and number_of(generation) is not None and not generation.exists() and not _is_read(rows):
            shutil.rmtree(rows, ignore_errors=True)


def abandon() -> None:
    """Away with what this process is building, for it ends now, whatever it is at. What is published is left alone:
    a file that was renamed is not there under its old name any more, and one that is gone cannot be renamed."""
    for aside in db_dir().glob(f"{ASIDE}{os.getpid()}-*{SUFFIX}"):
        with contextlib.suppress(OSError):
            aside.unlink()
            aside.with_name(f"{aside.name}.wal").unlink(missing_ok=True)
            shutil.rmtree(attached.folder_of(target_of(aside)), ignore_errors=True)


def publish(aside: Path) -> Path:
    """Make a finished file the newest generation: fsync, rename, CURRENT, and old ones removed. Under the lock."""
    numbers = [number for path in db_dir().glob(f"{PREFIX}*{SUFFIX}") if (number := number_of(path)) is not None]
    target = target_of(aside)
    sync_dir(aside)
    aside.replace(target)
    sync_dir(target.parent)
    note = target.with_name(f"{ASIDE}CURRENT")
    note.write_text(target.name + "\n", encoding="utf-8")
    sync_dir(note)
    note.replace(target.with_name("CURRENT"))
    sync_dir(target.parent)
    for number in sorted(numbers)[: -(KEPT - 1)]:
        path_of(number).unlink(missing_ok=True)
    sweep()
    with contextlib.suppress(OSError), locks.held(ahead_dir() / AHEAD_LOCK, wait=False) as mine:
        if mine:
            drop_ahead()
    return target


def lease(path: Path) -> TextIO | None:
    """What keeps the folder of a generation while it is open: close it when nobody reads any more. None where there is
    no folder, or it cannot be locked."""
    try:
        held = (attached.folder_of(path) / READ).open("r")
    except OSError:
        return None
    if not locks.shared(held):
        held.close()
        return None
    return held


def _is_read(rows: Path) -> bool:
    """Whether somebody reads a generation whose folder this is."""
    return locks.is_shared(rows / READ)


class ReadOnlyError(FlipsideError):
    """The cache may not be written; a generation that is there can still be read."""


def unwritable(error: OSError) -> FlipsideError:
    """One sentence for a cache folder that cannot be written; a ReadOnlyError where it may not be."""
    if is_full(error):
        return FlipsideError(full(db_dir()))
    kind = ReadOnlyError if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM) else FlipsideError
    return kind(not_written(error, Path(error.filename or cache_dir()), IN_CACHE))
