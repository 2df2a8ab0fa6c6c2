"""The processes of a training as they are started, stopped and lost."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("accelerate", reason="the extra flipside[teach] is not installed")

from backend.errors import FlipsideError, UsageError
from backend.teach.processes import launching
from backend.teach.training import following, log

ROOT = Path(__file__).resolve().parents[3]
ASKED = ("--model", "bundled:clip", "--recipe", "baseline", "--fresh", 8, "--batch", 6, "--held-out", 0, "--device",
         "cpu")  # fmt: skip


def test_the_place_is_what_launchers_say():
    said = {"RANK": "1", "WORLD_SIZE": "4", "LOCAL_RANK": "1"}
    assert launching.place(said) == launching.Place(1, 4, 1, 4)
    assert launching.place(said | {"LOCAL_WORLD_SIZE": "2"}) == launching.Place(1, 4, 1, 2)
    for other in (
        {},
        {"RANK": "0"},
        said | {"WORLD_SIZE": "1", "RANK": "0"},
        said | {"RANK": "x"},
        said | {"RANK": "4"},
    ):
        assert launching.place(other) is None


def test_numbers_of_processes_that_there_cannot_be(flipside, tmp_path):
    launching.refuse(None, None)
    launching.refuse(2, launching.Place(0, 2, 0, 2))
    for wrong in (0, -1, 65):
        with pytest.raises(UsageError, match=f"--processes {wrong}: from 1 to 64"):
            launching.refuse(wrong, None)
    with pytest.raises(UsageError, match="--processes 3: a launcher has started 2"):
        launching.refuse(3, launching.Place(0, 2, 0, 2))
    done = flipside("teach", *ASKED, "--processes", 0, "--out", tmp_path / "mine")
    assert (done.code, "--processes 0: from 1 to 64" in done.err) == (2, True)


@pytest.fixture
def children(monkeypatch):
    """What is started in place of `flipside`: a line of Python for each process."""

    def start(*lines):
        def command(module, *words):
            code = "import os, signal, sys, time; exec(sys.argv[1:][int(os.environ['RANK'])])"
            return [sys.executable, "-c", code, *lines]

        monkeypatch.setattr(launching, "module_command", command)
        return launching.launch(len(lines), ())

    monkeypatch.setattr(launching, "_GRACE", 0.5)
    return start


LOST = f"sys.exit({launching.LOST})"
WAITS = "time.sleep(60)"


def test_all_done_is_done(children, capfd):
    assert children("print('first')", "print('second'); sys.stderr.write('flipside: heard')") == 0
    assert capfd.readouterr() == ("first\n", "")


def test_the_first_speaks_for_all(children, capfd):
    assert children("sys.exit('flipside: no')", "sys.exit('flipside: no')") == 1
    assert capfd.readouterr().err == "flipside: no\n"
    assert children("sys.exit(2)", LOST) == 2
    assert children("sys.exit(130)", WAITS) == 130


def test_whoever_fails_first_is_named(children):
    with pytest.raises(FlipsideError, match=r"^process 2 of 2 ended: memory is full\. So the others were ended, too"):
        children(LOST, "sys.exit('noise\\nflipside: memory is full.')")
    with pytest.raises(
        FlipsideError, match=r"^process 3 of 3 was killed, most often because memory ran out, by signal 9"
    ):
        children(LOST, WAITS, "os.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(FlipsideError, match=r"^process 1 of 2 was ended by signal 15"):
        children("signal.raise_signal(signal.SIGTERM)", WAITS)
    with pytest.raises(FlipsideError, match=r"^process 2 of 2 ended: exit code 7"):
        children(WAITS, "sys.exit(7)")
    with pytest.raises(FlipsideError, match=r"^process 1 of 2 ended: exit code 75"):
        children(LOST, LOST)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_go_to_the_first_alone(children, number, tmp_path):
    waiting = "signal.signal(signal.{0}, lambda *_: sys.exit(130)); open({1!r}, 'w'); time.sleep(60)"
    there = tmp_path / "there"

    def send():
        until = time.monotonic() + 30
        while not there.exists() and time.monotonic() < until:
            time.sleep(0.02)
        os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    sender = threading.Thread(target=send)
    sender.start()
    others = "signal.signal(signal.SIGINT, signal.SIG_IGN); sys.stdin.read()"
    assert children(waiting.format(number.name, str(there)), others) == 130
    sender.join()
    assert signal.getsignal(number) == before


CHILD = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
import flipside
from backend.teach.processes import launching
launching.end_with_launcher()
open(os.path.join(sys.argv[2], str(os.getpid())), "w")
time.sleep(60)
"""
LAUNCHER = """
import sys
root, there, child = sys.argv[1:]
sys.path.insert(0, root)
import flipside
from backend.teach.processes import launching
launching.module_command = lambda *_: [sys.executable, "-c", child, root, there]
launching.launch(2, ())
"""


def test_they_end_with_whoever_started_them(tmp_path):
    """The launcher is killed outright; its processes see their standard input end."""
    process = subprocess.Popen([sys.executable, "-c", LAUNCHER, str(ROOT), str(tmp_path), CHILD])
    until = time.monotonic() + 60
    while len(found := [int(path.name) for path in tmp_path.iterdir()]) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    process.kill()
    process.wait()
    while any(map(alive, found)) and time.monotonic() < until:
        time.sleep(0.05)
    assert len(found) == 2
    assert not any(map(alive, found))


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def commanded(folder, until, act, *more):
    """The command as it is typed, and what is done to it after so many steps: its exit code, what it said."""
    words = [sys.executable, "-m", "flipside", "teach", *map(str, (*ASKED, *more, "--out", folder))]
    with (folder.parent / "said").open("w+") as said:
        process = subprocess.Popen(words, cwd=ROOT, stderr=said, stdout=subprocess.DEVNULL)
        try:
            late = time.monotonic() + 300
            while log.last_step(folder) < until and time.monotonic() < late and process.poll() is None:
                time.sleep(0.05)
            act(process.pid)
            code = process.wait(120)
        finally:
            process.kill()
            process.wait()
        said.seek(0)
        return code, said.read()


def kill_the_second(pid):
    ours = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=True)
    (second,) = [
        each for each in map(int, ours.stdout.split()) if b"\0RANK=1\0" in Path(f"/proc/{each}/environ").read_bytes()
    ]
    os.kill(second, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.timeout(1000)
def test_stopped_lost_and_gone_on_with_by_the_command_line(tmp_path):
    folder, plan = tmp_path / "mine", ("--steps", 5000, "--checkpoint-every", 2)
    code, said = commanded(folder, 3, lambda pid: os.kill(pid, signal.SIGTERM), *plan, "--processes", 2)
    done = log.last_step(folder)
    assert (code, done >= 3) == (130, True)
    assert f"flipside: {folder}: stopped after step {done} of 5000, which its checkpoint has." in said.splitlines()[-1]
    code, said = commanded(folder, done + 3, kill_the_second, *plan, "--processes", 2)
    assert (code, said.count("flipside: process 2 of 2 was killed")) == (1, 1)
    assert [line for line in said.splitlines() if line.startswith("flipside: ")] == said.splitlines()[-1:]
    assert not following.training(folder).running
    code, said = commanded(folder, log.last_step(folder) + 1, lambda pid: os.kill(pid, signal.SIGINT), *plan)
    assert (code, "stopped after step" in said) == (130, True)
    assert [entry["step"] for entry in log.read(folder)] == [*range(1, log.last_step(folder) + 1)]
