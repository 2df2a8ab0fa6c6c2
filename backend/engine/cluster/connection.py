"""Reaching a Ray cluster: `--ray ADDRESS`, and what its machines offer."""

import logging
import os
import re
import secrets
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any, TextIO, cast

from backend import extras, paths
from backend.engine.cluster.places import Node
from backend.errors import FlipsideError, UsageError

INSTALL = extras.install("ray")
FORMS = (
    "auto (the cluster that this machine belongs to), HOST:PORT of its head, or local (a cluster of this machine "
    "alone, that ends with the command)"
)
LOCAL = "local"
#: Seconds in which a head has to take a connection.
ANSWERS = 10.0
#: How a client of gRPC, which a head speaks, greets (HTTP/2: its preface and an empty frame of settings); the answer is
#: such a frame, too: 9 bytes before what it holds, the fourth its kind.
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_FRAME, _SETTINGS = 9, bytes((4, 0))
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")
#: How an owner says who may send work to a cluster.
AUTHENTICATION = {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"}


def ray() -> Any:
    """The library. FlipsideError, with the command that installs it, where it is not there."""
    # It would tell its makers of each cluster, and draw bars of its own below ours.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # its warning of a change that does not touch us
    os.environ.setdefault("RAY_DATA_DISABLE_PROGRESS_BARS", "1")
    try:
        import ray as library
        import ray.data
    except ImportError as error:
        raise FlipsideError(f"--ray needs the package ray ({error}). Install it: {INSTALL}") from None
    return library


def refuse_address(address: str) -> None:
    """UsageError for what is no address that `connected` takes."""
    if address.startswith("ray://"):
        raise UsageError(
            f"--ray {address}: Ray's client is not used, for scores would pass through one more process. Start the "
            "command on a machine of the cluster with --ray auto, or through `ray job submit -- flipside run --ray "
            "auto …`."
        )
    host, _, port = address.rpartition(":")
    if address not in ("auto", LOCAL) and not (_HOST.fullmatch(host) and port.isdecimal() and 0 < int(port) < 65536):
        raise UsageError(f"--ray {address}: expected {FORMS}.")


@contextmanager
def on_cluster(address: str | None) -> Iterator["Cluster | None"]:
    """What `--ray` says: `connected`, or None without it."""
    if address is None:
        yield None
        return
    with connected(address) as cluster:
        yield cluster


@contextmanager
def connected(address: str) -> Iterator["Cluster"]:
    """A cluster as long as the block lasts; what still works for it is ended then. FlipsideError where none is."""
    refuse_address(address)
    if address == LOCAL and not AUTHENTICATION & os.environ.keys():
        # Ray listens on the network for whoever sends it work; here only processes of this command may.
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    head = _head(address)
    _refuse_others(address, head)
    library = ray()
    if library.is_initialized():
        yield Cluster(library, address)
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    _ask(library, address, head)
    how: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "runtime_env": _environment()}
    if address == LOCAL:
        how |= {"include_dashboard": False}
    try:
        told = library.init(address=address, **how)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        said = " ".join(str(error).split())[:300]
        raise _no_cluster(address, said) from None
    finally:
        _put_back(handlers)
    failed = False
    try:
        with _its_words_to_stderr():
            yield Cluster(library, address)
    except FlipsideError:
        failed = True
        raise
    finally:
        with redirect_stdout(sys.stderr):  # it says now what it held back, lest it said it twice
            library.shutdown()
        _put_back(handlers)
        if address == LOCAL and not failed:  # else Ray's logs may tell why
            _clear_away(told.address_info.get("session_dir"))


def _clear_away(session: str | None) -> None:
    """Remove what Ray leaves of a cluster that has ended: some megabytes of logs and sockets each time."""
    if session is None:
        return
    folder = Path(session)
    shutil.rmtree(folder, ignore_errors=True)
    latest = folder.parent / "session_latest"
    with suppress(OSError):
        if latest.is_symlink() and not latest.exists():
            latest.unlink()


def _no_cluster(address: str, said: str) -> FlipsideError:
    return FlipsideError(
        f"--ray {address}: no cluster answers ({said.rstrip('.')}). `ray start --head` begins one, `ray start "
        "--address HOST:PORT` adds a machine to it, `ray status` shows it."
    )


def _head(address: str) -> str | None:
    """HOST:PORT of the head that an address leads to; None where Ray itself has to find or to begin one."""
    head = address
    if address == "auto":  # where Ray looks for it
        head = os.environ.get("RAY_ADDRESS", "")
        if not head and (noted := _current()).is_file():
            head = noted.read_text(encoding="utf-8", errors="replace").strip()
    port = head.rpartition(":")[2]
    return None if address == LOCAL or not port.isdecimal() or int(port) > 65535 else head


