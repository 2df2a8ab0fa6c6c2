"""A hub model that is there, but not for everybody, is told apart from one that is missing; the hub is our own."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from backend.errors import UsageError
from backend.models import folders


@pytest.fixture
def hub(monkeypatch):
    """A hub that refuses with a code; its address is what the hub library asks."""
    from huggingface_hub import constants

    class Refusing(BaseHTTPRequestHandler):
        status, code, message = 401, "", ""

        def do_GET(self) -> None:
            self.send_response(type(self).status)
            self.send_header("X-Error-Code", type(self).code)
            self.send_header("X-Error-Message", type(self).message)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.hf_api.constants.ENDPOINT", address)
    Refusing.address = address
    yield Refusing
    server.shutdown()
    server.server_close()


def told(spec: str = "hf:meta/gated") -> str:
    with pytest.raises(UsageError) as error:
        folders.with_hub(spec, spec.partition(":")[2], list)
    return str(error.value)


@pytest.mark.parametrize("status", [401, 403])
def test_a_gated_model_says_how_to_ask_and_to_log_in(hub, status):
    hub.status, hub.code = status, "GatedRepo"
    said = told()
    assert "meta/gated is gated" in said
    assert f"{hub.address}/meta/gated" in said
    assert "hf auth login" in said
    assert "HF_TOKEN" in said
    assert "shows no model" not in said


@pytest.mark.parametrize(("status", "code"), [(404, "RepoNotFound"), (401, "RepoNotFound")])
def test_a_missing_model_is_missing(hub, status, code):
    hub.status, hub.code = status, code
    said = told("hf:meta/none")
    assert "shows no model 'meta/none'" in said
    assert "gated" not in said
    assert "hf auth login" in said  # a private one looks the same
