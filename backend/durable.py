"""What makes files survive a power cut, and what keeps a second process out: used wherever something is written.

Written aside, synced, renamed, the folder synced: then a reader sees the old content or the new, nothing between.
"""

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

#: How libraries that hide the number say it: DuckDB, SQLite, Arrow.
_FULL = ("no space left", "disk is full", "disk quota exceeded", "out of disk space")
_LIBRARIES = ("duckdb", "sqlite3", "pyarrow")


def is_full(error: BaseException | None) -> bool:
    """Whether an error, or what it came from, says that the disk (or its owner's share of it) is full."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        library = type(error).__module__.partition(".")[0].lstrip("_")
        if library in _LIBRARIES and any(word in str(error).lower() for word in _FULL):
            return True
        error = error.__cause__ or error.__context__  # a failed rollback hides what it rolls back
    return False


def full(folder: Path) -> str:
    """One sentence for a full disk."""
    return (
        f"No space is left on the disk of {folder}: free some, or set FLIPSIDE_CACHE to a folder on another disk. What "
        "was there before is kept, and the same command goes on from it."
    )


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and wait until its bytes are on the disk. Call it with a name aside, then rename."""
    with path.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


def replaced(path: Path, data: bytes) -> None:
    """Make `path` hold `data`, from one moment to the next; its folder is made. OSError where that is not possible."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".aside-{os.getpid()}-{path.name}")
    try:
        write_synced(aside, data)
        aside.replace(path)
        sync_dir(path.parent)
    finally:
        aside.unlink(missing_ok=True)


def sync_dir(folder: Path) -> None:
    """Make a folder's entries (a rename, say) survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def locked(path: Path, opened: Callable[[], TextIO], busy: Callable[[str], Exception]) -> TextIO:
    """The open file at `path`, locked and signed by this process. The kernel lets go of it when its holder dies.

    opened: opens the file at `path` for appending. busy: the error for what the holder has signed with, or "another
    process". Whoever held the lock may have removed the file after it was opened here: a lock on that one would keep
    nobody out, so the file that is at `path` by then is taken.
    """
    while True:
        lock = opened()
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                lock.truncate(0)
                lock.write(f"process {os.getpid()} on {os.uname().nodename}")
                lock.flush()
                return lock
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "another process"
            lock.close()
            raise busy(holder) from None
        except FileNotFoundError:
            pass
        lock.close()