def _current() -> Path:
    """The file in which `ray start` notes the address of the cluster that this machine belongs to."""
    places = ["RAY_TMPDIR", "TMPDIR"] if sys.platform.startswith("linux") else ["RAY_TMPDIR"]
    named = [os.environ[name] for name in places if name in os.environ]
    # What it holds is only connected to.
    return Path(named[0] if named else "/tmp", "ray", "ray_current_cluster")  # noqa: S108 - Ray's own place


def _refuse_others(address: str, head: str | None) -> None:
    """FlipsideError where nobody listens at a head's address, or something else than a head does: Ray would ask again
    for minutes, deaf to Ctrl-C, and print lines of its own."""
    if head is None:
        return
    host, _, port = head.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWERS) as line:
            if "RAY_USE_TLS" in os.environ:  # then it is not greeted so
                return
            line.settimeout(ANSWERS)
            line.sendall(GREETING)
            answer = line.makefile("rb").read(_FRAME)
    except TimeoutError:
        raise _no_cluster(address, f"{head}: what listens there says nothing") from None
    except (OSError, UnicodeError) as error:  # what is no name of a machine is refused before it is looked up
        raise _no_cluster(address, f"{head}: {getattr(error, 'strerror', None) or error}") from None
    if answer[3:5] != _SETTINGS:
        raise _no_cluster(address, f"{head}: something else than the head of a Ray cluster listens there")


def _ask(library: Any, address: str, head: str | None) -> None:
    """FlipsideError where a head wants another token, or is none: Ray would ask again for 20 seconds and say that it is
    not there, or for minutes."""
    if head is None:
        return
    # What `ray health-check` asks; nothing that is public says why a head refuses. Where another version lacks it,
    # `init` says what it says.
    client = getattr(library._raylet, "InnerGcsClient", None)
    if client is None:
        return
    try:
        client.standalone(head, None, int(1000 * ANSWERS))
    except library.exceptions.AuthenticationError:
        raise FlipsideError(
            f"--ray {address}: the cluster at {head} takes work only with its token, which this process does not have. "
            "Set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN (or RAY_AUTH_TOKEN_PATH) as on its machines."
        ) from None
    except library.exceptions.RayError as error:
        raise _no_cluster(address, f"{head}: {error}") from None


@contextmanager
def _its_words_to_stderr() -> Iterator[None]:
    """Ray prints what becomes of its processes ("a worker died") to stdout, from threads of its own, and stdout is this
    command's answer: what other threads print goes to stderr."""
    before = sys.stdout
    sys.stdout = cast("TextIO", _OneThread(before, threading.get_ident()))
    try:
        yield
    finally:
        sys.stdout = before


class _OneThread:
    """A stream for one thread; what others write goes to stderr."""

    def __init__(self, stream: TextIO, thread: int) -> None:
        self._stream, self._thread = stream, thread

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream if threading.get_ident() == self._thread else sys.stderr, name)


def _environment() -> dict[str, Any]:
    """What processes of the cluster need to find this program and its cache; they may lie under the same paths there.
    Nothing secret: Ray shows it."""
    found = {"PYTHONPATH": os.pathsep.join(filter(None, [str(paths.ROOT), os.environ.get("PYTHONPATH")]))}
    cache = os.environ.get("FLIPSIDE_CACHE")
    return {"env_vars": found | ({"FLIPSIDE_CACHE": cache} if cache else {})}


def _put_back(handlers: dict[signal.Signals, Any]) -> None:
    """Ray answers signals itself from its start on; here Ctrl-C and SIGTERM commit what is scored (interrupt.py)."""
    if threading.current_thread() is threading.main_thread():
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


class Cluster:
    """A cluster that this process is connected to."""

    def __init__(self, library: Any, address: str) -> None:
        """library: the package ray."""
        self.ray, self.address = library, address
        self.looked_at: Any = None  # the model that one of its machines holds for this process, at most one

    def nodes(self) -> list[Node]:
        """Its living machines, as they tell Ray."""
        return [
            Node(
                id=str(said["NodeID"]),
                cpus=float(said["Resources"].get("CPU", 0)),
                gpus=float(said["Resources"].get("GPU", 0)),
                memory=int(said["Resources"].get("memory", 0)),
                accelerator=str((said.get("Labels") or {}).get("ray.io/accelerator-type", "")),
            )
            for said in self.ray.nodes()
            if said["Alive"]
        ]

    def here(self) -> Any:
        """The scheduling strategy of what has to stand on this machine, and end when it does."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as On

        return On(self.ray.get_runtime_context().get_node_id(), soft=False)

    def on(self, node: Node) -> Any:
        """The scheduling strategy of what should stand on a machine."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as On

        return On(node.id, soft=True)
