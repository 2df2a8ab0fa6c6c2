"""Pixels through shared memory: the same to the bit, gone when they are, through the pipe where there is no room."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from backend.engine.inputs import handed_over


def pixels():
    return np.random.default_rng(0).standard_normal((3, 20, 30)).astype(np.float32)


def test_what_is_put_is_taken_to_the_bit_and_nothing_is_left(place):
    held = handed_over.put(pixels().transpose(0, 2, 1), place)
    assert isinstance(held, handed_over.Held)
    assert held.shape == (3, 30, 20)
    assert {str(path) for path in place.iterdir()} == {held.path, str(place / "lock")}
    assert Path(held.path).stat().st_mode & 0o077 == 0
    found = handed_over.take(held)
    assert [path.name for path in place.iterdir()] == ["lock"]
    assert found.dtype == np.float32
    assert found.tobytes() == pixels().transpose(0, 2, 1).tobytes()
    found += 1  # a model may change what it is given
    del found
    gc.collect()


def test_without_room_pixels_go_as_they_are(place, monkeypatch):
    def full(handle, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    one = pixels()
    assert handed_over.put(one, place) is one
    assert [path.name for path in place.iterdir()] == ["lock"]
    assert handed_over.put(one, None) is one


def test_a_write_that_stops_half_way_goes_on(place, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:1000]))
    held = handed_over.put(pixels(), place)
    assert handed_over.take(held).tobytes() == pixels().tobytes()


def test_what_a_killed_process_left_goes_and_what_is_in_use_stays(monkeypatch, tmp_path):
    monkeypatch.setattr(handed_over, "SHARED", tmp_path)
    code = (
        "import os, pathlib\nfrom backend.engine.inputs import handed_over\n"
        f"handed_over.SHARED = pathlib.Path({str(tmp_path)!r})\n"
        "print(handed_over.folder(), flush=True)\nos._exit(1)"
    )
    left = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout.strip()
    assert Path(left).parent == tmp_path
    others = tmp_path / "flipside-of-an-earlier-version"
    others.mkdir()
    mine = handed_over.folder()
    second = handed_over.folder()
    assert sorted(tmp_path.iterdir()) == sorted([mine, second, others])
    handed_over.remove(mine)
    handed_over.remove(second)
    assert list(tmp_path.iterdir()) == [others]


def test_without_shared_memory_there_is_no_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(handed_over, "SHARED", tmp_path / "none")
    assert handed_over.folder() is None
    handed_over.remove(None)
