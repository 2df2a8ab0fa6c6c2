import multiprocessing
import os

import pytest

from backend.durable import locked, sync_dir, write_synced


def take(path):
    return locked(path, lambda: path.open("a+"), lambda holder: RuntimeError(f"taken by {holder}"))


def hold(path, ready, done):
    with take(path):
        ready.set()
        done.wait(30)


def test_a_second_process_is_told_who_holds_the_lock(tmp_path):
    path = tmp_path / "lock"
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=hold, args=(path, ready, done))
    other.start()
    try:
        assert ready.wait(30)
        with pytest.raises(RuntimeError, match=f"taken by process {other.pid} on "):
            take(path)
    finally:
        done.set()
        other.join(30)
    with take(path):
        assert path.read_text().startswith(f"process {os.getpid()} on ")


def test_a_lock_whose_holder_was_killed_is_free(tmp_path):
    path = tmp_path / "lock"
    context = multiprocessing.get_context("spawn")
    ready, never = context.Event(), context.Event()
    other = context.Process(target=hold, args=(path, ready, never))
    other.start()
    assert ready.wait(30)
    other.kill()
    other.join(30)
    take(path).close()


def test_what_was_written_is_there(tmp_path):
    write_synced(tmp_path / "a", b"bytes")
    sync_dir(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"bytes"
