"""What minds a job's verb: it stops the verb with everything that the verb has started."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from backend.live import supervisor
from backend.live.supervisor import start_of

#: A verb that starts a process of its own, says its number and waits.
VERB = "import subprocess, time; print(subprocess.Popen(['sleep', '100']).pid, flush=True); time.sleep(100)"


@pytest.fixture
def verb():
    started = subprocess.Popen([sys.executable, "-c", VERB], stdout=subprocess.PIPE, text=True, start_new_session=True)
    yield started
    with contextlib.suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()


def test_what_the_verb_has_started_ends_with_it(verb, tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "LOOK", 0.01)
    child = int(verb.stdout.readline())
    assert start_of(child)
    (tmp_path / "stop").touch()
    assert supervisor.mind(verb, (tmp_path / "stop").exists) != 0
    deadline = time.monotonic() + 20
    while start_of(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not start_of(child)
