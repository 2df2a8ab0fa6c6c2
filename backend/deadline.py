"""One deadline over a whole exchange by HTTP: connecting, TLS, question, every header, every byte of the answer.

The limits that `requests` takes are those between two bytes, so that a server that sends one byte a second is waited
for without end: in the status line, a header line, an answer to nobody's `Expect`, a body. Here a timer shuts the
connection down, wherever it is waited for.

    session.mount("https://", deadline.Adapter())
    with deadline.whole(120.0), session.request(...) as answer:
        ...
"""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Any, Self

import requests
from requests.adapters import HTTPAdapter

_here = threading.local()


class whole:  # noqa: N801 - read as a word: with deadline.whole(5.0)
    """All that this thread sends and receives in here, through sessions that have an `Adapter`, is over within so many
    seconds; else requests.ReadTimeout, also where what had come looked complete. To be used once, not nested."""

    def __init__(self, seconds: float) -> None:
        self._lock = threading.Lock()
        self._held: socket.socket | None = None
        self._is_over = self._has_ended = False
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        _here.exchange = self
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        _here.exchange = None
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            self._let_go()
        if self._has_ended and (error is None or isinstance(error, Exception)):
            raise requests.ReadTimeout from None

    def hold(self, descriptor: int) -> None:
        """What is to be shut down in time: the connection with this descriptor, as it is from here on."""
        with self._lock:
            self._let_go()
            # A copy of our own: the connection's object may be given up, or wrapped, while its answer is still read.
            self._held = socket.socket(fileno=socket.dup(descriptor))
            if self._has_ended:
                self._shut()

    def _end(self) -> None:
        with self._lock:
            if not self._is_over:
                self._has_ended = True
                self._shut()

    def _shut(self) -> None:
        if self._held is not None:
            with contextlib.suppress(OSError):  # the other side has hung up already
                self._held.shutdown(socket.SHUT_RDWR)

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None


def _hold(opened: Any) -> None:
    exchange: whole | None = getattr(_here, "exchange", None)
    if exchange is not None and opened is not None and (descriptor := opened.fileno()) >= 0:
        exchange.hold(descriptor)


class _Held:
    """Before a connection class of urllib3: tells the exchange of its thread which connection it goes over."""

    sock: Any

    def _new_conn(self) -> Any:
        opened = super()._new_conn()  # type: ignore[misc]
        _hold(opened)
        return opened

    def request(self, *words: Any, **more: Any) -> Any:
        _hold(getattr(self, "sock", None))  # one that was kept from an earlier exchange
        return super().request(*words, **more)  # type: ignore[misc]


class Adapter(HTTPAdapter):
    """Connections that `whole` can end; else those of requests."""

    def init_poolmanager(self, *words: Any, **more: Any) -> None:
        """As requests does it."""
        super().init_poolmanager(*words, **more)
        _set_pools(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **more: Any) -> Any:
        """As requests does it."""
        is_new = proxy not in self.proxy_manager
        manager = super().proxy_manager_for(proxy, **more)
        if is_new:
            _set_pools(manager)
        return manager


def _set_pools(manager: Any) -> None:
    manager.pool_classes_by_scheme = {
        scheme: type(pool.__name__, (pool,), {"ConnectionCls": _held_class(pool.ConnectionCls)})
        for scheme, pool in manager.pool_classes_by_scheme.items()
    }


def _held_class(connection: type) -> type:
    return type(connection.__name__, (_Held, connection), {})
