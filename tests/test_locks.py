import multiprocessing
import os

import pytest

from backend import locks
from backend.errors import FlipsideError


def take(path):
    return locks.signed(path, lambda: path.open("a+"), lambda holder: RuntimeError(f"taken by {holder}"))


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


@pytest.mark.long
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


def test_who_holds_a_signed_lock(tmp_path):
    path = tmp_path / "lock"
    assert locks.holder(path) == ""
    with take(path):
        assert locks.holder(path) == f"process {os.getpid()} on {os.uname().nodename}"
    assert locks.holder(path) == ""
    assert path.read_text().startswith("process ")  # what lies there is no lock by itself


def hold_until(path, ready, done):
    with locks.held(path):
        ready.set()
        done.wait(30)


@pytest.mark.long
def test_held_waits_or_says_that_it_does_not(tmp_path):
    path = tmp_path / "lock"
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=hold_until, args=(path, ready, done))
    assert not locks.is_held(path)
    other.start()
    try:
        assert ready.wait(30)
        assert locks.is_held(path)
        with locks.held(path, wait=False) as mine:
            assert not mine
    finally:
        done.set()
    with locks.held(path) as mine:  # waits for the other
        assert mine
    other.join(30)


def test_a_lock_that_cannot_be_opened(tmp_path):
    with pytest.raises(OSError, match="No such file"), locks.held(tmp_path / "none" / "lock"):
        pass
    refused = lambda error: FlipsideError(f"not here: {error.strerror}")  # noqa: E731
    with pytest.raises(FlipsideError, match="not here"), locks.held(tmp_path / "none" / "lock", refused=refused):
        pass


def test_where_there_is_no_flock_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    with pytest.raises(FlipsideError, match=r"Windows.*WSL"), locks.held(tmp_path / "lock"):
        pass
