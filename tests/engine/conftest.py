import os

import pytest


@pytest.fixture(autouse=True)
def no_disk_flush(monkeypatch):
    """Flushing matters when the power fails, not when a process does; without it these tests take half the time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
