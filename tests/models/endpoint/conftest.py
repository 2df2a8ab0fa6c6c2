from collections.abc import Iterator
from typing import Any

import pytest

from backend.models.endpoint import address, client
from tests.models.endpoint.server import Server, TinyChat, serve


@pytest.fixture(scope="session")
def tiny(torch: Any) -> TinyChat:
    return TinyChat()


@pytest.fixture
def server(tiny: TinyChat, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A fresh server; pauses between attempts are short, no key of this machine's owner is sent."""
    for name in (address.KEY, address.OPENAI_KEY, address.ALLOWED, client.TIMEOUT):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(client.Patience.__init__, "__defaults__", (5, 0.01, 2.0, 20.0, 2))
    made = Server(tiny)
    http = serve(made)
    yield made
    http.shutdown()
    http.server_close()
