"""What a server gives up when it is stopped by a signal, which ends the process before Python's own end comes."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from backend.live.teaching import asking
from pages.robustness import prepared
from pages.shared.server import ending

ROOT = Path(__file__).parents[3]


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


def test_a_terminal_that_is_closed_stops_a_server_as_sigterm_does(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGHUP), signal.getsignal(signal.SIGTERM)
    told: list[int] = []
    try:
        signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        with ending.closing_of_terminal_is_told():
            signal.raise_signal(signal.SIGHUP)
        assert told == [signal.SIGTERM]
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
        with ending.closing_of_terminal_is_told():
            signal.raise_signal(signal.SIGHUP)
        assert told == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGHUP, before[0])
        signal.signal(signal.SIGTERM, before[1])


def test_what_works_ahead_for_robustness_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(prepared, "stop", lambda: ended.append(1))
    asyncio.run(whole())
    assert ended == [1]


def test_a_server_can_answer_before_that_is_there() -> None:
    """Nothing heavy comes with it: it is imported before the server gives out its first file."""
    code = "import sys; from pages.robustness import prepared; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"pandas", "pyarrow", "duckdb", "numpy", "streamlit"} & set(done.stdout.split())
