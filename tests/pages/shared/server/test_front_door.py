"""Whom the server answers: its own pages on localhost, or by the names that its owner gave; nobody's frame."""

import asyncio
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from backend.errors import UsageError
from pages.shared.server.front_door import FrontDoor, Rules, rules

ROOT = Path(__file__).resolve().parents[4]
OWNER = {"FLIPSIDE_HOSTS": "flip.example.org, lab.example.org:8443"}


def ask(host, origin=None, *, kind="http", method="GET", scheme="http", path="/", allowed=None, **more):
    """(status or close code, headers, whether the dashboard itself was asked)."""
    reached, sent = [], []

    async def dashboard(scope, receive, send):
        reached.append(scope["path"])
        if kind == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"page"})
        else:
            await send({"type": "websocket.accept"})

    async def receive():
        return {"type": f"{kind}.request"}

    async def send(message):
        sent.append(message)

    named = [(b"host", word.encode()) for word in ([host] if isinstance(host, str) else host)]
    named += [(b"origin", word.encode()) for word in ([origin] if isinstance(origin, str) else origin or [])]
    named += [(key.replace("_", "-").encode(), value.encode()) for key, value in more.items()]
    if kind == "websocket":
        scheme = scheme.replace("http", "ws")
    scope = {"type": kind, "method": method, "scheme": scheme, "path": path, "headers": named}
    asyncio.run(FrontDoor(dashboard, rules(allowed or {}))(scope, receive, send))
    headers = dict(sent[0].get("headers", ()))
    return sent[0].get("status", sent[0].get("code", 101)), headers, bool(reached)


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8600", "[::1]:8501", "LOCALHOST:8501", "localhost"])
def test_the_server_answers_on_this_machine_at_any_port(host):
    assert ask(host)[0] == 200
    assert ask(host, f"http://{host.lower()}", kind="websocket")[2]
    assert ask(host, f"http://{host.lower()}", method="PUT")[2]


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8501", "evil.example", "localhost.evil.example", "127.0.0.1.nip.io:8501", "192.168.1.5:8501",
        "0.0.0.0:8501", "localhost@evil.example", "localhost:8501/", "localhost:99999", "", [],
        ["localhost", "localhost"], "flip.example.org", "löcalhost", "localhost.",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_name_that_is_not_its_own_is_refused_whatever_it_resolves_to(host, kind):
    origin = f"http://{host}" if isinstance(host, str) and host else None
    status, _, reached = ask(host, origin, kind=kind)
    assert (status, reached) == (403 if kind == "http" else 1008, False)


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:9999", "http://localhost", "https://localhost:8501", "http://127.0.0.1:8501",
        "http://evil.example", "http://localhost:8501.evil.example", "null", "file://", "http://user@localhost:8501",
        "http://localhost:8501/", "", ["http://localhost:8501", "http://localhost:9999"],
    ],
)  # fmt: skip
@pytest.mark.parametrize(("kind", "method"), [("websocket", ""), ("http", "PUT"), ("http", "GET"), ("http", "OPTIONS")])
def test_another_origin_is_refused_its_port_included(origin, kind, method):
    status, _, reached = ask("localhost:8501", origin, kind=kind, method=method)
    assert (status, reached) == (403 if kind == "http" else 1008, False)


def test_what_changes_something_has_to_say_where_it_comes_from():
    assert not ask("localhost:8501", kind="websocket")[2]
    assert not ask("localhost:8501", method="PUT")[2]
    assert not ask("localhost:8501", method="DELETE")[2]
    assert ask("localhost:8501", method="HEAD")[2]


def test_default_ports_are_the_same_with_and_without_their_number():
    assert ask("localhost", "http://localhost:80", kind="websocket")[2]
    assert ask("localhost:80", "http://localhost", kind="websocket")[2]
    assert not ask("localhost:443", "http://localhost", kind="websocket")[2]


