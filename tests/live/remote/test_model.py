"""Models behind a backend say what they say here, to the bit; and what is wrong is one sentence."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.errors import FlipsideError, UsageError
from backend.live.remote import calls, wire
from backend.live.remote import model as remote_model
from backend.live.remote.client import UnreachableError
from backend.live.remote.model import RemoteModel
from backend.live.scoring.joining import Call
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import score
from backend.models import Model, load
from tests.live.serving.standing import TOKEN, answering, client, standing

TEXTS = ["a red star", "two “stars” – é", "a red star and a blue circle"]


def pictures() -> list[Image.Image]:
    made = [np.random.default_rng(k).integers(0, 256, (11 + k, 17, 3), dtype=np.uint8) for k in range(3)]
    images = [Image.fromarray(one) for one in made]
    images[1] = images[1].convert("RGBA")
    images[1].putalpha(120)
    return images


def pool_at(address: str, **more: Any) -> Pool:
    asked = client(address, **more)
    return Pool(loader=lambda spec: RemoteModel(asked, spec), check=lambda _: None)


@pytest.fixture(scope="module")
def backend():
    with standing() as found:
        yield found


@pytest.mark.parametrize("spec", ["fake:ok", "fake:pairwise", "fake:nan", "fake:ok/itc,t2t"])
@pytest.mark.parametrize("prior", ["noise:2", "images:2", "lm:fake:ok", ""])
def test_scores_are_those_of_this_process_to_the_bit(backend, spec, prior):
    far, near = (score(pool, spec, pictures(), TEXTS, prior) for pool in (pool_at(backend[0]), Pool()))
    assert (far.problem, far.no_prior) == (near.problem, near.no_prior) == ("", "")
    assert far.matrices.keys() == near.matrices.keys()
    for kind, matrix in near.matrices.items():
        assert np.array_equal(far.matrices[kind], matrix, equal_nan=True)
        assert np.array_equal(far.judged(kind), near.judged(kind), equal_nan=True)
    for one, other in ((far.t2t, near.t2t), (far.prior, near.prior)):
        assert (one is None) == (other is None)
        assert one is None or np.array_equal(one, other, equal_nan=True)
    assert [t.tokens for row in far.gen_tokens for t in row] == [t.tokens for row in near.gen_tokens for t in row]
    assert far.truncated == near.truncated


def test_packed_for_the_way_the_numbers_are_the_same(backend, monkeypatch):
    asked, sent = client(backend[0]), []
    monkeypatch.setattr(type(asked.backend), "is_near", False)
    monkeypatch.setattr(asked, "ask", lambda data, ask=asked.ask: sent.append(len(data)) or ask(data))
    flat = Image.new("RGB", (200, 200), (9, 90, 200))
    found = RemoteModel(asked, "fake:ok").encode_images([flat])
    assert np.array_equal(found, load("fake:ok").encode_images([flat]))
    assert max(sent) < 2000


def test_many_pictures_go_in_several_questions(backend, monkeypatch):
    monkeypatch.setattr(remote_model, "AT_ONCE", 1200)
    asked, sent = client(backend[0]), []
    monkeypatch.setattr(asked, "ask", lambda data, ask=asked.ask: sent.append(data) or ask(data))
    images = pictures()
    found = RemoteModel(asked, "fake:ok").pair_scores("itm", [*images, *images], TEXTS * 2)
    assert found == load("fake:ok").pair_scores("itm", [*images, *images], TEXTS * 2)
    assert len(sent) > 2


def test_a_model_that_is_not_offered_is_named_with_those_that_are(backend):
    found = score(pool_at(backend[0]), "bundled:clip", pictures(), TEXTS, "")
    assert "bundled:clip is not offered by this backend; it offers fake:ok, " in found.problem
    assert "bundled:clip" not in backend[1].pool.loaded()


def test_a_model_that_fails_there_says_so_and_the_others_go_on(backend):
    pool = pool_at(backend[0])
    assert "fake:raise failed while scoring (fake:raise fails on purpose)" in score(
        pool, "fake:raise", pictures(), TEXTS, ""
    ).problem  # fmt: skip
    assert not score(pool, "fake:ok", pictures(), TEXTS, "").problem


def test_what_a_model_does_not_give_is_wrong_use_here_and_there(backend):
    model = RemoteModel(client(backend[0]), "fake:ok/itc,t2t")
    for ask in (lambda: model.pair_scores("itm", pictures()[:1], ["a"]), lambda: model.text_logprobs(["a"])):
        with pytest.raises(UsageError, match="it gives itc, t2t"):
            ask()
    with pytest.raises(UsageError, match="its cosine is a number of the pair"):
        RemoteModel(client(backend[0]), "fake:pairwise")._ask(Call("encode_images", pictures()))
    with pytest.raises(UsageError, match="flipside run --ray"):
        model.describe()


def test_many_sessions_at_once_get_their_own(backend):
    pool = pool_at(backend[0])

    def one(k: int) -> Any:
        image = Image.new("RGB", (9, 9), (k, 90, 200))
        return score(pool, "fake:ok", [image], [f"a star and {k}", "b"], "noise:1"), score(
            Pool(), "fake:ok", [image], [f"a star and {k}", "b"], "noise:1"
        )  # fmt: skip

    with ThreadPoolExecutor(12) as threads:
        for far, near in threads.map(one, range(24)):
            assert not far.problem
            assert all(np.array_equal(far.matrices[kind], near.matrices[kind]) for kind in near.matrices)


def test_a_backend_that_has_loaded_it_anew_is_asked_from_the_beginning():
    class Other(Model):
        kinds = frozenset({"t2t"})

        def __init__(self, value: float) -> None:
            super().__init__("fake:ok")
            self.value = value

        def encode_texts(self, texts: Any) -> Any:
            return np.full((len(texts), 1), self.value, dtype=np.float32)

    values = iter([1.0, 3.0])
    with standing(loader=lambda _: Other(next(values))) as (address, service):
        pool = pool_at(address)

        def asked(*texts: str) -> Any:
            return score(pool, "fake:ok", [], texts, "").t2t

        assert asked("a", "b").tolist() == [[1.0, 1.0], [1.0, 1.0]]
        service.pool._slots.clear()
        asked("c")
        assert asked("a", "b").tolist() == [[9.0, 9.0], [9.0, 9.0]]  # nothing of before is remembered


# What is sent back ----------------------------------------------------------------------------------------------------
PAIRS = Call("pair_scores", [Image.new("RGB", (2, 2))] * 2, ["a", "b c"], "gen")
F4 = np.zeros(3, dtype=np.float32)
TOKENS = [["a"], ["b", "c"]]


@pytest.mark.parametrize(
    ("call", "head", "arrays", "said"),
    [
        (Call("encode_texts", texts=["a"]), {}, [], "no vectors"),
        (Call("encode_texts", texts=["a"]), {}, [np.zeros((2, 4), dtype=np.float32)], "not those that were asked"),
        (Call("encode_texts", texts=["a"]), {}, [np.zeros((1, 4))], "not those that were asked"),
        (Call("encode_texts", texts=["a"]), {}, [np.zeros((1, 70_000), dtype=np.float32)], "no vectors"),
        (Call("truncated", texts=["a"]), {}, [np.array([1], dtype=np.uint8)], "not those that were asked"),
        (Call("text_logprobs", texts=["a"]), {"tokens": TOKENS}, [F4], "not as many texts"),
        (PAIRS, {}, [np.zeros(2)], "lacks them"),
        (PAIRS, {"tokens": TOKENS}, [np.zeros(3), F4], "not those that were asked"),
        (PAIRS, {"tokens": TOKENS}, [np.zeros(2), F4[:2]], "not those that were asked"),
        (PAIRS, {"tokens": [["a"], [1, 2]]}, [np.zeros(2), F4], "no texts"),
        (PAIRS, {"tokens": "ab"}, [np.zeros(2), F4], "not as many texts"),
    ],
)
def test_an_answer_of_another_form_is_not_believed(call, head, arrays, said):
    with pytest.raises(wire.BrokenError, match=said):
        calls.read_answer(call, head, arrays)


OPENED = b'{"format": 1, "kinds": ["t2t"], "pairwise": [], "image_size": null, "load": "1"}'


@pytest.mark.parametrize(
    ("status", "content", "said"),
    [
        (200, b"<html>", "not believed: it is no JSON"),
        (200, b"[1]", "no JSON object"),
        (200, b"{}", "speaks format None, these pages format 1: install the same version"),
        (200, b'{"format": 2}', "speaks format 2"),
        (200, OPENED.replace(b"[]", b"3"), "does not say what the model gives"),
        (200, OPENED.replace(b"null", b"[1e9, 3]"), "how large the model's pictures are"),
        (200, b"x" * 1_000_001, "more than 1,000,000 bytes"),
        (302, b"", "sends us elsewhere .302., which is not followed"),
        (401, b"", "does not take the token: FLIPSIDE_BACKEND_TOKEN must be the same"),
        (413, b'{"error": "it has more than 5 MB"}', "no question of this size .it has more than 5 MB"),
        (422, b'{"error": "a sentence\\u001b[31m of\\n theirs"}', r"a sentence \[31m of theirs"),
        (503, b"", "too busy or not ready"),
        (404, b"no", "answers 404: it is no live backend"),
        (500, f'{{"error": "your token {TOKEN}"}}'.encode(), "your token …"),
    ],
)
def test_what_a_stranger_answers_is_a_sentence(status, content, said):
    with answering(status, content, {"Location": "http://127.0.0.1:9/"}) as (address, asked):
        with pytest.raises(FlipsideError, match=said) as caught:
            RemoteModel(client(address), "fake:ok")
        assert TOKEN not in str(caught.value)
        assert len(asked) == 1
        assert asked[0][1]["Authorization"] == f"Bearer {TOKEN}"


def test_nobody_there_is_a_sentence_and_five_models_do_not_wait_five_times(monkeypatch):
    with answering(200, b"") as (address, _):
        pass
    asked = client(address, connect=5.0)
    with pytest.raises(UnreachableError, match=r"does not answer .connection refused.: start it there with flipside"):
        asked.state()
    monkeypatch.setattr(asked._session, "request", lambda *_, **__: pytest.fail("asked again at once"))
    with pytest.raises(UnreachableError, match="connection refused"):
        RemoteModel(asked, "fake:ok")


def test_it_comes_back_by_itself(monkeypatch):
    with answering(200, b"") as (address, _):
        pass
    monkeypatch.setattr("backend.live.remote.client.REST", 0.0)
    pool = pool_at(address)
    assert "does not answer" in score(pool, "fake:ok", pictures(), TEXTS, "").problem
    with standing(port=int(address.rpartition(":")[2])):
        assert not score(pool, "fake:ok", pictures(), TEXTS, "").problem


def test_an_answer_that_does_not_come_or_breaks_off_is_a_sentence():
    with (
        answering(200, b"{", {"Content-Length": "100"}) as (address, _),
        pytest.raises(UnreachableError, match="broke"),
    ):
        client(address).state()


def test_an_answer_that_takes_too_long_is_a_sentence():
    answers = threading.Event()

    def waits(spec: str) -> Model:
        assert answers.wait(20)
        return load(spec)

    with standing(loader=waits) as (address, _):
        with pytest.raises(UnreachableError, match=r"within 0.3 s: .* FLIPSIDE_BACKEND_TIMEOUT") as caught:
            RemoteModel(client(address, read=0.3), "fake:ok")
        answers.set()
    assert "PLAIN" not in str(caught.value)


def test_a_question_that_is_too_large_is_not_sent(backend):
    model = RemoteModel(client(backend[0], limit=10_000), "fake:ok")
    with pytest.raises(FlipsideError, match=r"FLIPSIDE_BACKEND_LIMIT.*use a smaller picture"):
        model.encode_images([Image.new("RGB", (99, 99))])
    large = RemoteModel(client(backend[0]), "fake:ok")
    with pytest.raises(FlipsideError, match=r"no question of this size .it has more than 2 MB"):
        large.encode_images([Image.new("RGB", (999, 999))])
