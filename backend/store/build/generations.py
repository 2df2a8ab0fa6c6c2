"""Generations of the database: files that are built aside, renamed into place, and never changed again.

`<cache>/db/CURRENT` names the newest one. Whoever builds holds `<cache>/import.lock`; whoever reads holds nothing:
a reader keeps its file open, and Linux and macOS keep an unlinked file alive for as long as somebody has it open.
"""

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backend import locks
from backend.durable import full, is_full, sync_dir
from backend.errors import FlipsideError
from backend.paths import cache_dir

PREFIX = "flipside-"
SUFFIX = ".duckdb"
#: A file being built; whatever a killed importer left under this prefix is removed by the next one.
ASIDE = ".building-"
#: Generations that stay: the current one, and the one before it for readers that have just read CURRENT.
KEPT = 2
_NUMBER = re.compile(rf"{PREFIX}([0-9]+){SUFFIX}$")


def db_dir() -> Path:
    """The folder of the generations."""
    return cache_dir() / "db"


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


@contextmanager
def import_lock(wait: bool) -> Iterator[bool]:
    """Hold `<cache>/import.lock`; yields False at once where somebody else holds it and `wait` is False."""
    path = cache_dir() / "import.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(error) from None
    with locks.held(path, wait, unwritable) as mine:
        yield mine


def begin(base: Path | None) -> Path:
    """A file to build the next generation in: a copy of `base`, or nothing yet. Call it under the lock."""
    folder = db_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sweep()
        aside = folder / f"{ASIDE}{os.getpid()}{SUFFIX}"
        if base is not None:
            shutil.copyfile(base, aside)
    except OSError as error:
        sweep()
        raise unwritable(error) from None
    return aside


def sweep() -> None:
    """Away with what a killed or failed build has left. Call it under the lock."""
    for left in db_dir().glob(f"{ASIDE}*"):
        with contextlib.suppress(OSError):
            shutil.rmtree(left) if left.is_dir() else left.unlink()


def publish(aside: Path) -> Path:
    """Make a finished file the newest generation: fsync, rename, CURRENT, and old ones removed. Under the lock."""
    numbers = [number for path in db_dir().glob(f"{PREFIX}*{SUFFIX}") if (number := number_of(path)) is not None]
    # A damaged one that was set aside counts, too: those who still read it see by the number that there is a newer one.
    gone = [int(found[1]) for path in db_dir().glob(f"*{SUFFIX}") if (found := _NUMBER.search(path.name))]
    target = path_of(max([*numbers, *gone], default=0) + 1)
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
    return target


class ReadOnlyError(FlipsideError):
    """The cache may not be written; a generation that is there can still be read."""


def unwritable(error: OSError) -> FlipsideError:
    """One sentence for a cache folder that cannot be written; a ReadOnlyError where it may not be."""
    if is_full(error):
        return FlipsideError(full(db_dir()))
    kind = ReadOnlyError if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM) else FlipsideError
    return kind(
        f"{error.filename or cache_dir()}: cannot be written ({error.strerror}). Make it writable, or set "
        "FLIPSIDE_CACHE to a folder that is."
    )
