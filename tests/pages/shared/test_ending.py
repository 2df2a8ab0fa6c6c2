"""What a server gives up when it is stopped by a signal, which ends the process before Python's own end comes."""

import asyncio
import sys

import pytest

from backend.live.teaching import asking
from pages.shared.server import ending


async def whole() -> None:
    async with ending.lifespan(None):
        pass


def test_what_teach_has_asked_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[int] = []
    monkeypatch.setattr(asking.shared(), "close", lambda: closed.append(1))
    asyncio.run(whole())
    assert closed == [1]


def test_where_teach_was_never_opened_nothing_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "backend.live.teaching.asking")
    asyncio.run(whole())
    assert "backend.live.teaching.asking" not in sys.modules