def test_a_server_with_a_certificate_of_its_own():
    assert ask("localhost:8501", "https://localhost:8501", kind="websocket", scheme="https")[2]
    assert not ask("localhost:8501", "http://localhost:8501", kind="websocket", scheme="https")[2]


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_tls_proxy_serves_it_by_the_names_that_the_owner_gave(kind):
    def through(host, origin, **more):
        return ask(host, origin, kind=kind, method="PUT", allowed=OWNER, **more)[2]

    assert through("flip.example.org", "https://flip.example.org", x_forwarded_proto="https")
    assert through("flip.example.org", "https://flip.example.org")
    assert through("flip.example.org:8080", "http://flip.example.org:8080", x_forwarded_proto="http")
    assert through("lab.example.org:8443", "https://lab.example.org:8443", x_forwarded_proto="https")
    assert through("localhost:8501", "http://localhost:8501")
    assert not through("flip.example.org", "http://flip.example.org", x_forwarded_proto="https")
    assert not through("flip.example.org", "https://evil.example", x_forwarded_proto="https")
    assert not through("flip.example.org", "https://flip.example.org:8443", x_forwarded_proto="https")
    assert not through("lab.example.org", "https://lab.example.org", x_forwarded_proto="https")
    assert not through("sub.flip.example.org", "https://sub.flip.example.org", x_forwarded_proto="https")


def test_nobody_believes_a_proxy_that_the_owner_did_not_announce():
    # uvicorn has already turned the scheme into https by that header.
    arguments = {"kind": "websocket", "scheme": "https", "x_forwarded_proto": "https"}
    assert not ask("localhost:8501", "https://localhost:8501", **arguments)[2]
    assert ask("localhost:8501", "https://localhost:8501", allowed={"FLIPSIDE_HOSTS": "localhost"}, **arguments)[2]


@pytest.mark.parametrize("host", ["localhost:8501", "evil.example"])
def test_no_answer_may_be_framed_refusals_included(host):
    headers = ask(host)[1]
    assert headers[b"content-security-policy"] == b"frame-ancestors 'none'"
    assert headers[b"x-frame-options"] == b"DENY"
    own = ask("localhost:8501", path="/component/some.thing/index.html")[1]
    assert own[b"content-security-policy"] == b"frame-ancestors 'self'"


def test_the_owner_may_let_a_site_frame_it():
    headers = ask("localhost", allowed={"FLIPSIDE_FRAME_ANCESTORS": "self, https://huggingface.co"})[1]
    assert headers[b"content-security-policy"] == b"frame-ancestors 'self' https://huggingface.co"
    assert b"x-frame-options" not in headers


@pytest.mark.parametrize("said", ["'none'", "none", "'NONE'"])
def test_the_owner_may_say_that_no_site_frames_it(said):
    """It was refused as no origin."""
    for path in ("/", "/component/some.thing/index.html"):
        assert ask("localhost", path=path, allowed={"FLIPSIDE_FRAME_ANCESTORS": said}) == ask("localhost", path=path)


def test_none_stands_alone():
    with pytest.raises(UsageError, match="holds “none” beside others"):
        rules({"FLIPSIDE_FRAME_ANCESTORS": "'none' https://example.org"})


@pytest.mark.parametrize(("said", "told"), [("*", True), ("https://*", True), ("https://*.example.org", False)])
def test_that_every_site_may_frame_it_is_told_at_the_start(said, told):
    environment = {**os.environ, "FLIPSIDE_FRAME_ANCESTORS": said}
    code = "from pages.shared.server import front_door; front_door.middleware()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0
    assert (f"flipside: FLIPSIDE_FRAME_ANCESTORS holds {said}: every site may" in done.stderr) == told


@pytest.mark.parametrize(
    "wrong",
    [
        {"FLIPSIDE_HOSTS": "https://flip.example.org"}, {"FLIPSIDE_HOSTS": "*"}, {"FLIPSIDE_HOSTS": "a/b"},
        {"FLIPSIDE_FRAME_ANCESTORS": "https://a.example; script-src *"},
        {"FLIPSIDE_FRAME_ANCESTORS": "a.example\r\nX: y"},
    ],
)  # fmt: skip
def test_a_wrong_value_is_said_before_the_server_starts(wrong):
    with pytest.raises(UsageError, match="for example"):
        rules(wrong)
    environment = {**os.environ, **wrong}
    code = "from pages.shared.server import front_door; front_door.middleware()"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("flipside: FLIPSIDE_")
    assert "Traceback" not in done.stderr


def test_refusals_are_told_a_few_times_only(capsys):
    door = FrontDoor(lambda *_: None, Rules())
    for at in range(200):
        door._refusal({"type": "http", "method": "GET", "headers": [(b"host", f"evil{at}.example".encode())]})
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 20
    assert re.search(r"evil0\.example.*FLIPSIDE_HOSTS", said)


def test_a_bare_streamlit_run_listens_on_this_machine_only():
    server = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["server"]
    assert server["address"] == "localhost"


def test_the_door_stands_before_the_app():
    text = (ROOT / "app.py").read_text(encoding="utf-8")
    assert "middleware=[front_door.middleware()]" in text
