"""`flipside dashboard`: the port, the server's folder and environment, and the browser; tests/browser opens pages."""

import os
import signal
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from backend import paths
from backend.verbs import dashboard
from backend.verbs.shared import opening


@pytest.fixture
def started(tmp_path, monkeypatch) -> dict:
    """What would have been started: words, environment, working directory, and processes beside it."""
    found: dict = {"beside": []}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "chdir", lambda folder: found.update(folder=folder))
    monkeypatch.setattr(os, "execve", lambda program, words, env: found.update(program=program, words=words, env=env))
    monkeypatch.setattr(dashboard.subprocess, "Popen", lambda command, **_: found["beside"].append(command))
    for name in ("CI", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(dashboard.sys, "platform", "linux")
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_the_server_has_the_programs_folder_and_the_users_paths(flipside, started, tmp_path, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_CACHE", "mine")
    monkeypatch.setenv("FLIPSIDE_DATA", f"one{os.pathsep}/two")
    port = free_port()
    answer = flipside("dashboard", "--port", port)
    assert answer.code == 0
    assert f"http://localhost:{port} " in answer.err
    assert started["folder"] == paths.ROOT
    assert started["program"] == sys.executable
    assert started["words"][: started["words"].index("--server.port")] == [
        *paths.module_command("backend.verbs.shared.serving"), "run", "app.py",
    ]  # fmt: skip
    assert started["words"][started["words"].index("--server.port") + 1] == str(port)
    assert started["words"][started["words"].index("--server.address") + 1] == "localhost"
    assert started["env"]["FLIPSIDE_CACHE"] == str(tmp_path / "mine")
    assert started["env"]["FLIPSIDE_DATA"] == f"{tmp_path / 'one'}{os.pathsep}/two"
    assert started["beside"] == []


def test_where_there_is_a_screen_a_browser_is_opened(flipside, started, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":0")
    port = str(free_port())
    flipside("dashboard", "--port", port)
    assert started["beside"] == [paths.module_command("backend.verbs.shared.opening", port)]
    monkeypatch.setenv("CI", "1")
    flipside("dashboard", "--port", port)
    assert len(started["beside"]) == 1


@pytest.mark.parametrize("port", [80, 70000])
def test_a_port_that_nobody_may_choose_is_wrong_use(flipside, started, port):
    answer = flipside("dashboard", "--port", port)
    assert answer.code == 2
    assert f"port {port} cannot be used; choose one from 1024 to 65535" in answer.err
    assert "make run PORT=8600" in answer.err
    assert "words" not in started


def test_a_taken_port_is_named_with_another_one(flipside, started, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        answer = flipside("dashboard", "--port", port)
        monkeypatch.setattr(paths, "INSTALLED", True)
        installed = flipside("dashboard", "--port", port)
    assert (answer.code, installed.code) == (1, 1)
    assert f"port {port} is taken" in answer.err
    assert "dashboard --port " in answer.err
    assert "make run PORT=" in answer.err
    assert "make" not in installed.err  # there is no Makefile beside an installed copy
    assert "words" not in started


def test_the_browser_waits_until_the_server_answers(monkeypatch):
    class Health(BaseHTTPRequestHandler):
        asked = 0

        def do_GET(self) -> None:
            Health.asked += 1
            self.send_response(503 if Health.asked == 1 else 200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    opened: list[str] = []
    monkeypatch.setattr(opening.webbrowser, "open", opened.append)
    with HTTPServer(("127.0.0.1", 0), Health) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        opening.main(str(server.server_port))
        server.shutdown()
        assert opened == [f"http://localhost:{server.server_port}"]
    assert Health.asked == 2
    monkeypatch.setattr(opening, "PATIENCE", 0.3)
    opening.main(str(free_port()))
    assert len(opened) == 1


def test_a_list_of_own_models_with_a_broken_quote_is_refused_at_start(flipside, started, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_PY_MODELS", "py:a:B 'py:c:D")
    answer = flipside("dashboard", "--port", free_port())
    assert answer.code == 2
    assert "FLIPSIDE_PY_MODELS" in answer.err
    assert "words" not in started


def test_ctrl_c_while_streamlit_is_imported_prints_no_traceback(tmp_path):
    folder = tmp_path / "streamlit" / "web"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()
    (folder / "cli.py").write_text("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)")
    ended = subprocess.run(
        paths.module_command("backend.verbs.shared.serving", "run", "app.py"),
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout + ended.stderr) == (-signal.SIGINT, "")


@pytest.mark.parametrize(("name", "value"), [("HOSTS", "a@b"), ("FRAME_ANCESTORS", "a.b"), ("BACKEND", "foo")])
def test_what_cannot_be_meant_is_said_before_the_address(flipside, started, monkeypatch, name, value):
    monkeypatch.setenv(f"FLIPSIDE_{name}", value)
    answer = flipside("dashboard", "--port", free_port())
    assert answer.code == 2
    assert answer.err.startswith(f"flipside: FLIPSIDE_{name}")
    assert "http://localhost:" not in answer.err
    assert "words" not in started
