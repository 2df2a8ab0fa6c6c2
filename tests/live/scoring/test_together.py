"""Many threads, one model: joined calls, no crossed answer, nobody harmed by another's failure."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from backend.errors import UsageError
from backend.live.scoring.joining import MOST, Call, answered, parts
from backend.live.scoring.memory import Remembering
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import score
from backend.live.scoring.together import Together
from backend.models import Model, Picture, load
from backend.models.base import PairScore


def picture(n: int) -> Image.Image:
    return Image.new("RGB", (9, 9), (n % 250, 90, 200))


class Noted(Model):
    """Notes each call; waits at a gate, so that others queue; fails where a text says so; forbids two threads."""

    kinds = frozenset({"itc", "itm", "t2t"})

    def __init__(self) -> None:
        super().__init__("noted")
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Semaphore(0)
        self.calls: list[tuple[str, int]] = []
        self._alone = threading.Lock()

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._note("texts", texts, lambda text: [len(text), hash(text) % 1000])

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        return self._note("images", images, lambda image: image.getpixel((0, 0)))

    def itm_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        pairs = list(zip(images, texts, strict=True))
        return self._note("itm", pairs, lambda pair: pair[0].getpixel((0, 0))[0] * 1000 + len(pair[1]))  # type: ignore[union-attr,index]

    def _note(self, what: str, inputs: Sequence[Any], of: Callable[[Any], Any]) -> NDArray[np.float32]:
        assert self._alone.acquire(blocking=False), "two threads in one model"
        try:
            self.calls.append((what, len(inputs)))
            self.entered.release()
            assert self.gate.wait(20)
            if any("bad" in one for one in inputs if isinstance(one, str)):
                raise RuntimeError("a bad text")
            return np.array([of(one) for one in inputs], dtype=np.float32)
        finally:
            self._alone.release()


def queued(together: Together, n: int) -> None:
    """Wait until so many calls wait."""
    for _ in range(2000):
        with together._changed:
            if len(together._waiting) >= n:
                return
        threading.Event().wait(0.005)
    raise AssertionError(f"{n} calls never waited")


def test_what_has_queued_goes_as_one_call_and_each_gets_its_own() -> None:
    model = Noted()
    together = Together(model)
    model.gate.clear()
    with ThreadPoolExecutor(12) as threads:
        first = threads.submit(together.encode_texts, ["first"])
        assert model.entered.acquire(timeout=20)
        rest = [threads.submit(together.encode_texts, [f"text {k % 3}", "x" * k]) for k in range(1, 9)]
        queued(together, 8)
        model.gate.set()
        answers = [one.result(20) for one in rest]
        first.result(20)
    assert model.calls == [("texts", 1), ("texts", 3 + 8)]  # equal texts once
    assert together.joined == 7
    for k, found in enumerate(answers, 1):
        assert found[:, 0].tolist() == [6, k]
        assert found[0, 1] == np.float32(hash(f"text {k % 3}") % 1000)


def test_pairs_are_joined_by_content_where_it_is_named_and_by_object_where_not() -> None:
    model = Noted()
    calls = [
        Call("pair_scores", [picture(7), picture(8)], ["aa", "b"], "itm", ["seven", "eight"]),
        Call("pair_scores", [picture(7)], ["aa"], "itm", ["seven"]),
        Call("pair_scores", [picture(7)], ["aa"], "itm"),
    ]
    found = answered(model, calls)
    assert model.calls == [("itm", 3)]
    assert found == [[PairScore(7002.0), PairScore(8001.0)], [PairScore(7002.0)], [PairScore(7002.0)]]


def test_a_failing_call_fails_nobody_else() -> None:
    model = Noted()
    good, bad, other = (Call("encode_texts", texts=[text]) for text in ("good", "bad", "other"))
    found = answered(model, [good, bad, other])
    assert isinstance(found[1], RuntimeError)
    assert [found[k][0].tolist()[0] for k in (0, 2)] == [4, 5]  # type: ignore[index]
    together = Together(model)
    with pytest.raises(RuntimeError, match="a bad text"):
        together.encode_texts(["bad"])
    assert together.encode_texts(["good"])[0, 0] == 4  # and the model is free again


def test_a_batch_is_bounded_and_a_larger_call_goes_alone() -> None:
    model = Noted()
    calls = [Call("encode_texts", texts=[f"{k} {j}" for j in range(n)]) for k, n in enumerate((200, 56, 1, 900, 2))]
    assert [len(part) for part in parts(calls)] == [2, 1, 1, 1]
    assert all(len(one) == len(call.texts) for one, call in zip(answered(model, calls), calls, strict=True))  # type: ignore[arg-type]
    assert [n for _, n in model.calls] == [MOST, 1, 900, 2]


def test_the_oldest_question_is_asked_first_and_no_thread_enters_beside_another() -> None:
    model = Noted()
    together = Together(model)
    model.gate.clear()
    with ThreadPoolExecutor(8) as threads:
        futures = [threads.submit(together.encode_texts, ["first"])]
        assert model.entered.acquire(timeout=20)
        for n, ask in enumerate(
            [lambda: together.encode_images([picture(1)]), lambda: together.encode_texts(["a"]),
             lambda: together.encode_images([picture(2)])], 1
        ):  # fmt: skip
            futures.append(threads.submit(ask))
            queued(together, n)
        model.gate.set()
        for one in futures:
            one.result(20)
    assert model.calls == [("texts", 1), ("images", 2), ("texts", 1)]


def test_what_a_model_is_not_asked_here_is_refused() -> None:
    with pytest.raises(UsageError, match="is nothing that models are asked"):
        Call("describe")
    with pytest.raises(ValueError, match="as many of each"):
        Call("pair_scores", [picture(1)], [], "itm")
    assert answered(Noted(), [Call("encode_texts")]) == [[]]


def test_answers_that_are_too_few_are_no_answers() -> None:
    class Short(Noted):
        def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return super().encode_texts(texts)[:1]

    found = answered(Short(), [Call("encode_texts", texts=["a", "b"])])
    assert "1 answers to 2 inputs" in str(found[0])


def sessions(pool: Pool, spec: str, n: int) -> list[Any]:
    """So many sessions at a time, each with captions and a picture of its own."""

    def one(k: int) -> Any:
        return score(pool, spec, [picture(k)], [f"a star and {k} circles", f"caption {k}"], "noise:1", [f"p{k}"])

    with ThreadPoolExecutor(n) as threads:
        return list(threads.map(one, range(n)))


@pytest.mark.parametrize("spec", ["fake:ok", "fake:slow/itc,gen,t2t", "fake:pairwise"])
def test_no_score_of_many_sessions_is_anothers(spec: str) -> None:
    together = sessions(Pool(), spec, 12)
    for k, found in enumerate(together):
        alone = score(
            Pool(), spec.replace("slow", "ok"), [picture(k)], [f"a star and {k} circles", f"caption {k}"], "noise:1"
        )
        assert not found.problem
        assert found.matrices.keys() == alone.matrices.keys()
        for kind in alone.matrices:
            assert np.array_equal(found.matrices[kind], alone.matrices[kind])


@pytest.mark.long
@pytest.mark.parametrize("spec", ["bundled:clip", "bundled:matcher", "bundled:captioner"])
def test_bundled_models_say_together_what_they_say_alone(spec: str) -> None:
    model = load(spec)
    images = [Image.fromarray(np.random.default_rng(k).integers(0, 255, (40, 50, 3), dtype=np.uint8)) for k in range(4)]
    for kind in model.kinds & {"itc", "itm", "gen"}:
        calls = [
            Call(
                "pair_scores", [image] * 3, [f"a red star and {k} hearts", "a blue circle", f"{'two ' * k}stars"], kind
            )
            for k, image in enumerate(images)
        ]
        joined = answered(model, calls)
        for call, found in zip(calls, joined, strict=True):
            alone = model.pair_scores(kind, list(call.images), list(call.texts))
            assert isinstance(found, list)
            assert np.allclose([one.value for one in found], [one.value for one in alone], rtol=0, atol=1e-5)
            assert [one.n_tokens for one in found] == [one.n_tokens for one in alone]


def test_a_model_that_is_shared_is_not_dropped_and_use_waits_for_it() -> None:
    pool = Pool(limit=1, loader=lambda _: Noted())
    with pool.share("a") as one, pool.share("b"):
        assert pool.loaded() == ["a", "b"]
        with pool.share("a") as again:
            assert again is one
        assert isinstance(one.model, Noted)
        one.model.gate.clear()
        with ThreadPoolExecutor(1) as threads:
            asked = threads.submit(one.encode_texts, ["a"])
            assert one.model.entered.acquire(timeout=20)
            entered = threading.Event()

            def alone() -> None:
                with pool.use("a"):
                    entered.set()

            waits = threading.Thread(target=alone)
            waits.start()
            assert not entered.wait(0.2)
            one.model.gate.set()
            asked.result(20)
            assert entered.wait(20)
            waits.join()
    with pool.share("b"):
        assert pool.loaded() == ["b"]


def test_remembering_asks_by_content_over_sessions() -> None:
    model = Noted()
    together, memory = Together(model), Pool().memory
    for _ in range(2):
        Remembering(together, "noted", memory, None).encode_images([picture(3), picture(3)])
    assert model.calls == [("images", 1)]
