"""What Robustness is told before its first visit is what it would have worked out, and of that generation alone."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from backend import paths
from backend.live import working_ahead
from backend.store.build import importer
from backend.store.build.reader import open_store
from backend.store.examples import ahead as example_ahead
from backend.store.examples import shown_once
from backend.store.robustness import matrix, robustness
from pages.robustness import ahead, answer_ahead, data, prepared
from pages.shared.data import stored


def refused() -> None:
    raise AssertionError("it is worked out again")


@pytest.mark.slow
def test_the_first_visit_finds_its_answers(
    flipside_cache: Path, shipped_imported: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, answered = paths.bundled_editions_dir(), list[object]()
    importer.refresh(wait=True)
    said = subprocess.run(
        paths.module_command("pages.robustness.answer_ahead"),
        capture_output=True,
        cwd=paths.work_dir(),
        timeout=110,
        check=True,
    ).stdout
    assert not (flipside_cache / "example-taken").exists()
    assert shown_once.is_new(place)
    answers = pickle.loads(said)  # noqa: S301 - our own process has just said it
    monkeypatch.setattr(prepared, "_said", [answers])
    store = open_store()
    prepared.hand_over(store)  # of a generation that is not read: nothing is kept
    assert not store.kept()
    monkeypatch.setattr(prepared, "_said", [answers])
    assert shown_once.take_over(place) == 36
    store.refresh()
    prepared.hand_over(store)
    assert prepared._said == []
    monkeypatch.setattr(stored, "_instead", [store])
    monkeypatch.setattr(matrix, "adjusted", lambda *_: refused())
    monkeypatch.setattr(robustness, "_of_items", lambda *_: refused())
    for read in ("item", "card_items"):
        monkeypatch.setattr(f"backend.store.queries.{read}", lambda *_: refused())
    world = data.families()["world"]
    answered += [
        data.matrix(world.hash, robustness.HEADLINE, None),
        data.verdicts(world.hash, robustness.HEADLINE, None),
    ]
    list(ahead.more(world))  # and the items of the first cell
    monkeypatch.undo()
    monkeypatch.setenv("FLIPSIDE_CACHE", str(flipside_cache))
    again = open_store()
    assert again.reading == store.reading
    assert answered[0] == matrix.matrix(again, world.hash)
    assert answered[1].equals(robustness.verdicts(again, world.hash))  # type: ignore[attr-defined]


def test_where_the_example_is_not_new_nothing_is_made(
    flipside_cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (flipside_cache / "example-taken").write_text("once")
    monkeypatch.setattr(working_ahead, "give_way", lambda: None)
    assert answer_ahead.main() == 0
    assert capfd.readouterr().out == ""
    assert not example_ahead.folder().exists()


def test_what_is_kept_belongs_to_its_generation(shipped_imported: None) -> None:
    store = open_store(wait=True)
    store.keep("another generation", {"key": ([1], 10)})
    assert store.cached("key", lambda: [2]) == [2]
    store.keep(store.reading, {"other": ([3], 10), "key": ([4], 10)})
    assert store.cached("other", lambda: [5]) == [3]
    assert store.cached("key", lambda: [5]) == [2]
    store.cached("other", lambda: [5]).append(6)
    assert store.cached("other", lambda: [5]) == [3]
    store.close()


def test_a_process_that_fails_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[object] = []
    monkeypatch.setattr(prepared, "_said", said)
    answers = "import pickle, sys; sys.stdout.buffer.write(pickle.dumps(('one', {'key': (1, 2)})))"
    for code, kept in (
        (f"{answers}; raise SystemExit(1)", []), ("pass", []), ("print('cut off')", []),
        (answers, [("one", {"key": (1, 2)})]),
    ):  # fmt: skip
        monkeypatch.setattr(paths, "module_command", lambda _, code=code: [sys.executable, "-c", code])
        prepared.begin()
        assert said == kept


def test_who_waits_for_the_example_does_not_share_the_processor_with_it(
    flipside_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(working_ahead, "_working", {process: prepared.MODULE})
    monkeypatch.setattr(example_ahead, "found", lambda _: flipside_cache)
    prepared.give_way()
    assert process.poll() is None  # the generation is made, the answers are on their way
    monkeypatch.setattr(example_ahead, "found", lambda _: None)
    prepared.give_way()
    assert process.poll() is not None
