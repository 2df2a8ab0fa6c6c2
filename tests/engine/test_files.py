"""The lock of a run is the file that is in place, not one that its last holder took away."""

import fcntl
import shutil

import pytest

from backend import locks
from backend.engine.storage import files
from backend.errors import FlipsideError


def test_a_folder_that_holds_nothing_but_the_lock_is_removed(tmp_path):
    with files.run_lock(tmp_path / "run"):
        pass
    assert not (tmp_path / "run").exists()
    with files.run_lock(tmp_path / "run"):
        (tmp_path / "run" / "run.json").write_text("{}")
    assert (tmp_path / "run" / "lock").is_file()


def test_a_lock_removed_by_its_last_holder_is_taken_anew(tmp_path, monkeypatch):
    """Between opening and locking, the holder before ends and removes the folder."""
    original, calls = fcntl.flock, []

    def flock(lock, how):
        calls.append(how)
        if len(calls) == 1:
            shutil.rmtree(tmp_path / "run")
        return original(lock, how)

    monkeypatch.setattr(locks.fcntl, "flock", flock)
    with files.run_lock(tmp_path / "run"):
        assert len(calls) == 2
        with pytest.raises(FlipsideError, match="is being written by process"), files.run_lock(tmp_path / "run"):
            pass
