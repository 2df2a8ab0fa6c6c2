"""A server that never gets to the end of its answer: what it says first, and then byte after byte."""

import contextlib
import socket
import threading
from collections.abc import Iterator

#: Where an answer may be held up: what comes first, and what then comes again and again.
HEADERS = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
PLACES = {
    "status line": (b"HTTP/1.1 200 ", b"O"),
    "header line": (HEADERS + b"X-Long: ", b"a"),
    "headers": (HEADERS, b"X: y\r\n"),
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "body": (HEADERS + b"Content-Length: 60000\r\n\r\n", b" "),
    "body without length": (HEADERS + b"\r\n", b" "),
    "body of HTTP/1.0": (HEADERS.replace(b"1.1", b"1.0") + b"\r\n", b" "),
    "chunks": (HEADERS + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "TLS": (b"\x16\x03\x03\x40\x00", b"\x02"),
}
#: Seconds between two bytes, and how many come before a client that waits for ever is hung up on, so that tests end.
PAUSE, MOST = 0.05, 90


@contextlib.contextmanager
def dripping(place: str) -> Iterator[str]:
    """The server's address (http, or https where TLS is held up)."""
    first, then = PLACES[place]
    listener = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def drip(taken: socket.socket) -> None:
        with contextlib.suppress(OSError), taken:
            taken.recv(1 << 16)
            taken.sendall(first)
            for _ in range(MOST):
                if done.wait(PAUSE):
                    return
                taken.sendall(then)

    def take() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=drip, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=take, daemon=True).start()
    try:
        yield f"{'https' if place == 'TLS' else 'http'}://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        done.set()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
