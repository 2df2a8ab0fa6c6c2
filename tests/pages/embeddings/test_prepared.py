"""Other models' and subsets' maps are looked at ahead, by a process of its own, once for what is stored."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from backend import paths
from backend.live import working_ahead
from backend.store.build import first
from backend.store.enrichment import clumps
from pages.embeddings import answer_ahead, data, kept, over, prepared
from pages.shared.data import stored
from tests.pages import results


@pytest.fixture(autouse=True)
def _of_this_test(flipside_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first, "folder", lambda: tmp_path / "set-up")
    monkeypatch.setattr(working_ahead, "_closed", threading.Event())
    monkeypatch.setattr(working_ahead, "_working", {})
    monkeypatch.setattr(stored, "reading", lambda: "flipside-1-x")


def refuse(*_: object, **__: object) -> None:
    pytest.fail("a process for what is known")


def test_a_process_goes_through_what_is_stored_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "module_command", lambda *_: [sys.executable, "-c", ""])
    assert not prepared.is_done("b")
    prepared.begin("b")
    assert prepared.is_done("b")
    assert not prepared.is_done("other")
    monkeypatch.setattr(subprocess, "Popen", refuse)
    prepared.begin("b")
    prepared.begin("")
    monkeypatch.setattr(stored, "reading", lambda: "")
    prepared.begin("c")
    monkeypatch.setattr(stored, "reading", lambda: "flipside-2-x")
    assert not prepared.is_done("b"), "the results have moved on"


def test_what_set_up_has_been_through_needs_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert prepared.finish("b", kept.set_up()) is not None
    monkeypatch.setattr(subprocess, "Popen", refuse)
    prepared.begin("b")


def test_one_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ([sys.executable, "-c", "raise SystemExit(1)"], ["/there/is/no/such/program"]):
        monkeypatch.setattr(paths, "module_command", lambda *_, command=command: command)
        prepared.begin("b")
        assert not prepared.is_done("b")


def test_a_server_that_ends_ends_the_process_and_begins_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "module_command", lambda *_: [sys.executable, "-c", "import time; time.sleep(600)"])
    asking = threading.Thread(target=prepared.begin, args=("b",))
    asking.start()
    until = time.monotonic() + 20
    while not working_ahead._working and time.monotonic() < until:
        time.sleep(0.01)
    working_ahead.close()
    asking.join(20)
    assert not asking.is_alive()
    assert not prepared.is_done("b")
    monkeypatch.setattr(subprocess, "Popen", refuse)
    prepared.begin("b")


@pytest.mark.slow
def test_what_was_worked_out_ahead_is_not_worked_out_again(
    flipside_cache: Path, nothing_shipped: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers are those that the page would have found, taken from the disk by another reader of the results."""
    del nothing_shipped
    results.write(flipside_cache)
    stored._opened.clear()
    benchmark = next(iter(stored.chosen().values()))
    seen = list(answer_ahead.maps_of(benchmark))
    models = data.able(benchmark)
    assert seen[: len(models)] == [(model, data.first_part(benchmark, model)) for model in models]
    assert len(seen) == len(set(seen))
    assert answer_ahead.answer(benchmark, most=1) == 1
    n = answer_ahead.answer(benchmark)
    assert n >= 1

    def again(_: object) -> None:
        pytest.fail("worked out again")

    stored.store().close()
    stored._opened.clear()
    for module, name in ((clumps, "clumps"), (over, "_near_errors"), (data, "neighbours_of"), (over, "_traits")):
        monkeypatch.setattr(module, name, lambda *_: again(_))
    assert answer_ahead.answer(next(iter(stored.chosen().values()))) == n
    stored.store().close()
    stored._opened.clear()


@pytest.mark.slow
def test_a_benchmark_that_is_not_there_is_nothing_to_do() -> None:
    """In a process: it gives way to all others, and reads results in place of those that pages read."""
    command = paths.module_command(prepared.MODULE)
    done = subprocess.run(command, input=b"no such", cwd=paths.work_dir(), timeout=300, check=False)
    assert done.returncode == 0
    assert not kept.folder().exists()
