"""The example that ships is shown once unasked, and not brought back to who has deleted it."""

import shutil
from pathlib import Path

import pytest

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


def test_a_cache_that_cannot_be_written_is_said(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(shown_once, "write_synced", full)
    monkeypatch.setattr(example, "take_over", lambda _: 36)
    with pytest.raises(FlipsideError, match=r"example-taken: cannot be written .No space left on device."):
        shown_once.take_over(bundled_editions_dir())
    assert shown_once.is_new(bundled_editions_dir())
