"""One fetch at a time writes to a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from backend import locks
from backend.errors import FlipsideError

NAME = ".flipside-fetch.lock"


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, which the kernel releases when its holder dies; FlipsideError where another has it."""
    path = folder / NAME

    def busy(holder: str) -> FlipsideError:
        return FlipsideError(
            f"{folder}: {holder} is fetching into this folder. Wait for it to finish, or choose another --to."
        )

    def opened() -> TextIO:
        try:
            return path.open("a+")
        except OSError as error:
            raise FlipsideError(f"{folder}: cannot be written to ({error.strerror}). Choose another --to.") from None

    with locks.signed(path, opened, busy):
        try:
            yield
        finally:
            # While it is held: whoever opened it before this moment sees that it is not the one at this path any more.
            path.unlink(missing_ok=True)
