"""The example that ships is shown once unasked, and not brought back to who has deleted it."""

import shutil
from pathlib import Path

import pytest

from backend import locks
from backend.engine.storage import shards
from backend.errors import FlipsideError
from backend.paths import bundled_editions_dir
from backend.store.examples import example, shown_once


@pytest.mark.slow
def test_it_is_new_once(flipside_cache: Path) -> None:
    assert shown_once.is_new(bundled_editions_dir())
    assert shown_once.take_over(bundled_editions_dir()) == 36
    assert not shown_once.is_new(bundled_editions_dir())
    found = example.known(bundled_editions_dir())
    assert found is not None
    assert found.here
    shutil.rmtree(flipside_cache / "runs")  # what deleting on Runs does
    found = example.known(bundled_editions_dir())
    assert found is not None
    assert not found.here
    assert not shown_once.is_new(bundled_editions_dir())


@pytest.mark.parametrize("cut", [shards.BENCHMARK, shards.ITEMS])
def test_a_benchmark_that_a_full_disk_has_cut_off_is_brought_whole(flipside_cache: Path, few: Path, cut: str) -> None:
    """It was taken for whole at the next visit, and its runs stayed without verdicts."""
    (theirs,) = (few / "benchmarks").iterdir()
    mine = flipside_cache / "benchmarks" / theirs.name
    shutil.copytree(theirs, mine)
    (mine / cut).write_bytes((mine / cut).read_bytes()[:100])
    assert shown_once.take_over(few) == 2
    assert {path.name: path.read_bytes() for path in mine.iterdir()} == {
        path.name: path.read_bytes() for path in theirs.iterdir()
    }


def test_who_looks_second_waits(flipside_cache: Path, few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three dashboards that opened it at once one said that a run was being written by another."""
    held: list[bool] = []
    known = example.take_over

    def take_over(place: Path) -> int:
        held.append(locks.is_held(flipside_cache / shown_once.LOCK))
        return known(place)

    monkeypatch.setattr(example, "take_over", take_over)
    assert shown_once.take_over(few) == 2
    assert held == [True]
    assert not locks.is_held(flipside_cache / shown_once.LOCK)


def test_a_cache_that_cannot_be_written_is_said(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(shown_once, "write_synced", full)
    monkeypatch.setattr(example, "take_over", lambda _: 36)
    with pytest.raises(FlipsideError, match=r"example-taken: cannot be written .No space left on device."):
        shown_once.take_over(bundled_editions_dir())
    assert shown_once.is_new(bundled_editions_dir())
