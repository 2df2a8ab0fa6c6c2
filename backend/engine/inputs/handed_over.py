"""Pixels from one process to another through memory that both see. A pipe takes them in small pieces, each of which
waits for the interpreter of the process that reads: on a GPU, longer than the model takes for a picture.

The memory is a file in /dev/shm that the reader maps and unlinks at once. Where there is none, or no room in it, the
pixels go through the pipe.
"""

import mmap
import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import numpy.typing as npt

from backend.locks import is_shared, shared

SHARED = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it, which nobody else may enter
#: A folder there, and what its process holds a lock on as long as it lives.
PREFIX, LOCK = "flipside-", "lock"
Pixels = npt.NDArray[np.float32]
_held: dict[Path, TextIO] = {}


@dataclass(frozen=True, slots=True)
class Held:
    """Pixels that wait in a file. dtype, shape: of the array."""

    path: str
    dtype: str
    shape: tuple[int, ...]


def folder() -> Path | None:
    """A folder for one pool of processes, for `remove` at its end; None where memory cannot be shared so. What
    processes have left that were killed goes."""
    if not SHARED.is_dir():
        return None
    with suppress(OSError):
        sweep()
        place = Path(tempfile.mkdtemp(prefix=PREFIX, dir=SHARED))
        lock = (place / "new").open("w", encoding="utf-8")
        shared(lock)
        (place / "new").rename(place / LOCK)  # whoever sees it sees it held
        _held[place] = lock
        return place
    return None


def sweep() -> None:
    """Remove the folders of processes that ended without doing so. Others' cannot be looked into."""
    for place in SHARED.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if (place / LOCK).exists() and not is_shared(place / LOCK):
                shutil.rmtree(place, ignore_errors=True)


def remove(place: Path | None) -> None:
    """Remove the folder with all that nobody took."""
    if place is not None:
        if place in _held:
            _held.pop(place).close()
        shutil.rmtree(place, ignore_errors=True)


def put(pixels: Pixels, place: Path | None) -> Pixels | Held:
    """In the process that made them: a file with the pixels, or the pixels themselves."""
    if place is None:
        return pixels
    handle, path = -1, ""
    try:
        handle, path = tempfile.mkstemp(dir=place)
        left = np.ascontiguousarray(pixels).data.cast("B")
        while left:  # write, unlike a mapping, says when there is no room
            left = left[os.write(handle, left) :]
    except OSError:
        if path:
            with suppress(OSError):
                Path(path).unlink()
        return pixels
    finally:
        if handle >= 0:
            os.close(handle)
    return Held(path, pixels.dtype.str, pixels.shape)


def take(held: Held) -> Pixels:
    """In the process that asked: the pixels; their memory is given back when the array goes."""
    handle = os.open(held.path, os.O_RDWR)
    try:
        memory = mmap.mmap(handle, 0)
    finally:
        os.close(handle)
        Path(held.path).unlink()
    return np.frombuffer(memory, dtype=held.dtype).reshape(held.shape)
