"""How long a connection may keep a place at the door without having asked anything: uvicorn itself waits for ever.

Whoever has no token can open connections and send nothing, or headers a byte at a time. Each of them keeps one of the
server's places, and where all are taken nobody else is let in, whatever token they bring. So whole headers have to be
there within a deadline, and of the connections that have not sent them the oldest goes when there are too many.
"""

from typing import Any, Final

import uvicorn.protocols.http.h11_impl as h11_impl

#: Seconds in which whole headers have to be here.
HEADERS_IN: Final = 10.0
#: Connections that may wait for their headers at once, so that others find a place while a flood of these lasts.
WAITING: Final = 192
#: Headers are read before the token is known: so many bytes, by the parser that counts them.
HEADERS_BYTES: Final = 65_536


def settings(headers_in: float = HEADERS_IN, waiting: int = WAITING) -> dict[str, Any]:
    """A server's settings for `uvicorn.Config`. headers_in: seconds; waiting: as WAITING."""
    at_door: dict[Any, None] = {}  # the oldest first

    class Prompt(h11_impl.H11Protocol):
        """A connection that has to ask soon."""

        _deadline: Any = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            cycle: Any = self.cycle  # None before the first request
            if cycle is not None and not cycle.response_complete:
                self._let_in()
            elif self._deadline is None and not self.transport.is_closing():  # it goes on, after an answer
                self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._let_in()
            super().connection_lost(exc)

        def _wait(self) -> None:
            self._deadline = self.loop.call_later(headers_in, self._hang_up)
            at_door[self] = None
            if len(at_door) > waiting:
                next(iter(at_door))._hang_up()

        def _let_in(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
            self._deadline = None
            at_door.pop(self, None)

        def _hang_up(self) -> None:
            self._let_in()
            self.transport.abort()

    return {"http": Prompt, "h11_max_incomplete_event_size": HEADERS_BYTES}
