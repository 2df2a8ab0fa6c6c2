"""Memory that two processes see: what is written is read to the bit, a slot is free when nothing refers to it."""

import gc
import os

import numpy as np
import torch

from backend.engine.inputs import slots
from backend.engine.inputs.slots import Slots, write


def pixels(seed=0):
    return np.random.default_rng(seed).standard_normal((3, 20, 30)).astype(np.float32)


def test_what_is_written_is_read_and_a_slot_is_free_when_all_views_are_gone(place):
    memory = Slots(place, pixels().nbytes, 2)
    first, second = memory.next(), memory.next()
    assert memory.next() is None
    one, other = (memory.pixels(write(pixels(n), slot)) for n, slot in enumerate((first, second)))
    assert one.tobytes() == pixels(0).tobytes()
    assert other.tobytes() == pixels(1).tobytes()
    tensor, view = torch.from_numpy(one), one[1:, ::2]
    del one
    gc.collect()
    assert len(memory) == 0
    del tensor
    gc.collect()
    assert len(memory) == 0
    del view
    gc.collect()
    assert memory.next() == first
    assert other.tobytes() == pixels(1).tobytes()


def test_only_what_is_written_takes_memory(place):
    memory = Slots(place, 1 << 20, 1000)
    write(pixels(), memory.next())
    assert memory.path.stat().st_size == 1000 << 20
    assert memory.path.stat().st_blocks * 512 < 1 << 20
    assert memory.path.stat().st_mode & 0o077 == 0


def test_what_does_not_fit_or_finds_no_room_is_not_written(place, monkeypatch):
    memory = Slots(place, 100, 1)
    slot = memory.next()
    big = np.zeros(memory.size // 4 + 1, np.float32)
    assert write(big, slot) is None

    def full(handle, data, at):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    assert write(pixels()[:, 0], slot) is None
    assert write(pixels()[:, 0], slots.Slot(str(place / "none"), 0, 4096)) is None


def test_a_write_that_stops_half_way_goes_on(place, monkeypatch):
    memory = Slots(place, pixels().nbytes, 1)
    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda handle, data, at: pwrite(handle, data[:1000], at))
    assert memory.pixels(write(pixels(), memory.next())).tobytes() == pixels().tobytes()
