"""On Ray itself: a cluster of this machine alone, by the verb, in processes of its own."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from backend.engine.cluster import connection, heads
from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.errors import FlipsideError
from backend.paths import module_command
from tests.conftest import ROOT
from tests.engine.samples import rows


@pytest.fixture
def ray_home(monkeypatch):
    """Where Ray keeps what it writes of each cluster: a folder of this test alone. In the one of all, a cluster joined
    that of another command, or one that had ended. Its path is short, for a socket's may have 107 characters."""
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as home:
        monkeypatch.setenv("RAY_TMPDIR", home)
        yield Path(home, "ray")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_verb_scores_on_a_cluster_what_one_process_scores(tmp_path, ray_home):
    words = ["run", "--model", "fake:ok", "--benchmark", "world", "--kinds", "itc,itm,prior", "--prior", "noise:1"]
    environment = os.environ | {"FLIPSIDE_CACHE": str(tmp_path / "many"), "FLIPSIDE_PROGRESS": "json"}
    done = subprocess.run(
        module_command("backend", *words, "--sample", "60", "--ray", "local", "--json"),
        env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert ray_home.is_dir()
    assert not [*ray_home.glob("session_2*")]  # nothing of the cluster stays
    summary = json.loads(done.stdout)
    alone = run(
        "fake:ok", "world", ["itc", "itm", "prior"], priors=["noise:1"], selection=Selection(sample=60),
        root=tmp_path / "one", planned=True, reuse=False,
    )  # fmt: skip
    assert summary["run"] == alone.run_id
    assert summary["asked"] == alone.asked
    assert rows(tmp_path / "many" / "runs" / alone.run_id) == rows(alone.run_dir)
    told = [json.loads(line)["progress"] for line in done.stderr.splitlines() if line.startswith('{"progress"')]
    assert told[-1]["done"] == told[-1]["total"] == alone.computed
    assert " on 1 machine, each with" in done.stderr


#: A cluster of its own, as long as its standard input stays open.
HEAD = """
import sys, ray
ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.usefixtures("ray_home")
def test_a_cluster_that_wants_another_token_says_so(tmp_path):
    asked = os.environ | {"RAY_AUTH_MODE": "token", "RAY_USAGE_STATS_ENABLED": "0"}
    head = subprocess.Popen(
        [sys.executable, "-c", HEAD], env=asked | {"RAY_AUTH_TOKEN": "a" * 64}, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert head.stdout is not None
        address = head.stdout.readline().strip()
        words = ["run", "--model", "fake:ok", "--benchmark", "world", "--kinds", "itc", "--ray", address]
        for token in {"RAY_AUTH_TOKEN": "b" * 64}, {"RAY_AUTH_MODE": "disabled"}:
            done = subprocess.run(
                module_command("backend", *words), env=asked | token | {"FLIPSIDE_CACHE": str(tmp_path)}, cwd=ROOT,
                capture_output=True, text=True, check=False, timeout=60,
            )  # fmt: skip
            assert done.returncode == 1
            assert f"--ray {address}: the cluster at {address} takes work only with its token" in done.stderr
    finally:
        head.communicate("", timeout=30)


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_what_greets_as_a_head_but_is_none_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(heads, "ANSWERS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as other:
        lines = []

        def serve():
            with contextlib.suppress(OSError):  # until it is closed
                while lines.append(other.accept()[0]) is None:
                    lines[-1].sendall(bytes((0, 0, 0, 4, 0, 0, 0, 0, 0)))

        threading.Thread(target=serve, daemon=True).start()
        at = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(FlipsideError, match=f"--ray {at}: no cluster answers"):
            connection.connected(at).__enter__()
        for line in lines:
            line.close()
