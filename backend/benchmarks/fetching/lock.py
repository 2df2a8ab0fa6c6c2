"""One fetch at a time writes to a folder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from backend.errors import FlipsideError

NAME = ".flipside-fetch.lock"


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, which the kernel releases when its holder dies; FlipsideError where another has it."""
    path = folder / NAME
    with _locked(path) as lock:
        lock.truncate(0)
        lock.write(f"process {os.getpid()} on {os.uname().nodename}")
        lock.flush()
        try:
            yield
        finally:
            # While it is held: whoever opened it before this moment sees that it is not the one at this path any more.
            path.unlink(missing_ok=True)


def _locked(path: Path) -> TextIO:
    while True:
        try:
            lock = path.open("a+")
        except OSError as error:
            raise FlipsideError(
                f"{path.parent}: cannot be written to ({error.strerror}). Choose another --to."
            ) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                return lock
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "another process"
            lock.close()
            raise FlipsideError(
                f"{path.parent}: {holder} is fetching into this folder. Wait for it to finish, or choose another --to."
            ) from None
        except FileNotFoundError:
            pass
        lock.close()
