"""Down, slow, wrong, or talking nonsense: one sentence each, nothing endless, and no key in anything that is said."""

import json
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest

from backend.errors import FlipsideError, UsageError
from backend.models import kinds_of, load
from backend.models.endpoint import client
from tests.dripping import PLACES, dripping
from tests.models.endpoint.server import Server

BUSY = (429, {}, {"error": {"message": "too many requests"}})
BROKEN = (500, {}, {"error": {"message": "engine has died"}})


def fails(spec: str, says: str, kind: type[FlipsideError] = FlipsideError) -> str:
    with pytest.raises(kind, match=says) as caught:
        load(spec)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 500
    assert text.endswith((".", "?"))
    return text


def test_nobody_listens(server: Server) -> None:
    fails("endpoint:http://127.0.0.1:9/v1#tiny", r"127\.0\.0\.1:9/v1 cannot be reached \(connection refused\)")
    begun = time.monotonic()
    assert kinds_of("endpoint:http://127.0.0.1:9/v1#tiny") == {"gen", "prior", "vqa", "verdict"}
    assert time.monotonic() - begun < 0.5


def test_another_model_than_the_server_has(server: Server) -> None:
    said = fails(server.spec.replace("#tiny", "#tinny"), "has no model 'tinny'", UsageError)
    assert "Did you mean tiny?" in said
    assert "It serves tiny, other" in said


