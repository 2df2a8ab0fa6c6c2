"""Reaching a Ray cluster: `--ray ADDRESS`, and what its machines offer."""

import logging
import os
import secrets
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any, TextIO, cast

from backend import extras, paths
from backend.engine.cluster import heads
from backend.engine.cluster.heads import AUTO, LOCAL, no_cluster, refuse_address
from backend.engine.cluster.places import Node
from backend.errors import FlipsideError

INSTALL = extras.install("ray")
#: How an owner says who may send work to a cluster.
AUTHENTICATION = {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"}
#: Where Ray keeps a token that it has made itself, for a cluster of `ray.init()`.
TOKEN = Path("~/.ray/auth_token")


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
    head = heads.head_of(address)
    if address == AUTO and not heads.named() and not AUTHENTICATION & os.environ.keys() and _has_token():
        os.environ["RAY_AUTH_MODE"] = "token"  # as Ray itself does, only where no address is named
    heads.refuse_others(address, head)
    library = ray()
    if library.is_initialized():
        yield Cluster(library, address)
        return
    if address == AUTO and head is None:
        head = heads.running_here(library)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    heads.ask(library, address, head)
    how: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "runtime_env": _environment()}
    if address == LOCAL:
        how |= {"include_dashboard": False}
    try:
        # Asked for "auto", Ray takes any cluster that it sees on this machine, before the one that is noted.
        told = library.init(address=head or address, **how)
    except Exception as error:  # that itself is raised by Ray, where what it begins is not there in time
        said = " ".join(str(error).split())[:300]
        raise (_not_begun(said) if address == LOCAL else no_cluster(address, said)) from error
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


def _has_token() -> bool:
    """Whether Ray has made a token of its own for this user."""
    try:
        return TOKEN.expanduser().is_file()
    except (OSError, RuntimeError):  # a home that may not be looked into, or a user without one
        return False


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


def _not_begun(said: str) -> FlipsideError:
    return FlipsideError(
        f"--ray {LOCAL}: no cluster could be begun ({said.rstrip('.')}). Its folder, {heads.current().parent}, has to "
        "be one that can be written, with room on its disk and a short path (RAY_TMPDIR names another one); where it "
        "is, Ray's logs in it may say more."
    )


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
