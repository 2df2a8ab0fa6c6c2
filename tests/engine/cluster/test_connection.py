import builtins
import socket
import threading

import pytest

from backend.engine.cluster import connection
from backend.errors import FlipsideError, UsageError


@pytest.mark.parametrize("address", ["auto", "local", "10.0.0.1:6379", "head.example:6379", "[::1]:6379"])
def test_addresses_that_are_taken(address):
    connection.refuse_address(address)


@pytest.mark.parametrize(
    "address", ["", "head", "head:", ":6379", "head:port", "http", "head:99999", "head:0", "http://head:6379"]
)
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
    with pytest.raises(FlipsideError, match=r"pip install 'flipside\[ray\] @ file:"):
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
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text(f"127.0.0.1:{port}\n")  # of a cluster that has ended
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    with pytest.raises(FlipsideError, match=rf"--ray auto: no cluster answers .127.0.0.1:{port}: "):
        enter("auto")


def test_the_clusters_address_is_read_where_ray_notes_it(monkeypatch, tmp_path):
    utils = pytest.importorskip("ray._common.utils")
    for name in "RAY_TMPDIR", "TMPDIR":
        monkeypatch.delenv(name, raising=False)
    assert str(connection._current()) == utils.get_ray_address_file(None)
    for name in "TMPDIR", "RAY_TMPDIR":  # the second counts before the first
        monkeypatch.setenv(name, str(tmp_path / name))
        assert str(connection._current()) == utils.get_ray_address_file(None)
        assert connection._current().parts[-3:] == (name, "ray", "ray_current_cluster")


def listening(answer: bytes) -> tuple[socket.socket, str]:
    """A server that takes one connection, hears it out and answers so; its address."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with server.accept()[0] as line:
            line.recv(4096)
            line.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    return server, f"127.0.0.1:{server.getsockname()[1]}"


def test_a_head_that_speaks_as_heads_do_is_asked() -> None:
    server, at = listening(bytes((0, 0, 6, 4, 0, 0, 0, 0, 0)) + bytes(6))
    with server:
        connection._refuse_others(at, connection._head(at))
    connection._refuse_others("local", connection._head("local"))


@pytest.mark.parametrize("answer", [b"HTTP/1.0 505 HTTP Version Not Supported\r\n", b"", bytes((0, 0, 0, 7, 0))])
def test_where_something_else_listens_ray_is_not_asked(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """It printed lines of its own for 20 seconds, and the sentence after them ended in two full stops."""
    monkeypatch.setattr(connection, "ray", lambda: pytest.fail("Ray was asked"))
    server, at = listening(answer)
    with server, pytest.raises(FlipsideError, match=f"--ray {at}: no cluster answers .{at}: something else") as said:
        enter(at)
    assert ".)" not in str(said.value)


def test_what_listens_and_says_nothing_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "ray", lambda: pytest.fail("Ray was asked"))
    monkeypatch.setattr(connection, "ANSWERS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        at = f"127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(FlipsideError, match=f"--ray {at}: no cluster answers .{at}: what listens there says"):
            enter(at)


def test_a_reason_that_ends_in_a_full_stop_ends_in_one() -> None:
    said = str(connection._no_cluster("auto", "It timed out."))
    assert "(It timed out)." in said
    assert ".)" not in said


def test_what_is_no_name_of_a_machine_is_a_sentence(monkeypatch):
    monkeypatch.setattr(connection, "ray", lambda: pytest.fail("Ray was asked"))
    with pytest.raises(FlipsideError, match="no cluster answers"):
        enter("a" * 70 + ":6379")
