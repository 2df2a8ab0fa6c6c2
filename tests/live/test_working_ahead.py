"""Processes that work ahead: what they say, that they end with who asked, and that everybody else goes first."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend import paths
from backend.live import supervisor, working_ahead


@pytest.fixture(autouse=True)
def _open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working_ahead, "_closed", threading.Event())


def are(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Processes that are started run this."""
    monkeypatch.setattr(paths, "module_command", lambda *_: [sys.executable, "-c", code])


def asked(module: str) -> tuple[threading.Thread, list[bytes | None]]:
    """Once it is at work; what it says, when the thread has ended."""
    said: list[bytes | None] = []
    thread = threading.Thread(target=lambda: said.append(working_ahead.ask(module)))
    thread.start()
    until = time.monotonic() + 20
    while module not in working_ahead._working.values() and time.monotonic() < until:
        time.sleep(0.01)
    return thread, said


def test_what_it_says_of_what_it_is_given(flipside_cache, monkeypatch):
    are(monkeypatch, "import os, sys; print(sys.stdin.read()[::-1], os.environ['FLIPSIDE_CACHE'], end='')")
    assert working_ahead.ask("ours", b"abc") == f"cba {paths.cache_dir().resolve()}".encode()
    assert not working_ahead._working


def test_one_that_fails_or_takes_too_long_says_nothing(flipside_cache, monkeypatch):
    are(monkeypatch, "print('half'); raise SystemExit(3)")
    assert working_ahead.ask("ours") is None
    are(monkeypatch, "import time; print('half', flush=True); time.sleep(600)")
    assert working_ahead.ask("ours", patience=0.1) is None
    monkeypatch.setattr(paths, "module_command", lambda *_: ["/there/is/no/such/program"])
    assert working_ahead.ask("ours") is None
    assert not working_ahead._working


def test_those_of_one_module_end_and_at_the_servers_end_all(flipside_cache, monkeypatch):
    are(monkeypatch, "import time; time.sleep(600)")
    (one, said), (other, later) = asked("one"), asked("other")
    working_ahead.stop("one", wait=20)
    one.join(20)
    assert said == [None]
    assert other.is_alive()
    working_ahead.close()
    other.join(20)
    assert later == [None]
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("begun after the end"))
    assert working_ahead.ask("one") is None


def test_every_other_process_goes_first():
    code = "import os; from backend.live import working_ahead; working_ahead.give_way(); print(os.nice(0))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(said) == min(19, os.nice(0) + working_ahead.POLITE)


#: Gives way, says so by a file, and works till it is ended.
WORKS = """
import sys, time
from pathlib import Path
from backend.live import working_ahead
working_ahead.give_way()
Path(sys.argv[-1]).write_text("")
while True:
    time.sleep(0.01)
"""


def state(pid: int) -> str:
    """One letter of proc(5): T stands still, R and S go on; "" for none, or one that has ended."""
    try:
        said = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return ""
    return said.rpartition(")")[2].split()[0].replace("Z", "").replace("X", "")


def until(met: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not met() and time.monotonic() < end:
        time.sleep(0.01)
    return met()


@pytest.fixture
def at_work(flipside_cache, monkeypatch, tmp_path) -> Iterator["subprocess.Popen[bytes]"]:
    """One that has given way."""
    there = tmp_path / "there"
    monkeypatch.setattr(paths, "module_command", lambda *_: [sys.executable, "-c", WORKS, str(there)])
    thread, _ = asked("one")
    assert until(there.exists)
    yield next(iter(working_ahead._working))
    working_ahead.close()
    thread.join(20)
    assert not thread.is_alive()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere none is held")
class TestHold:
    """While somebody waits for a page."""

    def test_it_stands_still_and_goes_on(self, at_work):
        working_ahead.hold()
        assert until(lambda: state(at_work.pid) == "T")
        working_ahead.go_on()
        assert until(lambda: state(at_work.pid) in "RS")

    def test_one_that_stands_still_hears_that_it_is_to_end(self, at_work):
        """By SIGTERM, so that it can take along what it has begun."""
        working_ahead.hold()
        assert until(lambda: state(at_work.pid) == "T")
        working_ahead.stop("one", wait=20)
        assert at_work.returncode == -signal.SIGTERM

    def test_one_that_has_not_given_way_is_let_be(self, flipside_cache, monkeypatch):
        are(monkeypatch, "import time; time.sleep(600)")
        thread, _ = asked("one")
        process = next(iter(working_ahead._working))
        working_ahead.hold()
        time.sleep(0.1)
        assert state(process.pid) in "RS"
        working_ahead.close()
        thread.join(20)

    def test_one_that_a_page_has_begun_unasked_stands_still_too(self, flipside_cache, monkeypatch, tmp_path):
        """And is forgotten once it has ended: its number may be another's then."""
        there = tmp_path / "there"
        monkeypatch.setattr(paths, "module_command", lambda *_: [sys.executable, "-c", WORKS, str(there)])
        monkeypatch.setattr(working_ahead, "_minded", set())
        pid, started = supervisor.start("one", [], tmp_path / "log")
        try:
            assert until(there.exists)
            working_ahead.hold()
            time.sleep(0.1)
            assert state(pid) in "RS", "nobody has said that it may"
            working_ahead.mind(pid, started)
            working_ahead.hold()
            assert until(lambda: state(pid) == "T")
            working_ahead.go_on()
            assert until(lambda: state(pid) in "RS")
        finally:
            os.kill(pid, signal.SIGKILL)
        assert until(lambda: not supervisor.is_alive(pid, started))
        monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("there is no such process any more"))
        working_ahead.hold()
        working_ahead.go_on()
        assert not working_ahead._minded
        supervisor.reap()

    def test_one_that_stands_still_goes_on_where_its_server_is_killed(self, tmp_path):
        there = tmp_path / "there"
        server = f"""
import sys, threading, time
from backend import paths
from backend.live import working_ahead
paths.module_command = lambda *_: [sys.executable, "-c", {WORKS!r}, {str(there)!r}]
threading.Thread(target=working_ahead.ask, args=("one",)).start()
while not working_ahead._working:
    time.sleep(0.01)
print(next(iter(working_ahead._working)).pid, flush=True)
sys.stdin.readline()
working_ahead.hold()
print("held", flush=True)
time.sleep(600)
"""
        with subprocess.Popen(
            [sys.executable, "-c", server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin
            assert process.stdout
            pid = int(process.stdout.readline())
            assert until(there.exists)
            process.stdin.write("hold\n")
            process.stdin.flush()
            assert process.stdout.readline() == "held\n"
            assert until(lambda: state(pid) == "T")
            process.kill()
        try:
            assert until(lambda: state(pid) in ("R", "S"))
        finally:
            os.kill(pid, signal.SIGKILL)


def test_the_processes_that_there_are_give_way(flipside_cache):
    """Each module that is asked for begins with that."""
    for module in ("backend.live.maps.beside", "pages.robustness.answer_ahead"):
        code = f"from backend.live import working_ahead; from {module} import main\n"
        code += "def gave_way(): raise SystemExit(7)\nworking_ahead.give_way = gave_way\nmain()"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7
