"""A folder in shared memory for one test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.engine.inputs import handed_over


@pytest.fixture
def place() -> Iterator[Path]:
    found = handed_over.folder()
    if found is None:
        pytest.skip("this machine has no /dev/shm")
    yield found
    handed_over.remove(found)
    assert not found.exists()
