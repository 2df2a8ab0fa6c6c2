"""What keeps a second process out while a file or folder is written: every lock of Flipside is taken here.

A lock is a file of its own that the holder has open and has locked (flock): its content says who holds it, at most,
and may be empty. The kernel lets go of it when its holder dies, however it dies, so no lock is ever stale, and a file
that lies there is no lock by itself. Held are the file systems of one machine; on NFS it depends on the server.

Windows has no flock. There this module can be imported, and reading results works; whoever wants a lock gets a
FlipsideError that says so.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from backend.errors import FlipsideError

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: What `signed` writes into a lock: the process and its machine.
_SIGNED = re.compile(r"process (\d+) on (.+)")


@contextmanager
def held(path: Path, wait: bool = True, refused: Callable[[OSError], Exception] | None = None) -> Iterator[bool]:
    """Hold the lock at `path`, whose folder is there; yields True. The file stays.

    wait: until it is free; otherwise False is yielded at once where somebody else has it. refused: the error for a
    file that cannot be opened; without it that is an OSError.
    """
    try:
        lock = path.open("a")
    except OSError as error:
        raise (refused(error) if refused else error) from None
    with lock:
        yield _taken(lock, exclusive=True, wait=wait)


def is_held(path: Path) -> bool:
    """Whether a process holds the lock at `path`. Trying keeps others out for a moment."""
    with suppress(FileNotFoundError), path.open("r") as lock:
        return not _taken(lock, exclusive=False, wait=False)
    return False


def shared(file: TextIO) -> bool:
    """Hold an open file together with everybody else who does, until it is closed; False where that cannot be, on
    Windows always."""
    if fcntl is None:
        return False
    with suppress(OSError):
        return _taken(file, exclusive=False, wait=False)
    return False


def is_shared(path: Path) -> bool:
    """Whether somebody holds the file at `path` by `shared`; False where there is none."""
    with suppress(FileNotFoundError), path.open("r") as lock:
        return not _taken(lock, exclusive=True, wait=False)
    return False


def signed(path: Path, opened: Callable[[], TextIO], busy: Callable[[str], Exception]) -> TextIO:
    """The open file at `path`, locked and signed by this process; closing it lets go.

    opened: opens the file at `path` for appending and reading. busy: the error for what the holder has signed with, or
    "another process". Whoever held the lock may have removed the file after it was opened here: a lock on that one
    would keep nobody out, so the file that is at `path` by then is taken.
    """
    while True:
        lock = opened()
        try:
            if _taken(lock, exclusive=True, wait=False):
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                        lock.truncate(0)
                        lock.write(f"process {os.getpid()} on {os.uname().nodename}")
                        lock.flush()
                        return lock
                lock.close()
                continue
            lock.seek(0)
            said = lock.read().strip()
        except BaseException:
            lock.close()
            raise
        lock.close()
        raise busy(said or "another process")


def holder(path: Path) -> str:
    """Who holds a lock that `signed` took on this machine, as it was signed; "" where nobody does. It is tried only
    where the process that signed it is alive."""
    with suppress(OSError):
        said = path.read_text(encoding="utf-8", errors="replace").strip()
        found = _SIGNED.fullmatch(said)
        if found is not None and found[2] == os.uname().nodename:
            os.kill(int(found[1]), 0)
            return said if is_held(path) else ""
    return ""


def _taken(lock: TextIO, exclusive: bool, wait: bool) -> bool:
    """Lock an open file; False where somebody else has it. FlipsideError on Windows."""
    if fcntl is None:
        raise FlipsideError(
            "Windows has no locks of the kind that keeps two processes from writing the same files, so nothing can be "
            "computed or imported there; use Flipside in WSL, on Linux or on macOS."
        )
    try:
        fcntl.flock(lock, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except PermissionError:  # what some file systems say instead
        if wait:
            raise
        return False
    return True
