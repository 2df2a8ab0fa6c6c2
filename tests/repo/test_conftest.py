"""The guards themselves."""

import socket
import subprocess
import sys

import pytest


def test_a_connection_to_the_outside_is_refused():
    with socket.socket() as outside, pytest.raises(RuntimeError, match="loopback only"):
        outside.connect(("192.0.2.1", 80))


def test_loopback_is_allowed():
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        client.connect(server.getsockname())


def test_each_test_has_its_own_cache(flipside_cache):
    from backend.paths import cache_dir

    assert cache_dir() == flipside_cache
    assert not list(flipside_cache.iterdir())


def test_a_child_process_inherits_the_cache(flipside_cache):
    code = "from backend.paths import cache_dir; print(cache_dir())"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == str(flipside_cache)
