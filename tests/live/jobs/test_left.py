"""What a stopped dashboard's terminal is told of jobs that go on."""

import os
import shlex
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

from backend import paths
from backend.live import supervisor
from backend.live.jobs import left, record
from backend.live.jobs.record import CANCEL, DONE, QUEUED, RUNNING, Job

ROOT = Path(__file__).parents[3]
APP = """
import streamlit as st
if __name__ == "__main__":
    st.write("hello")
else:
    from pages.shared.server import ending
    app = st.App(__file__, lifespan=ending.lifespan)
"""


def _job(number: int, state: str, title: str) -> Job:
    """A record; one that runs is minded by this process."""
    at = record.now()
    mine = (os.getpid(), supervisor.start_of(os.getpid())) if state == RUNNING else (0, "")
    job = Job(
        f"20260101T00000000000{number}-abcdef", "run", ("--json",), title, state, at, at, at, "",
        pid=mine[0], pid_started=mine[1],
    )  # fmt: skip
    job.folder.mkdir(parents=True)
    record.write(job)
    return job


@pytest.mark.usefixtures("flipside_cache")
def test_nothing_is_said_where_nothing_goes_on() -> None:
    assert left.said() == ""
    _job(1, DONE, "over")
    assert left.said() == ""


@pytest.mark.usefixtures("flipside_cache")
def test_what_goes_on_is_named_with_what_stops_it() -> None:
    """Ctrl-C ended the dashboard, and nothing said that a job works on."""
    job = _job(1, RUNNING, "Score clip on world")
    said = left.said()
    assert said.startswith("Without the dashboard goes on: “Score clip on world”. The page Runs shows and stops it")
    subprocess.run(shlex.split(said.rpartition("by: ")[2]), check=True)
    assert (job.folder / CANCEL).exists(), "its runner looks for this file"
    assert left.said() == "", "it is stopping"
    (job.folder / CANCEL).unlink()
    _job(2, RUNNING, "Import visla")
    _job(3, QUEUED, "Score lm on world")
    said = left.said()
    assert "go on: “Import visla”, “Score clip on world”, and then 1 more that waits." in said
    assert said.count(f"/{CANCEL}") == 2


def test_ctrl_c_says_it(flipside_cache: Path, tmp_path: Path) -> None:
    _job(1, RUNNING, "Score clip on world")
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["run", str(tmp_path / "app.py"), f"--server.port={port}", "--server.headless=true"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FLIPSIDE_CACHE": str(flipside_cache)}
    server = subprocess.Popen(
        paths.module_command("backend.verbs.shared.serving", *words, "--server.address=127.0.0.1"),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
    )  # fmt: skip
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
                break
        except OSError:
            time.sleep(0.1)
    server.send_signal(signal.SIGINT)
    said, _ = server.communicate(timeout=60)
    assert server.returncode == 130
    assert "Without the dashboard goes on: “Score clip on world”." in said
