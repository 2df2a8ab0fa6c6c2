"""The example that ships is shown once unasked, and not brought back to who has deleted it."""

import shutil
from pathlib import Path

import pytest

from backend.errors import FlipsideError
from backend.store.robustness import example, example_shown


@pytest.mark.slow
def test_it_is_new_once(flipside_cache: Path) -> None:
    assert example_shown.is_new()
    assert example_shown.take_over() == 36
    assert not example_shown.is_new()
    found = example.known()
    assert found is not None
    assert found.here
    shutil.rmtree(flipside_cache / "runs")  # what deleting on Runs does
    found = example.known()
    assert found is not None
    assert not found.here
    assert not example_shown.is_new()


def test_a_cache_that_cannot_be_written_is_said(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(example_shown, "write_synced", full)
    monkeypatch.setattr(example, "take_over", lambda: 36)
    with pytest.raises(FlipsideError, match=r"example-taken cannot be written .No space left on device."):
        example_shown.take_over()
    assert example_shown.is_new()
