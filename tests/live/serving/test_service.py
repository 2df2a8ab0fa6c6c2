"""What a backend takes, and from whom: the door, and questions that are none."""

import contextlib
import socket
import urllib.error
import urllib.request

import numpy as np
import pytest

from backend.live.remote import wire
from backend.live.scoring.joining import Call
from backend.live.serving.service import Service
from tests.live.serving.standing import TOKEN, standing


@pytest.fixture(scope="module")
def backend():
    with standing() as found:
        yield found


def sent(address: str, path: str, body: bytes | None = None, token: str = TOKEN) -> tuple[int, bytes]:
    request = urllib.request.Request(address + path, data=body, headers={"Authorization": f"Bearer {token}"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - loopback
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.mark.parametrize("token", ["", TOKEN[:-1], TOKEN + "0", TOKEN.upper(), "é"])
@pytest.mark.parametrize("path", ["/v1/state", "/v1/open", "/v1/ask", "/", "/docs"])
def test_without_the_token_nothing_is_learned(backend, token, path):
    status, content = sent(backend[0], path, None if path != "/v1/ask" else b"x", token.encode().decode("latin-1"))
    assert status == 401
    assert b"fake" not in content
    assert TOKEN.encode() not in content


def test_that_it_lives_is_no_secret(backend):
    assert sent(backend[0], "/health", token="") == (200, b'{"ok": true}')


def test_a_body_without_the_token_or_beyond_the_limit_is_not_read(backend):
    host, _, port = backend[0].removeprefix("http://").partition(":")
    for token, said in (("wrong", b" 401 "), (TOKEN, b" 413 ")):
        with socket.create_connection((host, int(port)), timeout=20) as asks:
            head = (
                f"POST /v1/ask HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 99999999\r\n\r\n"
            )
            asks.sendall(head.encode())  # and no byte of it
            assert said in asks.recv(4096)


def test_headers_without_end_are_not_read(backend):
    host, _, port = backend[0].removeprefix("http://").partition(":")
    sent_ = 0
    with socket.create_connection((host, int(port)), timeout=20) as asks, contextlib.suppress(ConnectionError):
        asks.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX: ")
        for _ in range(2000):
            asks.sendall(b"a" * 10_000)
            sent_ += 10_000
    assert sent_ < 20_000_000, "the door hung up"
    assert sent(backend[0], "/health", token="") == (200, b'{"ok": true}')


def test_a_body_of_no_said_length_is_counted(backend):
    host, _, port = backend[0].removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as asks:
        head = (
            f"POST /v1/ask HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        asks.sendall(head.encode())
        with pytest.raises(OSError):  # noqa: PT012, PT011 - whether reset or closed
            for _ in range(100):
                asks.sendall(b"100000\r\n" + b"x" * (1 << 20) + b"\r\n")
            raise AssertionError("it took 100 MB")


def question(arrays=(), **head):
    said = {
        "spec": "fake:ok",
        "method": "encode_texts",
        "kind": "",
        "texts": ["a"],
        "text_of": [0],
        "image_of": [],
        **head,
    }
    return wire.packed(said, list(arrays))


PICTURE = np.zeros((2, 2, 3), dtype=np.uint8)
PAIR = {"method": "pair_scores", "kind": "itm", "image_of": [0]}


def test_a_question_is_answered(backend):
    status, content = sent(backend[0], "/v1/ask", question())
    assert (status, wire.unpacked(content, 10_000)[1][0].shape) == (200, (1, 16))
    assert sent(backend[0], "/v1/ask", question([PICTURE], **PAIR))[0] == 200


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "cut short"),
        (b"GET /", 400, "cut short"),
        (question(spec="bundled:clip"), 422, "is not offered by this backend"),
        (question(spec="py:/etc/passwd:X"), 422, "is not offered by this backend"),
        (question(format=2), 422, "speaks format 1"),
        (question(method="describe"), 400, "asks what models are not asked"),
        (question(method="__init__"), 400, "not asked"),
        (question(kind="itm"), 400, "not asked"),
        (question(text_of=[1]), 400, "what it does not bring"),
        (question(text_of=[-1]), 400, "what it does not bring"),
        (question(text_of=[0] * 5000), 400, "more than 4,096 inputs"),
        (question(texts=[3]), 400, "a text is none"),
        (question(texts=["x" * 20_001]), 400, "longer than 20,000"),
        (question(texts=None), 400, "has no texts"),
        (question([PICTURE], **PAIR, text_of=[0, 0]), 400, "pairs are no pairs"),
        (question([PICTURE], **{**PAIR, "kind": "verdict"}), 400, "not asked"),
        (question([PICTURE[0]], **PAIR), 400, "a picture is none"),
        (question([PICTURE.astype(np.float64)], **PAIR), 400, "a picture is none"),
        (question([np.zeros((0, 4, 3), dtype=np.uint8)], **PAIR), 400, "a picture has none"),
        (question([np.zeros((2, 3, 3), dtype=np.float32)], **PAIR), 400, "a picture is none"),
    ],
)  # fmt: skip
def test_what_is_no_question_is_refused(backend, body, status, said):
    found, content = sent(backend[0], "/v1/ask", body)
    assert (found, said in content.decode()) == (status, True), content


def test_what_else_is_asked_is_not_there(backend):
    assert sent(backend[0], "/v1/models")[0] == 404
    assert sent(backend[0], "/v1/ask")[0] == 404  # it is no POST


def test_models_go_under_a_memory_budget_and_the_state_says_so():
    import torch

    from backend.models import load

    def heavy(spec):
        model = load(spec)
        model.module = torch.nn.Linear(250, 100)
        return model

    service = Service(("fake:ok", "fake:nan", "fake:constant"), 1000, memory=250_000, loader=heavy)
    for spec in service.offered:
        assert len(service.answers(spec, [Call("encode_texts", texts=["a"])])) == 1
    said = service.state()
    assert [each["spec"] for each in said["models"] if each["loaded"]] == ["fake:nan", "fake:constant"]
    assert said["memory"] == {"used": 2 * 4 * 25_100, "budget": 250_000}
    assert {"torch", "numpy"} <= said["libraries"].keys()
