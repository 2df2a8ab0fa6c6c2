"""Start a live backend, and end it: Ray, Ray Serve on it, and the door before both."""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from backend.engine.cluster.connection import INSTALL, Cluster, connected
from backend.engine.cluster.heads import LOCAL
from backend.errors import FlipsideError
from backend.live.serving.door import Door
from backend.live.serving.replica import ONGOING, Replica
from backend.live.serving.service import Reply

NAME: Final = "flipside-live"
#: Requests at the door at most, and seconds in which those that are under way may end.
CONNECTIONS, GRACE = 256, 10


@dataclass(frozen=True)
class How:
    """What `flipside serve` is told. offered: specs. memory: bytes, None for half of the machine's. ray: as for
    `connected`."""

    offered: Sequence[str]
    host: str
    port: int
    limit: int
    memory: int | None = None
    ray: str = LOCAL


class _Behind:
    """The replicas, as the door asks them."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    async def ask(self, data: bytes) -> Reply:
        return _reply(await self._handle.ask.remote(data))

    async def open(self, data: bytes) -> Reply:
        return _reply(await self._handle.open.remote(data))

    async def state(self) -> Reply:
        return _reply(await self._handle.state.remote())


def _reply(found: Any) -> Reply:
    return int(found[0]), bytes(found[1])


def run(how: How, token: str, ready: Callable[[], object]) -> None:
    """Serve until SIGINT or SIGTERM. ready: called as soon as questions are answered.

    The token stays in this process: Ray's own never see it. FlipsideError where the port is taken, or Ray does not
    start.
    """
    with _listening(how.host, how.port) as listener, connected(how.ray) as cluster:
        handle = _deployed(cluster, how)
        try:
            asyncio.run(_serve(Door(_Behind(handle), token, how.limit), listener, ready))
        finally:
            _ended(how)


def _deployed(cluster: Cluster, how: How) -> Any:
    serve: Any = _ray_serve()
    has_gpu = any(node.gpus >= 1 for node in cluster.nodes())
    made = serve.deployment(Replica).options(
        name="models", max_ongoing_requests=ONGOING, ray_actor_options={"num_cpus": 1, "num_gpus": int(has_gpu)},
        graceful_shutdown_timeout_s=GRACE,
    )  # fmt: skip
    # Serve's own door is not opened: it knows no token, and no limit.
    logging.getLogger("ray.serve").setLevel(logging.WARNING)
    serve.start(http_options={"location": "NoServer"}, logging_config={"log_level": "WARNING"})
    return serve.run(made.bind(tuple(how.offered), how.limit, how.memory), name=NAME, route_prefix=None)


def _ended(how: How) -> None:
    if how.ray != LOCAL:  # one of this machine alone ends with this process; on another one others may serve, too
        _ray_serve().delete(NAME)


def _ray_serve() -> Any:
    """The library. FlipsideError where ray was installed without it."""
    try:
        from ray import serve
    except ImportError as error:
        raise FlipsideError(f"flipside serve needs Ray Serve ({error}). Install it: {INSTALL}") from None
    return serve


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """The port, taken before anything else is started."""
    try:
        where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(where[0], socket.SOCK_STREAM)
    except OSError as error:
        raise FlipsideError(f"--host {host} is no address of this machine ({error.strerror}).") from None
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(where[4])
            listener.listen(CONNECTIONS)
        except OSError as error:
            raise FlipsideError(
                f"{host}:{port} cannot be listened on ({error.strerror}). Choose another with --port or --host."
            ) from None
        yield listener


async def _serve(door: Door, listener: socket.socket, ready: Callable[[], object]) -> None:
    import uvicorn

    from backend.live.serving import places

    config = uvicorn.Config(
        door, log_level="warning", access_log=False, server_header=False, limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=GRACE, lifespan="off", ws="none", **places.settings(),
    )  # fmt: skip

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Both signals end it in good order, and are not raised again afterwards."""
            before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
            for number in before:
                signal.signal(number, self.handle_exit)
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, signal.SIG_DFL if handler is None else handler)

    server = Server(config)

    async def tell() -> None:
        while not server.started:
            await asyncio.sleep(0.05)
        ready()

    telling = asyncio.create_task(tell())
    try:
        await server.serve(sockets=[listener])
    finally:
        telling.cancel()
