"""Which models a page offers to teach."""

from collections.abc import Iterator

import pytest

from backend.errors import UsageError
from backend.live.remote import here as remote
from backend.live.scoring import pool
from backend.live.teaching import teachable


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The models that were asked for, as long as nothing is known of any."""
    said: list[str] = []

    def kind(spec: str) -> str:
        said.append(spec)
        if spec.endswith("captioner"):
            raise UsageError("gives no cosine")
        return "itc"

    monkeypatch.setattr(teachable, "kind", kind)
    monkeypatch.setattr(pool, "available", lambda: ["bundled:clip", "bundled:captioner", "hf:mine"])
    teachable._of_shipped.cache_clear()
    yield said
    teachable._of_shipped.cache_clear()


def test_what_ships_is_looked_at_once_and_all_else_each_time(asked: list[str]) -> None:
    for _ in range(2):
        assert teachable.offered() == (["bundled:clip", "hf:mine"], ["bundled:captioner"])
    assert asked == ["bundled:clip", "bundled:captioner", "hf:mine", "hf:mine"]


def test_a_live_backend_is_asked_each_time(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "is_set", lambda: True)
    teachable.offered()
    teachable.offered()
    assert asked.count("bundled:clip") == 2
