import builtins
import socket
import threading

import pytest

from backend.engine.cluster import connection
from backend.errors import FlipsideError, UsageError


@pytest.mark.parametrize("address", ["auto", "local", "10.0.0.1:6379", "head.example:6379"])
def test_addresses_that_are_taken(address):
    connection.refuse_address(address)


@pytest.mark.parametrize("address", ["", "head", "head:", ":6379", "head:port", "http"])
def test_addresses_that_are_none(address):
    with pytest.raises(UsageError, match="expected auto"):
        connection.refuse_address(address)


def test_rays_client_is_refused_with_what_to_do():
    with pytest.raises(UsageError, match="ray job submit"):
        connection.refuse_address("ray://head:10001")


def test_without_the_package_the_command_that_installs_it_is_said(monkeypatch):
    original = builtins.__import__

    def without(name, *rest, **more):
        if name.partition(".")[0] == "ray":
            raise ImportError("No module named 'ray'")
        return original(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FlipsideError, match=r"pip install 'flipside\[ray\]'"):
        connection.ray()


def test_nothing_is_connected_without_an_address():
    with connection.on_cluster(None) as cluster:
        assert cluster is None


def test_what_other_threads_print_is_no_part_of_the_answer(capsys):
    with connection._its_words_to_stderr():
        other = threading.Thread(target=print, args=("(raylet) a worker died",))
        other.start()
        other.join()
        print('{"scores": 3}')  # noqa: T201 - it is printing that is tested
    assert capsys.readouterr() == ('{"scores": 3}\n', "(raylet) a worker died\n")
    print("afterwards")  # noqa: T201
    assert capsys.readouterr().out == "afterwards\n"


def enter(address):
    with connection.connected(address):
        pass


def test_an_address_where_nobody_listens_is_one_sentence_at_once(monkeypatch, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    monkeypatch.setattr(connection, "ray", lambda: pytest.fail("Ray was asked"))
    with pytest.raises(FlipsideError, match=rf"--ray 127.0.0.1:{port}: no cluster answers .*Connection refused"):
        enter(f"127.0.0.1:{port}")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(connection, "CURRENT", tmp_path / "current")
    (tmp_path / "current").write_text(f"127.0.0.1:{port}\n")  # of a cluster that has ended
    with pytest.raises(FlipsideError, match=rf"--ray auto: no cluster answers .127.0.0.1:{port}: "):
        enter("auto")


def test_a_head_that_takes_connections_is_asked(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as head:
        at = f"127.0.0.1:{head.getsockname()[1]}"
        connection._refuse_silence(at, connection._head(at))
    connection._refuse_silence("local", connection._head("local"))


def test_what_is_no_name_of_a_machine_is_a_sentence(monkeypatch):
    monkeypatch.setattr(connection, "ray", lambda: pytest.fail("Ray was asked"))
    with pytest.raises(FlipsideError, match="no cluster answers"):
        enter("a" * 70 + ":6379")
