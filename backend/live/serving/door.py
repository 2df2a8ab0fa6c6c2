"""Who may ask a live backend, and how much: an ASGI application before everything that costs memory or time.

    GET  /health     without a token: 200 while the process lives; for proxies and supervisors
    GET  /v1/state   what is offered and loaded, as JSON
    POST /v1/open    load a model
    POST /v1/ask     a question (backend/live/remote/wire.py)

Whoever has no token learns nothing, their bodies are not read, and they are hung up on after each answer; those who ask
nothing are hung up on by `places`.
"""

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, Protocol

from backend.live.remote.wire import MEDIA
from backend.live.serving.service import OK, TOO_LARGE, Reply, problem

#: Seconds in which a body has to be here, and those after which an answer is given up.
BODY, ANSWER = 60.0, 600.0
#: Bytes of a question that brings no arrays.
SMALL: Final = 1_000_000
#: HTTP's word for what did not come in time.
LATE: Final = 504

log = logging.getLogger(__name__)
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Asked(Protocol):
    """What stands behind the door."""

    async def ask(self, data: bytes) -> Reply: ...
    async def open(self, data: bytes) -> Reply: ...
    async def state(self) -> Reply: ...


class _TooLargeError(Exception):
    pass


class Door:
    """The application. token: what a caller has to bring. limit: bytes of a body."""

    def __init__(self, behind: Asked, token: str, limit: int) -> None:
        self.behind, self.limit = behind, limit
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        status, content = await self._answer(scope, receive)
        kind = MEDIA if scope["path"] == "/v1/ask" and status == OK else "application/json"
        headers = [
            (b"content-type", kind.encode()), (b"content-length", str(len(content)).encode()),
            (b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"),
        ]  # fmt: skip
        if status in (401, TOO_LARGE, LATE) or scope["path"] == "/health":
            headers.append((b"connection", b"close"))  # what was not read is not read later either
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def _answer(self, scope: Scope, receive: Receive) -> Reply:
        way = scope["method"], scope["path"]
        if way == ("GET", "/health"):
            return OK, b'{"ok": true}'
        headers = dict(scope["headers"])
        if not hmac.compare_digest(headers.get(b"authorization", b""), self._expected):
            return 401, problem("the token is not the one that this backend was started with")
        try:
            async with asyncio.timeout(ANSWER):
                if way == ("GET", "/v1/state"):
                    return await self.behind.state()
                if way == ("POST", "/v1/open"):
                    return await self.behind.open(await _body(headers, receive, SMALL))
                if way == ("POST", "/v1/ask"):
                    return await self.behind.ask(await _body(headers, receive, self.limit))
        except _TooLargeError:
            if way[1] != "/v1/ask":
                return TOO_LARGE, problem(f"it has more than {SMALL / 1e6:g} MB, and names a model alone")
            return TOO_LARGE, problem(
                f"it has more than {self.limit / 1e6:g} MB; the owner sets the limit by flipside serve --limit"
            )
        except TimeoutError:
            return LATE, problem("it takes too long")
        except ConnectionError:
            return 400, problem("the question broke off")
        except Exception:
            log.exception("%s %s", *way)
            return 503, problem("its models are being started again; the log has the details")
        return 404, problem("there is nothing under this address")


async def _body(headers: dict[bytes, bytes], receive: Receive, most: int) -> bytes:
    """The whole body. _TooLargeError as soon as it is known to be larger, TimeoutError where it does not come."""
    said = headers.get(b"content-length", b"")
    if said.isdigit() and int(said) > most:
        raise _TooLargeError
    parts, size = [], 0
    async with asyncio.timeout(BODY):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most:
                raise _TooLargeError
            if not message.get("more_body"):
                return b"".join(parts)
