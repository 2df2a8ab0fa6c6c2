"""Which cluster an address means, and what is asked of its head before Ray is."""

import os
import re
import socket
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from backend.engine.cluster import connection, heads
from backend.errors import FlipsideError, UsageError


@pytest.mark.parametrize("address", ["auto", "local", "10.0.0.1:6379", "head.example:6379", "[::1]:6379"])
def test_addresses_that_are_taken(address):
    heads.refuse_address(address)


@pytest.mark.parametrize(
    "address", ["", "head", "head:", ":6379", "head:port", "http", "head:99999", "head:0", "http://head:6379"]
)
def test_addresses_that_are_none(address):
    with pytest.raises(UsageError, match="expected auto"):
        heads.refuse_address(address)


def test_rays_client_is_refused_with_what_to_do():
    with pytest.raises(UsageError, match="ray job submit"):
        heads.refuse_address("ray://head:10001")


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
    assert str(heads.current()) == utils.get_ray_address_file(None)
    for name in "TMPDIR", "RAY_TMPDIR":  # the second counts before the first
        monkeypatch.setenv(name, str(tmp_path / name))
        assert str(heads.current()) == utils.get_ray_address_file(None)
        assert heads.current().parts[-3:] == (name, "ray", "ray_current_cluster")


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
        heads.refuse_others(at, heads.head_of(at))
    heads.refuse_others("local", heads.head_of("local"))


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
    monkeypatch.setattr(heads, "ANSWERS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        at = f"127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(FlipsideError, match=f"--ray {at}: no cluster answers .{at}: what listens there says"):
            enter(at)


def test_a_reason_that_ends_in_a_full_stop_ends_in_one() -> None:
    said = str(heads.no_cluster("auto", "It timed out."))
    assert "(It timed out)." in said
    assert ".)" not in said


def test_what_is_no_name_of_a_machine_is_a_sentence(monkeypatch):
    monkeypatch.setattr(connection, "ray", lambda: pytest.fail("Ray was asked"))
    with pytest.raises(FlipsideError, match="no cluster answers"):
        enter("a" * 70 + ":6379")


@pytest.mark.parametrize("said", ["\ufffd garbage", "", "head", "head:0"])
def test_a_file_that_holds_no_address_is_named(said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    file = tmp_path / "ray" / "ray_current_cluster"
    file.parent.mkdir()
    file.write_text(said, encoding="utf-8")
    with pytest.raises(FlipsideError, match=re.escape(f"--ray auto: {file} should hold HOST:PORT")):
        enter("auto")


class Library:
    """What of Ray is asked: the heads that run on this machine, and one of them, which wants a token."""

    class exceptions:  # noqa: N801 - as it is called there
        AuthenticationError, RayError = PermissionError, ConnectionError

    def __init__(self, *running: str) -> None:
        self.asked: list[str] = []
        self._private = SimpleNamespace(services=SimpleNamespace(find_gcs_addresses=lambda: set(running)))
        self._raylet = SimpleNamespace(InnerGcsClient=SimpleNamespace(standalone=self._standalone))

    def _standalone(self, head: str, *_: object) -> None:
        self.asked.append(head)
        raise PermissionError

    def is_initialized(self) -> bool:
        return False


def test_auto_says_of_the_one_that_runs_here_that_it_wants_a_token(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Beside a cluster that another command had begun for itself it said after 22 seconds that none answers."""
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    library = Library("10.0.0.1:6379")
    monkeypatch.setattr(connection, "ray", lambda: library)
    with pytest.raises(FlipsideError, match=r"auto: the cluster at 10\.0\.0\.1:6379 takes work only with its token"):
        enter("auto")
    assert library.asked == ["10.0.0.1:6379"]
    several = Library("10.0.0.1:6379", "10.0.0.1:6380")
    monkeypatch.setattr(connection, "ray", lambda: several)
    with pytest.raises(FlipsideError, match=r"2 clusters run here\. Name one: --ray \S+:6379 or \S+:6380"):
        enter("auto")
    assert heads.running_here(Library()) is None
    assert heads.running_here(SimpleNamespace(_private=SimpleNamespace())) is None  # another version of Ray


@pytest.mark.parametrize("error", [OSError("path too long"), Exception("timed out during startup.")])
def test_a_cluster_that_cannot_be_begun_is_a_sentence_about_its_folder(
    error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder of a long path, or on a full disk, was said to be a fault of the program."""
    library = Library()

    def init(**_: object) -> None:
        raise error

    library.init = init  # type: ignore[attr-defined]
    monkeypatch.setattr(connection, "ray", lambda: library)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.setenv("RAY_AUTH_MODE", "token")  # else it is set for the whole process
    said = re.escape(f"--ray local: no cluster could be begun ({str(error).rstrip('.')}). Its folder, {tmp_path}/ray,")
    with pytest.raises(FlipsideError, match=said):
        enter("local")


@pytest.mark.parametrize("said", ["local", "ray://127.0.0.1:10001", "http://127.0.0.1:8265", "head"])
def test_what_the_environment_says_is_judged_as_an_address(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", said)
    with pytest.raises(UsageError, match=f"RAY_ADDRESS is '{re.escape(said)}', and should be HOST:PORT"):
        enter("auto")


def test_a_token_that_ray_has_made_for_this_machine_is_taken_along(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A cluster of a notebook's plain `ray.init()` was said to want a token that this process does not have."""
    for name in connection.AUTHENTICATION:
        monkeypatch.setenv(name, "")  # so that it is as before afterwards, whatever is set meanwhile
        monkeypatch.delenv(name)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    monkeypatch.setattr(connection, "TOKEN", tmp_path / "auth_token")
    modes: list[str | None] = []

    class Notebook(Library):
        def _standalone(self, head: str, *_: object) -> None:
            modes.append(os.environ.get("RAY_AUTH_MODE"))
            raise PermissionError

    monkeypatch.setattr(connection, "ray", lambda: Notebook("10.0.0.1:6379"))
    for _ in range(2):
        with pytest.raises(FlipsideError, match="only with its token"):
            enter("auto")
        (tmp_path / "auth_token").write_text("a" * 64, encoding="utf-8")
    assert modes == [None, "token"]
    monkeypatch.delenv("RAY_AUTH_MODE")
    server, at = listening(bytes((0, 0, 0, 4, 0, 0, 0, 0, 0)))
    monkeypatch.setenv("RAY_ADDRESS", at)  # another's cluster, perhaps: Ray offers it no token of this machine
    with server, pytest.raises(FlipsideError, match="only with its token"):
        enter("auto")
    assert modes == [None, "token", None]


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), RuntimeError("no home directory")])
def test_a_home_that_cannot_be_looked_into_has_no_token(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def expanduser(_: Path) -> Path:
        raise error

    monkeypatch.setattr(Path, "expanduser", expanduser)
    assert connection._has_token() is False
