"""What makes files survive a power cut, and what keeps a second process out: used wherever something is written.

Written aside, synced, renamed, the folder synced: then a reader sees the old content or the new, nothing between.
"""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and wait until its bytes are on the disk. Call it with a name aside, then rename."""
    with path.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


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
