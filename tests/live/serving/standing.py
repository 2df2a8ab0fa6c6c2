"""A live backend without Ray: the same door and the same service, in threads of the test."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import uvicorn

from backend.live.remote.address import Backend
from backend.live.remote.client import Client
from backend.live.serving import places
from backend.live.serving.door import Door
from backend.live.serving.service import OK, Reply, Service
from backend.models import Model, load

TOKEN = "0123456789abcdef" * 2
OFFERED = ("fake:ok", "fake:pairwise", "fake:raise", "fake:nan", "fake:ok/itc,t2t")


class Direct:
    """Asks the service without batches."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def ask(self, data: bytes) -> Reply:
        return await asyncio.to_thread(self._ask, data)

    async def open(self, data: bytes) -> Reply:
        return await asyncio.to_thread(self.service.opened, data)

    async def state(self) -> Reply:
        return OK, json.dumps(self.service.state()).encode()

    def _ask(self, data: bytes) -> Reply:
        try:
            question = self.service.read(data)
        except Exception as error:  # noqa: BLE001 - as a replica does
            return self.service.failed(error)
        [(found, loaded)] = self.service.answers(question.spec, [question.call])
        return self.service.written(question, found, loaded)


@contextmanager
def standing(
    offered: Sequence[str] = OFFERED,
    limit: int = 2_000_000,
    loader: Callable[[str], Model] = load,
    port: int = 0,
    **more: Any,
) -> Iterator[tuple[str, Service]]:
    """(address, service) as long as the block lasts. more: of `places.settings`, and `limit_concurrency`."""
    places_at_once = more.pop("limit_concurrency", None)
    service = Service(offered, limit, loader=loader)
    config = uvicorn.Config(
        Door(Direct(service), TOKEN, limit),
        port=port,
        log_level="error",
        lifespan="off",
        ws="none",
        limit_concurrency=places_at_once,
        **places.settings(**more),
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        threading.Event().wait(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", service
    finally:
        server.should_exit = True
        thread.join(20)


def client(address: str, **more: Any) -> Client:
    """Who knows the token."""
    return Client(Backend(address, more.pop("token", TOKEN), **more))


@contextmanager
def answering(status: int, content: bytes, headers: dict[str, str] | None = None) -> Iterator[tuple[str, list[Any]]]:
    """A server that answers everything so, and what it was asked."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append((self.path, dict(self.headers)))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join(20)
        server.server_close()
