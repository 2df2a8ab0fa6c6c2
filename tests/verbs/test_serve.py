import socket

import pytest

from backend.live.remote import address
from backend.live.serving import running

TOKEN = "0123456789abcdef" * 2


@pytest.fixture(autouse=True)
def given(monkeypatch):
    monkeypatch.setenv(address.TOKEN, TOKEN)


def test_it_does_not_start_without_a_token(flipside, monkeypatch):
    monkeypatch.delenv(address.TOKEN)
    answer = flipside("serve")
    assert answer.code == 2
    assert "FLIPSIDE_BACKEND_TOKEN is not set" in answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "80"], "port 80 cannot be used"),
        (["--memory", "much"], "--memory=much: expected a size"),
        (["--limit", "1kB"], "--limit=1kB: expected a size from 1MB"),
        (["--limit", "0"], "--limit=0: expected a size"),
        (["--limit", "much"], "--limit=much: expected a size"),
        (["--models", "nothing"], "has no prefix"),
        (["--ray", "somewhere"], "expected auto"),
    ],
)
def test_wrong_use_is_said_before_anything_starts(flipside, monkeypatch, words, said):
    monkeypatch.setattr(running, "connected", lambda _: pytest.fail("Ray was started"))
    answer = flipside("serve", *words)
    assert answer.code == 2
    assert said in answer.err
    assert TOKEN not in answer.err


def test_a_port_that_is_taken_is_a_sentence(flipside, monkeypatch):
    monkeypatch.setattr(running, "connected", lambda _: pytest.fail("Ray was started"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        answer = flipside("serve", "--port", str(taken.getsockname()[1]))
    assert answer.code == 1
    assert "cannot be listened on" in answer.err


def test_what_it_is_told_arrives_and_nothing_that_it_starts_knows_the_token(flipside, monkeypatch):
    import os

    told = []
    monkeypatch.setenv(address.ADDRESS, "http://127.0.0.1:1")
    monkeypatch.setattr(
        running, "run", lambda how, token, ready: (told.append((how, token, dict(os.environ))), ready())
    )
    words = [
        "--models",
        "fake:ok,bundled:clip",
        "--port",
        "8800",
        "--memory",
        "2GB",
        "--limit",
        "5MB",
        "--host",
        "192.0.2.1",
    ]
    answer = flipside("serve", *words)
    assert answer.code == 0, answer.err
    [(how, token, environment)] = told
    assert (how.port, how.host, how.memory, how.limit, how.ray) == (8800, "192.0.2.1", 2 * 10**9, 5 * 10**6, "local")
    assert how.offered[-1] == "fake:ok"
    assert how.offered.count("bundled:clip") == 1
    assert token == TOKEN
    assert address.TOKEN not in environment
    assert address.ADDRESS not in environment
    assert "Without TLS everybody on the way reads the token" in answer.err
    assert TOKEN not in answer.err + answer.out
