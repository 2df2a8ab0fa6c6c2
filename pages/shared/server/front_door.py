"""Who may talk to the dashboard's server, and who may frame its pages: one person on this machine, unless its owner
opens it.

`FLIPSIDE_HOSTS`: names, separated by commas or spaces, each with or without a port, under which a proxy serves the
dashboard. `FLIPSIDE_FRAME_ANCESTORS`: origins that may show it in a frame. docs/security.md says what this keeps out.
"""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend import environment as owners
from backend.errors import UsageError

HOSTS: Final = "FLIPSIDE_HOSTS"
ANCESTORS: Final = "FLIPSIDE_FRAME_ANCESTORS"

#: This machine by its own names: another site's page may resolve its own name to 127.0.0.1, but not these.
LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")
#: Requests that change nothing; browsers leave Origin out of them. All others, and websockets, have to have one.
_READS: Final = ("GET", "HEAD", "OPTIONS")
_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)(?::([0-9]{1,5}))?")
_SOURCE: Final = re.compile(r"'self'|\*|https?://[A-Za-z0-9.*_\[\]-][A-Za-z0-9.*_:\[\]-]*")
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


@dataclass(frozen=True)
class Address:
    """A host as browsers write it, lower-cased, IPv6 in brackets. port: None where it is the scheme's own."""

    name: str
    port: int | None = None


@dataclass(frozen=True)
class Rules:
    """Whom the server answers. hosts: names that the owner gave; ancestors: what may frame it, as CSP sources."""

    hosts: frozenset[Address] = frozenset()
    ancestors: tuple[str, ...] = ()

    def given(self, host: Address) -> bool:
        """Whether the owner named this host; a name without a port stands for all ports."""
        return host in self.hosts or Address(host.name) in self.hosts

    def knows(self, host: Address) -> bool:
        """Whether this is the server's own name, by what the Host header says."""
        return host.name in LOCAL or self.given(host)


def rules(environment: Mapping[str, str] | None = None) -> Rules:
    """What the owner allowed. Raises UsageError for a value that is no host or no origin."""
    given = os.environ if environment is None else environment
    hosts = set()
    for word in _words(given.get(HOSTS, "")):
        host = address(word)
        if host is None:
            raise UsageError(
                f"{HOSTS} holds “{word}”, which is no host name; for example: {HOSTS}=flipside.example.org"
            )
        hosts.add(host)
    ancestors = tuple("'self'" if word == "self" else word for word in _words(given.get(ANCESTORS, "")))
    for word in ancestors:
        if not _SOURCE.fullmatch(word):
            raise UsageError(
                f"{ANCESTORS} holds “{word}”, which is no origin; for example: {ANCESTORS}=https://example.org"
            )
    return Rules(frozenset(hosts), ancestors)


def address(text: str) -> Address | None:
    """`name`, `name:port` or `[ipv6]:port`; None for anything else, user names and paths among it.

    >>> address("LOCALHOST:8501"), address("a@b"), address("localhost:99999")
    (Address(name='localhost', port=8501), None, None)
    """
    found = _HOST.fullmatch(text.lower())
    if found is None or int(found[2] or 0) > 65535:
        return None
    return Address(found[1], int(found[2]) if found[2] else None)


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


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
    this or of anything else that is read of it (`environment.check`)."""
    try:
        owners.check()
        allowed = rules()
    except UsageError as error:
        sys.stderr.write(f"flipside: {error}\n")
        sys.exit(error.exit_code)
    return Middleware(FrontDoor, rules=allowed)
