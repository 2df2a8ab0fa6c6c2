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

import numpy as np
import numpy.typing as npt

SHARED = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it, which nobody else may enter
Pixels = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Held:
    """Pixels that wait in a file. dtype, shape: of the array."""

    path: str
    dtype: str
    shape: tuple[int, ...]


def folder() -> Path | None:
    """A folder for one pool of processes, for `remove` at its end; None where memory cannot be shared so."""
    if not SHARED.is_dir():
        return None
    with suppress(OSError):
        return Path(tempfile.mkdtemp(prefix="flipside-", dir=SHARED))
    return None


def remove(place: Path | None) -> None:
    """Remove the folder with all that nobody took."""
    if place is not None:
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
