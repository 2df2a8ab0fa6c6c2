"""Pixels from one process to another through memory that both see and that is used again and again.

A file of its own for each picture (handed_over.py) costs the process that takes it a mapping, its page faults and its
end, longer than a GPU needs for the picture. Here the asking process maps one file in /dev/shm once, in slots of one
picture's size; a slot is free again when nothing refers to its pixels any more. The processes that decode write with
`pwrite`, which, unlike a mapping, says when there is no room left.
"""

import heapq
import mmap
import os
import weakref
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.float32]
NAME = "slots"


@dataclass(frozen=True, slots=True)
class Slot:
    """Where one picture's pixels may be written. path: of the file. offset, size: in bytes."""

    path: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class InSlot:
    """Pixels that were written into a slot. dtype, shape: of the array."""

    offset: int
    dtype: str
    shape: tuple[int, ...]


def write(pixels: Pixels, slot: Slot) -> InSlot | None:
    """In the process that made them; None where they do not fit, or the memory is full."""
    if pixels.nbytes > slot.size:
        return None
    try:
        handle = os.open(slot.path, os.O_WRONLY)
    except OSError:
        return None
    try:
        left, at = np.ascontiguousarray(pixels).data.cast("B"), slot.offset
        while left:
            n = os.pwrite(handle, left, at)
            left, at = left[n:], at + n
    except OSError:
        return None
    finally:
        os.close(handle)
    return InSlot(slot.offset, pixels.dtype.str, pixels.shape)


class Slots:
    """The asking process's side. Only one thread asks; pixels may be let go of in any."""

    def __init__(self, place: Path, size: int, number: int) -> None:
        """place: a folder in shared memory. size: bytes of a picture. number: slots; memory is taken up only by those
        that were written into, the first ones first. OSError where there can be no such file."""
        self.size, self.number = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE, number
        self.path = place / NAME
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.ftruncate(handle, self.size * number)
            self._memory = mmap.mmap(handle, self.size * number)
        finally:
            os.close(handle)
        self._free = list(range(number))

    def __len__(self) -> int:
        """How many are free."""
        return len(self._free)

    def next(self) -> Slot | None:
        """A slot to write into, until `back` or `pixels`; None where all are in use."""
        if not self._free:
            return None
        return Slot(str(self.path), heapq.heappop(self._free) * self.size, self.size)

    def back(self, offset: int) -> None:
        """Nobody writes into this one, or reads it, any more."""
        heapq.heappush(self._free, offset // self.size)

    def pixels(self, found: InSlot) -> Pixels:
        """What was written, without a copy; the slot is free again when the array and all its views are gone."""
        dtype = np.dtype(found.dtype)
        # Views refer to this very array, for what is behind it is none: its end is the end of them all.
        flat = np.frombuffer(self._memory, dtype, int(np.prod(found.shape)), found.offset)
        weakref.finalize(flat, self.back, found.offset).atexit = False
        pixels: Pixels = flat.reshape(found.shape)
        return pixels
