"""What is remembered of models: the same numbers, and nothing asked twice."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.live.scoring.memory import Memory, Remembering
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import ModelScores, score
from backend.models import load

TEXTS = ["a red star", "a blue star", "a star in red", "two stars"]


def pictures(n: int) -> list[Image.Image]:
    return [Image.new("RGB", (9, 9), (20 * k, 90, 200 - 20 * k)) for k in range(n)]


def counting(asked: list[tuple[str, int]]) -> Any:
    """A loader whose models note what they are asked for, and for how many."""

    def loader(spec: str) -> Any:
        model = load(spec)
        names = ("encode_texts", "encode_images", "pair_cosines", "itm_logits", "vqa_logits", "caption_logprobs")
        for name in (*names, "text_logprobs"):
            real = getattr(model, name)

            def noted(*lists: Sequence[Any], real: Any = real, name: str = name) -> Any:
                asked.append((name, len(lists[0])))
                return real(*lists)

            setattr(model, name, noted)
        return model

    return loader


def same(one: ModelScores, other: ModelScores) -> None:
    assert not one.problem
    assert one.matrices.keys() == other.matrices.keys()
    for kind, matrix in one.matrices.items():
        assert np.array_equal(matrix, other.matrices[kind])
    assert one.t2t is not None
    assert np.allclose(one.t2t, other.t2t, atol=1e-12)
    assert np.array_equal(one.prior, other.prior)
    assert [t.tokens for row in one.gen_tokens for t in row] == [t.tokens for row in other.gen_tokens for t in row]


@pytest.mark.parametrize("prior", ["noise:3", "images:2", "lm:fake:ok/prior"])
def test_one_changed_caption_asks_for_its_own_scores_only(prior: str) -> None:
    asked: list[tuple[str, int]] = []
    pool, images = Pool(loader=counting(asked)), pictures(3)
    score(pool, "fake:ok", images, TEXTS, prior)
    asked.clear()
    changed = [*TEXTS[:3], "three stars"]
    again = score(pool, "fake:ok", images, changed, prior)
    of_three = {"encode_texts": 1, "itm_logits": 3, "vqa_logits": 3}
    assert {name: n for name, n in asked if name in of_three} == of_three
    assert ("caption_logprobs", 3) in asked
    assert not any(name == "encode_images" for name, _ in asked)
    assert all(n <= 3 for _, n in asked)
    same(again, score(Pool(), "fake:ok", images, changed, prior))


def test_the_same_again_or_in_another_order_asks_nothing() -> None:
    asked: list[tuple[str, int]] = []
    pool, images = Pool(loader=counting(asked)), pictures(2)
    score(pool, "fake:ok", images, TEXTS, "noise:3", ["a", "b"])
    asked.clear()
    turned = score(pool, "fake:ok", images[::-1], TEXTS[::-1], "noise:3", ["b", "a"])
    assert asked == []
    same(turned, score(Pool(), "fake:ok", images[::-1], TEXTS[::-1], "noise:3"))


def test_cosines_of_pairs_are_remembered_as_pairs() -> None:
    asked: list[tuple[str, int]] = []
    pool, images = Pool(loader=counting(asked)), pictures(2)
    score(pool, "fake:pairwise", images, TEXTS, "noise:3")
    asked.clear()
    score(pool, "fake:pairwise", images, [*TEXTS, "new"], "noise:3")
    assert ("pair_cosines", 2) in asked


def test_images_are_known_by_their_pixels() -> None:
    model, memory = load("fake:ok"), Memory()
    one, other = pictures(2)
    first = Remembering(model, "fake:ok", memory).encode_images([one, other, one.copy()])
    assert np.array_equal(first[0], first[2])
    assert not np.array_equal(first[0], first[1])
    assert len(memory) == 2


def test_the_least_recently_used_go_and_a_model_can_be_forgotten() -> None:
    memory = Memory(most=3)
    memory.keep({("m", "text", k): k for k in range(3)})
    memory.find([("m", "text", 0)])
    memory.keep({("n", "text", 9): 9})
    assert memory.find([("m", "text", k) for k in range(3)]) == {("m", "text", 0): 0, ("m", "text", 2): 2}
    memory.forget("m")
    assert len(memory) == 1


def test_a_failure_is_not_remembered() -> None:
    pool = Pool()
    assert "fails on purpose" in score(pool, "fake:raise", pictures(1), TEXTS, "noise:3").problem
    assert all(key[1] == "truncated" for key in pool.memory._known)
