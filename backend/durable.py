"""What makes files survive a power cut: used wherever something is written.

Written aside, synced, renamed, the folder synced: then a reader sees the old content or the new, nothing between.
"""

import errno
import os
from pathlib import Path

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
