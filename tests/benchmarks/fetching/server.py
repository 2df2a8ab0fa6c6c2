"""A file server on loopback that keeps a log of what it was asked, and goes wrong as its script says."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """One file. The lists are used up, one entry a request.

    cuts: bytes after which the connection is closed. statuses: answered instead of it. etag, modified: "" without.
    claims: the Content-Length that is sent; None the true one, -1 none at all. range_start: what Content-Range claims.
    """

    body: bytes
    etag: str = '"one"'
    modified: str = ""
    ranges: bool = True
    kind: str = "application/octet-stream"
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    retry_after: str = ""
    location: str = ""
    claims: int | None = None
    range_start: int | None = None
    pause: float = 0.0
    stops: bool = False
    drips: bool = False


class Files:
    """What is served, and what was asked: (path, headers)."""

    def __init__(self) -> None:
        self.files: dict[str, Served] = {}
        self.asked: list[tuple[str, Message]] = []
        self.base = ""

    def ranges(self) -> list[str | None]:
        return [headers["Range"] for _, headers in self.asked]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        files: Files = self.server.files  # type: ignore[attr-defined]
        files.asked.append((self.path, self.headers))
        self.close_connection = True
        found = files.files.get(self.path)
        status = 404 if found is None else found.statuses.pop(0) if found.statuses else 0
        if found is None or status:
            self.send_response(status)
            if found and found.retry_after:
                self.send_header("Retry-After", found.retry_after)
            if found and found.location:
                self.send_header("Location", found.location)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self._send(found)

    def end_headers(self) -> None:
        self.send_header("Connection", "close")
        super().end_headers()

    def _send(self, found: Served) -> None:
        start = self._start(found)
        if start is not None and start >= len(found.body):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(found.body)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = found.body[start or 0 :]
        self.send_response(200 if start is None else 206)
        for name, value in (("Content-Type", found.kind), ("ETag", found.etag), ("Last-Modified", found.modified)):
            if value:
                self.send_header(name, value)
        if start is not None:
            claimed = start if found.range_start is None else found.range_start
            self.send_header("Content-Range", f"bytes {claimed}-{len(found.body) - 1}/{len(found.body)}")
        if found.claims != -1:
            self.send_header("Content-Length", str(len(body) if found.claims is None else found.claims))
        self.end_headers()
        cut = found.cuts.pop(0) if found.cuts else None
        self.wfile.write(body[:cut])
        self.wfile.flush()
        while found.stops:  # says nothing more, as a hung server does, or a byte now and then
            if found.drips:
                try:
                    self.wfile.write(b"x")
                except OSError:  # whoever asked has gone
                    return
            time.sleep(0.05)
        time.sleep(found.pause)

    def _start(self, found: Served) -> int | None:
        asked, condition = self.headers["Range"], self.headers["If-Range"]
        if not (found.ranges and asked) or (condition and condition not in (found.etag, found.modified)):
            return None
        return int(asked.removeprefix("bytes=").removesuffix("-"))

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""


@contextmanager
def serving() -> Iterator[Files]:
    """The server, until the block ends."""
    files = Files()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        server.files = files  # type: ignore[attr-defined]
        files.base = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield files
        finally:
            for file in files.files.values():
                file.stops = False
            server.shutdown()
            thread.join()
