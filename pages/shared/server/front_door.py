"""Who may talk to the dashboard's server, and who may frame its pages: one person on this machine, unless its owner
opens it (`backend.live.hosts`). docs/security.md says what this keeps out.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend import environment as owners
from backend.errors import UsageError
from backend.live.hosts import HOSTS, Address, Rules, address, remark, rules
from backend.live.remote import address as live_backend

#: Requests that change nothing; browsers leave Origin out of them. All others, and websockets, have to have one.
_READS: Final = ("GET", "HEAD", "OPTIONS")
_PORTS: Final = {"http": 80, "https": 443}
#: Refusals that are told on standard error: a stranger cannot fill a disk with them.
_TOLD: Final = 20

_OTHER_HOST: Final = (
    "This Flipside answers on localhost only. Open it by http://localhost and its port; or, to serve it by another "
    f"name through a proxy, start it with {HOSTS}=that.name (docs/security.md).\n"
)
_OTHER_ORIGIN: Final = (
    "Another site's page asked for this, so it was refused. Behind a proxy: pass the Host header on unchanged, send "
    f"X-Forwarded-Proto, and name the host in {HOSTS} (docs/security.md).\n"
)


@dataclass
class FrontDoor:
    """ASGI middleware: refuses other hosts' and other sites' requests, HTTP and websocket, before anything reads them,
    and says on every answer who may frame it."""

    app: ASGIApp
    rules: Rules = field(default_factory=Rules)
    _told: set[str] = field(default_factory=set)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what may pass; 403 for the rest (a websocket is closed before it opens)."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        elif refusal:
            answer = PlainTextResponse(refusal, status_code=403, headers={"Cache-Control": "no-store"})
            await answer(scope, receive, self._with_headers(scope, send))
        else:
            await self.app(scope, receive, self._with_headers(scope, send))

    def _refusal(self, scope: Scope) -> str:
        """Why this request is not answered; "" where it is."""
        hosts = _header(scope, b"host")
        host = address(hosts[0]) if len(hosts) == 1 else None
        if host is None or not self.rules.knows(host):
            self._tell(f"the host {', '.join(hosts)[:100]!r}; {HOSTS} names those that a proxy serves it by")
            return _OTHER_HOST
        origins = _header(scope, b"origin")
        reads = scope["type"] == "http" and scope["method"] in _READS
        if not origins and reads:
            return ""
        if len(origins) == 1 and self._same(origins[0], host, scope):
            return ""
        self._tell(f"the origin {', '.join(origins)[:100]!r} at the host {hosts[0]!r}; {HOSTS} is for a proxy's names")
        return _OTHER_ORIGIN

    def _same(self, origin: str, host: Address, scope: Scope) -> bool:
        """Whether a page of `origin` is this server's own: scheme, name and port are those it was asked by."""
        scheme, _, rest = origin.partition("://")
        asked = address(rest)
        if scheme not in _PORTS or asked is None or asked.name != host.name:
            return False
        forwarded = _header(scope, b"x-forwarded-proto")
        if not self.rules.given(host):
            # No proxy was announced: what claims to be one is not believed (uvicorn would already have taken it over).
            tls = scope["scheme"] in ("https", "wss") and not forwarded
            schemes = {"https" if tls else "http"}
        elif forwarded:
            schemes = {forwarded[0].split(",")[0].strip().lower()}
        else:
            # A proxy that does not say by what it was asked; the name is the owner's by either.
            schemes = set(_PORTS)
        return scheme in schemes and (asked.port or _PORTS[scheme]) == (host.port or _PORTS[scheme])

    def _tell(self, what: str) -> None:
        """Say once on standard error what was refused: the owner of a proxy looks there."""
        if what not in self._told and len(self._told) < _TOLD:
            self._told.add(what)
            sys.stderr.write(f"flipside: refused a request for {what} (docs/security.md)\n")

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        # A component of the first kind would be shown in a frame by the page itself.
        own = "/component/" in scope.get("path", "")
        headers = tuple(_headers(self.rules.ancestors, own))

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *headers]}
            await send(message)

        return answer


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key.lower() == name]


def _headers(ancestors: tuple[str, ...], own: bool) -> Iterable[tuple[bytes, bytes]]:
    """What every answer carries. own: the page itself may frame it."""
    sources = ancestors or (("'self'",) if own else ("'none'",))
    yield b"content-security-policy", f"frame-ancestors {' '.join(sources)}".encode()
    if not ancestors:
        yield b"x-frame-options", b"SAMEORIGIN" if own else b"DENY"
    yield b"cross-origin-resource-policy", b"same-origin"


def middleware() -> Middleware:
    """What app.py hands to the server. Ends the program with a sentence where the environment says something wrong, of
    this or of anything else that is read of it (`environment.check`); names of which nobody knows anything are told,
    and that every site may frame it."""
    try:
        owners.check()
        live_backend.configured()
        allowed = rules()
    except UsageError as error:
        sys.stderr.write(f"flipside: {error}\n")
        sys.exit(error.exit_code)
    for said in filter(None, (owners.unread(), remark(allowed))):
        sys.stderr.write(f"flipside: {said}\n")
    return Middleware(FrontDoor, rules=allowed)
