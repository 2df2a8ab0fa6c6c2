"""Where the example has been taken over before, what Robustness asks as it opens is asked once nobody waits."""

from typing import Any

import pytest

from backend import paths
from backend.store import queries
from backend.store.build import importer
from backend.store.examples import shown_once
from backend.store.robustness import editions, matrix, originals, robustness
from pages.shared.data import stored
from pages.shared.server import waiting, warm
from tests.pages.opening import opened
from tests.pages.test_ahead import counted

MODULE = ["pages.robustness.ahead"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """What is asked of the store, each time."""
    monkeypatch.setattr(warm, "_asked", [("", 0.0)])
    monkeypatch.setattr(waiting, "quiet", lambda _: True)
    named: list[tuple[Any, str]] = [
        (matrix, "adjusted"), (robustness, "_of_items"), (originals, "_of"), (editions, "_candidates"),
        (queries, "card_items"),
    ]  # fmt: skip
    return [counted(monkeypatch, module, name) for module, name in named]


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_imported")
def test_a_later_first_visit_finds_its_answers(asked: list[list[int]]) -> None:
    importer.refresh(wait=True)
    assert shown_once.take_over(paths.bundled_editions_dir()) == 36
    importer.refresh(wait=True)
    stored._opened.clear()
    warm.ask("world", MODULE)
    warm.more("world", MODULE)
    before = [len(each) for each in asked]
    assert all(before), "asked ahead"
    app = opened("robustness").run()
    assert not app.exception
    assert [len(each) for each in asked] == before


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_imported")
def test_nothing_is_asked_where_nothing_was_edited(asked: list[list[int]]) -> None:
    importer.refresh(wait=True)
    stored._opened.clear()
    warm.ask("world", MODULE)
    warm.more("world", MODULE)
    assert not any(len(each) for each in (asked[0], asked[1], asked[4]))
