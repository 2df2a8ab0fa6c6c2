"""Thumbnails by address: the browser asks for those that it shows, when it shows them, and keeps them.

A picture's address is a keyed hash of its URI, so nobody can ask for a file that no page has shown; the key is drawn
anew by every server.
"""

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from threading import Lock

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from backend.errors import FlipsideError

#: Addresses that are remembered; the oldest are forgotten beyond.
KNOWN = 100_000
PATH = "thumbnails"
_MISSING = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="#8883"/>'
    b'<text x="48" y="46" font-size="13" font-family="sans-serif" text-anchor="middle" fill="#777">image'
    b'<tspan x="48" dy="16">missing</tspan></text></svg>'
)


@dataclass
class _Addresses:
    """Which picture an address stands for. served: whether this process answers them."""

    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    pictures: "OrderedDict[str, tuple[str, int]]" = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)
    served: bool = False


@st.cache_resource(show_spinner=False)
def _addresses() -> _Addresses:
    return _Addresses()


def is_served() -> bool:
    """Whether the dashboard runs as a server that has the route; AppTest, for one, has none."""
    return _addresses().served


def address(uri: str, size: int) -> str:
    """The address of a picture of at most `size` pixels each way, relative to the pages' own."""
    return addresses((uri,), size)[0]


def addresses(uris: Sequence[str], size: int) -> list[str]:
    """The same of many: to ask Streamlit for what it keeps takes longer than the address itself."""
    known = _addresses()
    names = [hmac.digest(known.secret, f"{size} {uri}".encode(), "sha256").hex()[:32] for uri in uris]
    with known.lock:
        for name, uri in zip(names, uris, strict=True):
            known.pictures[name] = (uri, size)
            known.pictures.move_to_end(name)
        while len(known.pictures) > KNOWN:
            known.pictures.popitem(last=False)
    return [f"{PATH}/{name}" for name in names]


def ahead(uri: str, size: int) -> None:
    """Keep a picture that a browser is going to ask for, where this process answers it."""
    if uri and is_served():
        _jpeg(uri, size)


def route() -> Route:
    """What app.py hands to the server."""
    _addresses().served = True
    return Route(f"/{PATH}/{{name}}", answer, methods=["GET"])


def answer(request: Request) -> Response:
    """A thumbnail; a drawing that says so where the picture is not there. Runs in a thread of its own."""
    found = _addresses().pictures.get(str(request.path_params["name"]))
    data = _jpeg(*found) if found else b""
    if not data:
        return Response(_MISSING, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})
    headers = {"Cache-Control": "private, max-age=86400, immutable", "X-Content-Type-Options": "nosniff"}
    return Response(data, media_type="image/jpeg", headers=headers)


@lru_cache(maxsize=2000)
def _jpeg(uri: str, size: int) -> bytes:
    try:
        from backend.images import open_stored  # here: the server answers before Pillow is imported

        small = open_stored(uri, size)
    except FlipsideError:
        return b""
    buffer = BytesIO()
    small.save(buffer, "JPEG", quality=86, optimize=True)
    return buffer.getvalue()
