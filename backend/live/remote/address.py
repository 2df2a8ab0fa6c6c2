"""Which live backend, with which token and within which limits: what the owner has set in the environment.

Nothing that a browser user can type, open or store sets any of it.
"""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from backend.environment import LEAST_MESSAGE, bytes_of, wrong
from backend.errors import UsageError

ADDRESS: Final = "FLIPSIDE_BACKEND"
TOKEN: Final = "FLIPSIDE_BACKEND_TOKEN"  # noqa: S105 - the name of a variable
LIMIT: Final = "FLIPSIDE_BACKEND_LIMIT"
TIMEOUT: Final = "FLIPSIDE_BACKEND_TIMEOUT"
#: Set to 1 by whoever knows that nobody listens between the two machines.
PLAIN: Final = "FLIPSIDE_BACKEND_PLAIN"
#: Bytes of one question or one answer, either way: a photograph of 50 million pixels fits.
MOST: Final = 200_000_000
#: Characters of a token at least: shorter ones can be guessed.
SHORTEST: Final = 16
CONNECT, READ = 3.0, 120.0


@dataclass(frozen=True)
class Backend:
    """base: without a slash at its end. token: sent with each question; never shown. limit: bytes of a message.
    connect, read: seconds for a connection, and for a whole answer."""

    base: str
    token: str = field(repr=False)
    limit: int = MOST
    connect: float = CONNECT
    read: float = READ

    @property
    def is_near(self) -> bool:
        """Whether it is on this machine, so that nothing has to be packed."""
        return is_loopback(urlsplit(self.base).hostname or "")


def configured(environment: Mapping[str, str] | None = None) -> Backend | None:
    """What the environment says; None where models are to be asked in this process. UsageError for what cannot be."""
    given = os.environ if environment is None else environment
    found = base(given)
    return Backend(found, token(given), limit(given), read=_seconds(given)) if found else None


def base(environment: Mapping[str, str] | None = None) -> str:
    """The address alone, without a slash at its end; "" for none. UsageError for what is none."""
    given = os.environ if environment is None else environment
    text = given.get(ADDRESS, "").strip()
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname
    except ValueError:
        port, host, parts = 0, None, urlsplit("")
    if parts.username or parts.password or parts.query or parts.fragment:  # not repeated: a token may stand there
        raise UsageError(
            f"{ADDRESS}: expected no more than an address such as http://127.0.0.1:8700; the token goes into {TOKEN}."
        )
    if parts.scheme not in ("http", "https") or not host or port == 0:
        raise UsageError(f"{ADDRESS}={text[:120]}: expected an address such as http://127.0.0.1:8700.")
    if parts.scheme == "http" and not is_loopback(host) and given.get(PLAIN, "") != "1":
        raise UsageError(
            f"{ADDRESS}={text[:120]}: without TLS everybody between here and {host} reads the token, captions and "
            f"pictures. Put a proxy with https before it (docs/clusters.md), or set {PLAIN}=1 where the network is "
            "yours alone."
        )
    return text.rstrip("/")


def token(given: Mapping[str, str]) -> str:
    """The token that both sides know. UsageError where there is none, or one that can be guessed."""
    found = given.get(TOKEN, "").strip()
    if len(found) < SHORTEST or not found.isascii() or not found.isprintable() or " " in found:
        raise UsageError(
            f"{TOKEN} {'is not set' if not found else 'cannot be used'}: both sides need the same token, {SHORTEST} or "
            "more ASCII characters without spaces, as `openssl rand -hex 32` makes them."
        )
    return found


def limit(given: Mapping[str, str], name: str = LIMIT) -> int:
    """Bytes that one message may have. name: of what says it, a variable or an option."""
    said = given.get(name, "").strip()
    found = bytes_of(said, name) if said else MOST
    if found < LEAST_MESSAGE:
        raise UsageError(f"{name}={said}: expected a size from 1MB, such as 200MB; less holds no picture.")
    return found


def _seconds(given: Mapping[str, str]) -> float:
    text = given.get(TIMEOUT, "").strip()
    try:
        found = float(text) if text else READ
    except ValueError:
        found = 0.0
    if not 0 < found <= 86_400:
        raise wrong(TIMEOUT, text, f"a number of seconds, such as {READ:g}")
    return found


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its name alone: no look-up, which could say another thing tomorrow.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "10.0.0.1", "localhost.example")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