def test_a_model_that_is_gone_is_named_with_those_there_are(server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    server.names = ("other",)
    with pytest.raises(UsageError, match="has no model 'tiny'; it serves other"):
        mine.vqa_logits(images[:1], ["a"])


@pytest.mark.parametrize(
    ("planned", "says"),
    [
        ((200, {"Content-Type": "text/html"}, b"<!doctype html><title>router</title>"), "answers with a web page"),
        ((200, {}, b'{"choices": [{"mess'), "answers with no whole JSON"),
        ((200, {}, b"[1, 2]"), "answers with no JSON object"),
        ((200, {}, b""), "answers with no whole JSON"),
        ((404, {}, {"detail": "Not Found"}), r"answers 404: Not Found\. Does its address end in /v1\?"),
        ((403, {}, {"error": "no"}), "asks for a key, or for another one"),
        ((302, {"Location": "http://169.254.169.254/latest"}, b""), r"sends us elsewhere \(http://169"),
        ((418, {}, {"error": {"message": "a teapot"}}), "answers 418: a teapot"),
    ],
)
def test_what_is_no_answer(planned: Any, says: str, server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    server.after = lambda _: planned
    with pytest.raises(FlipsideError, match=says):
        mine.vqa_logits(images[:1], ["a"])


def test_a_page_in_place_of_the_server(server: Server) -> None:
    server.after = lambda _: (200, {"Content-Type": "text/html"}, b"<html>")
    fails(server.spec, "answers with a web page, so it is no OpenAI-compatible server")
    server.after = lambda _: (404, {}, b"<html>")
    fails(server.spec, r"answers 404\. Does its address end in /v1\?")


def logprob(value: Any) -> Callable[[Any], Any]:
    """The good answer with one number replaced."""

    def change(answer: dict[str, Any]) -> Any:
        if answer.get("prompt_logprobs"):
            next(iter(answer["prompt_logprobs"][-2].values()))["logprob"] = value
        elif answer["choices"][0]["logprobs"]:
            answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"][1]["logprob"] = value
        return json.dumps(answer).encode()

    return change


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (float("nan"), r"no finite number \(nan\)"),
        (float("-inf"), r"no finite number \(-inf\)"),
        (-9999.0, r"no finite number \(-9999.0\)"),
        (None, r"no finite number \(None\)"),
        ("-1.0", "no finite number"),
        (3.0, "above zero"),
    ],
)
def test_numbers_that_are_none(value: Any, says: str, server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    server.after = lambda _: logprob(value)
    with pytest.raises(FlipsideError, match=says):
        mine.vqa_logits(images[:1], ["a"])
    with pytest.raises(FlipsideError, match=says):
        mine.caption_logprobs(images[:1], ["a"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda a: {**a, "prompt_logprobs": "x"}, "no list of tokens"),
        (lambda a: {**a, "prompt_logprobs": [None, {"5": 3}]}, "of an unknown form"),
        (lambda a: {**a, "prompt_logprobs": [None, {"5": {"logprob": -1}, "6": {"logprob": -2}}]}, "several tokens"),
        (lambda a: {"object": "chat.completion"}, "no longer gives prompt_logprobs"),
        (lambda a: {**a, "prompt_logprobs": a["prompt_logprobs"][:3]}, "cannot be told from its prompt's"),
    ],
)
def test_fields_that_are_missing_or_odd(change: Any, says: str, server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    server.script = [None, change]
    with pytest.raises(FlipsideError, match=says):
        mine.caption_logprobs(images[:1], ["a cat"])


def test_top_logprobs_that_are_missing_or_odd(server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    server.script = [lambda a: {"choices": []}]
    with pytest.raises(FlipsideError, match="no longer gives top_logprobs"):
        mine.vqa_logits(images[:1], ["a"])

    def twice(answer: Any) -> Any:
        shown = answer["choices"][0]["logprobs"]["content"][0]
        shown["top_logprobs"] = [{"token": "Yes", "logprob": -0.1}, {"token": " Yes", "logprob": -0.1}]
        return answer

    server.script = [twice]
    with pytest.raises(FlipsideError, match="add up to more than 1"):
        mine.vqa_logits(images[:1], ["a"])


@pytest.mark.parametrize("planned", [BUSY, BROKEN, "drop", (503, {"Retry-After": "0"}, b"")])
def test_what_passes_is_waited_for(planned: Any, server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    want = mine.vqa_logits(images[:1], ["a"])
    again = load(server.spec)
    server.script = [planned, planned]
    np.testing.assert_array_equal(again.vqa_logits(images[:1], ["a"]), want)
    assert server.script == []


def test_retry_after_is_kept(server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    server.script = [(429, {"Retry-After": "0.6"}, b"")]
    begun = time.monotonic()
    mine.vqa_logits(images[:1], ["a"])
    assert time.monotonic() - begun >= 0.6
    assert 50 < client.retry_after(formatdate(time.time() + 60, usegmt=True)) <= 61
    assert client.retry_after("Mon, 01 Jan 2024 00:00:00 +9999999999999999999") == 0
    server.script = [(429, {"Retry-After": "3600"}, b"")]
    with pytest.raises(FlipsideError, match="asks for a pause of 3600 s"):
        mine.vqa_logits(images[:1], ["b"])


@pytest.mark.parametrize(
    ("planned", "says", "asked"),
    [(BUSY, "answers 429: too many requests", 5), (BROKEN, r"refuses the request \(500: engine has died\)", 5)],
)
def test_what_does_not_pass_ends(planned: Any, says: str, asked: int, server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    server.asked.clear()
    server.after = lambda _: planned
    with pytest.raises(FlipsideError, match=says):
        mine.vqa_logits(images[:1], ["a"])
    assert len(server.asked) == asked


def test_a_slow_server_is_left(server: Server, images: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(client.TIMEOUT, "0.3")
    mine = load(server.spec)
    server.after = lambda _: 1.0
    begun = time.monotonic()
    with pytest.raises(FlipsideError, match=r"gave no answer within 0.3 s.*FLIPSIDE_ENDPOINT_TIMEOUT"):
        mine.vqa_logits(images[:1], ["a"])
    assert time.monotonic() - begun < 2
    monkeypatch.setenv(client.TIMEOUT, "soon")
    fails(server.spec, "FLIPSIDE_ENDPOINT_TIMEOUT=soon: expected a number", UsageError)


@pytest.mark.parametrize("place", [place for place in PLACES if place != "TLS"])
def test_an_answer_held_up_anywhere_is_left_in_time(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(client.TIMEOUT, "0.3")
    with dripping(place) as address:
        fails(f"endpoint:{address}/v1#tiny", r"gave no answer within 0\.3 s")


def test_an_answer_without_end_is_left(server: Server, images: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    mine = load(server.spec)
    monkeypatch.setattr(client, "MOST_BYTES", 1 << 17)
    server.script = [(200, {}, b" " * (1 << 20))]
    with pytest.raises(FlipsideError, match="an answer without end"):
        mine.vqa_logits(images[:1], ["a"])


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(
    server: Server, images: list[Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    server.key = "sk-very-secret"
    fails(server.spec, "asks for a key, or for another one .401.: put it into FLIPSIDE_ENDPOINT_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    fails(server.spec, "asks for a key")  # OpenAI's key is for OpenAI's host
    monkeypatch.setenv("FLIPSIDE_ENDPOINT_KEY", "sk-very-secret")
    mine = load(server.spec)
    assert mine.kinds == {"gen", "prior", "vqa"}
    assert all(h.get("Authorization") == "Bearer sk-very-secret" for h in server.headers[-5:])
    server.script = [(400, {}, {"error": {"message": "wrong: Bearer sk-very-secret"}})]
    with pytest.raises(FlipsideError, match=r"wrong: Bearer …") as caught:
        mine.vqa_logits(images[:1], ["a"])
    assert "secret" not in str(caught.value)
    assert "secret" not in json.dumps(mine.describe())
    assert "secret" not in caplog.text
    assert "secret" not in repr(vars(mine.client))


def test_a_netrc_is_not_read(server: Server, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password mine\n")
    monkeypatch.setenv("NETRC", str(netrc))
    load(server.spec)
    assert all("Authorization" not in header for header in server.headers)


def test_the_first_failure_ends_the_call(server: Server, images: list[Any]) -> None:
    """Not a hundred requests to a server that is gone."""
    mine = load(server.spec)
    server.asked.clear()
    server.after = lambda _: (418, {}, b"")
    with pytest.raises(FlipsideError, match="answers 418"):
        mine.vqa_logits([images[0]] * 100, [f"a {n}" for n in range(100)])
    assert len(server.asked) < 20
