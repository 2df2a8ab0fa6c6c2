"""What a server gives up when it is stopped by a signal, which ends the process before Python's own end comes."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend import paths
from backend.live import working_ahead
from backend.live.teaching import asking
from pages.overview import first_picture
from pages.shared.server import ending, warm

ROOT = Path(__file__).parents[4]

#: A server of one line: with something registered for Python's end, something that only Python's taking itself apart
#: reaches, a process that works ahead, and (with TEST_BUSY) something begun that does not end by itself.
APP = """
import atexit, os, sys, threading, time
import streamlit as st
if __name__ == "__main__":
    st.write("hello")
else:
    from backend import paths
    from backend.live import working_ahead
    from pages.shared.server import ending, warm

    class Kept:
        def __del__(self):
            os.write(1, b"taken apart\\n")

    def work():
        paths.module_command = lambda *_: [sys.executable, "-c", "import time; time.sleep(600)"]
        working_ahead.ask("ours")

    kept = Kept()
    atexit.register(lambda: os.write(1, b"released\\n"))
    threading.Thread(target=work).start()
    if os.environ.get("TEST_BUSY"):
        threading.Thread(target=time.sleep, args=(600,), name=warm._STORE).start()
    app = st.App(__file__, lifespan=ending.lifespan)
"""


@pytest.fixture(autouse=True)
def _open_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a server that ends closes is this process's own here."""
    monkeypatch.setattr(warm, "_closed", threading.Event())
    monkeypatch.setattr(working_ahead, "_closed", threading.Event())
    monkeypatch.setattr(first_picture, "_given", threading.Event())


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


def test_what_works_ahead_is_ended_and_begun_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "module_command", lambda *_: [sys.executable, "-c", "import time; time.sleep(600)"])
    asking = threading.Thread(target=working_ahead.ask, args=("ours",))
    asking.start()
    until = time.monotonic() + 20
    while not working_ahead._working and time.monotonic() < until:
        time.sleep(0.01)
    asyncio.run(whole())
    asking.join(20)
    assert not asking.is_alive()
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("begun after the end"))
    assert working_ahead.ask("ours") is None
    first_picture.wait()  # for nobody


@pytest.fixture
def server(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A dashboard's server that answers; TEST_BUSY of this process is its own."""
    (tmp_path / "app.py").write_text(APP)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["run", str(tmp_path / "app.py"), f"--server.port={port}", "--server.headless=true"]
    process = subprocess.Popen(
        paths.module_command("backend.verbs.shared.serving", *words, "--server.address=127.0.0.1"),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert process.poll() is None, process.stdout and process.stdout.read()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
                break
        except OSError:
            time.sleep(0.1)
    yield process
    process.kill()
    process.communicate()


def test_after_ctrl_c_python_does_not_take_itself_apart(server: subprocess.Popen[str]) -> None:
    server.send_signal(signal.SIGINT)
    said, _ = server.communicate(timeout=60)
    assert server.returncode == ending.INTERRUPTED
    assert said.split("127.0.0.1")[-1].split("\n", 1)[1].split() == ["Aborted!", "released"]


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_BUSY", "1")


@pytest.mark.usefixtures("busy")
def test_what_was_begun_is_finished_unless_ctrl_c_is_pressed_again(server: subprocess.Popen[str]) -> None:
    assert server.stdout is not None
    server.send_signal(signal.SIGINT)
    assert any(ending.FINISHING in line for line in server.stdout)
    assert server.poll() is None
    server.send_signal(signal.SIGINT)
    said, _ = server.communicate(timeout=60)
    assert (server.returncode, said) == (ending.INTERRUPTED, "")


def test_a_server_can_answer_before_that_is_there() -> None:
    """Nothing heavy comes with it: it is imported before the server gives out its first file."""
    code = "import sys; from pages.robustness import prepared; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"pandas", "pyarrow", "duckdb", "numpy", "streamlit"} & set(done.stdout.split())
