"""Databases that are damaged: set aside under a name that says so, never deleted, and what people are told of it.

A generation is rebuilt from shards. `notes.sqlite` is people's own words and cannot be: a new one is begun, and the
damaged file stays until its owner has looked at it.
"""

import contextlib
import sqlite3
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import duckdb

from backend import locks
from backend.paths import cache_dir

#: What stands in front of a file's name once it was set aside.
MARK: Final = "damaged-"
#: What DuckDB and SQLite say of a file whose bytes are not theirs any more. A lock, a full disk or a newer version are
#: no damage.
_SIGNS: Final = (
    "not a valid duckdb database",
    "could not read enough bytes",
    "corrupt database file",
    "file is not a database",
    "database disk image is malformed",
    "malformed database schema",
)


def is_damage(error: BaseException | None, of: type[Exception] | None = None) -> bool:
    """Whether a database's error, or what it came from, says that the file is damaged. of: only errors of this kind."""
    while error is not None:
        if isinstance(error, of or (duckdb.Error, sqlite3.DatabaseError)):
            said = str(error).lower()
            if any(sign in said for sign in _SIGNS):
                return True
        error = error.__cause__ or error.__context__  # a failed rollback hides what it rolls back
    return False


def is_generation_s(error: BaseException | None) -> bool:
    """Whether it says that a generation, which can be rebuilt, is damaged."""
    return is_damage(error, duckdb.Error)


def set_aside(path: Path) -> Path | None:
    """Rename a damaged database with what belongs to it, and say so on standard error; None where it is gone already.
    Of generations, which can be rebuilt, only the last damaged one is kept."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    target = path.with_name(f"{MARK}{stamp}-{path.name}")
    try:
        path.rename(target)
    except FileNotFoundError:
        return None
    for suffix in (".wal", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(target.with_name(target.name + suffix))
    if path.suffix == ".duckdb":
        for older in path.parent.glob(f"{MARK}*{path.suffix}"):
            if older != target and older.is_file():
                older.unlink(missing_ok=True)
    sys.stderr.write(f"flipside: {told(target)}\n")
    return target


def told(damaged: Path) -> str:
    """What people are told of a file that was set aside."""
    if damaged.suffix == ".duckdb":
        return f"the database was damaged: it was set aside as {damaged} and rebuilt from shards; nothing is lost."
    return (
        f"the notes were damaged: they were set aside as {damaged}, and new ones were begun. Your notes, tags and "
        "views of before are in that file: restore it from a copy, or try SQLite's .recover on it."
    )


def known() -> list[Path]:
    """The files in the cache that were set aside, the latest first; -wal and -shm go with theirs."""
    found = [*cache_dir().glob(f"{MARK}*.sqlite"), *(cache_dir() / "db").glob(f"{MARK}*.duckdb")]
    return sorted(found, key=lambda path: path.name, reverse=True)


@contextlib.contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Nobody else sets this file aside meanwhile: two would each begin a new one."""
    with locks.held(path.with_name(f".{path.name}.lock")):
        yield
