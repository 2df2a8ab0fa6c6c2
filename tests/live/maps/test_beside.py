"""Clumps of a map are found by a process of its own, which loads what finds them so that nobody else need."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from backend import paths
from backend.live import working_ahead
from backend.live.maps import beside, clumped
from backend.store.enrichment import clumps


@pytest.fixture
def places() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(at, 0.3, (30, 2)) for at in (0, 5, 10)]).astype(np.float32)


def test_what_the_process_finds_is_what_is_found_here(flipside_cache, places, monkeypatch):
    assert not clumped.is_known(places)
    wanted = clumps.labels_of(places)
    assert beside.find(places)
    monkeypatch.setattr(clumps, "labels_of", lambda _: pytest.fail("found again"))
    assert np.array_equal(clumped.labels(places), wanted)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process for what is known"))
    assert beside.find(places)
    assert beside.find(places[:5])  # too few to be searched


def test_a_process_that_fails_leaves_it_to_who_asks(flipside_cache, places, monkeypatch):
    monkeypatch.setattr(paths, "module_command", lambda *_: [sys.executable, "-c", "raise SystemExit(3)"])
    assert not beside.find(places)
    monkeypatch.setattr(paths, "module_command", lambda *_: ["/there/is/no/such/program"])
    assert not beside.find(places)
    assert not working_ahead._working


def test_a_server_that_ends_ends_the_process(flipside_cache, places, monkeypatch):
    monkeypatch.setattr(paths, "module_command", lambda *_: [sys.executable, "-c", "import time; time.sleep(600)"])
    found: list[bool] = []
    asking = threading.Thread(target=lambda: found.append(beside.find(places)))
    asking.start()
    until = time.monotonic() + 20
    while not working_ahead._working and time.monotonic() < until:
        time.sleep(0.01)
    beside.stop()
    asking.join(20)
    assert found == [False]
