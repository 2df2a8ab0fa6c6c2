"""Scenes: their codes, their splits, what training never sees."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.errors import FlipsideError
from backend.world import HELD_OUT, Scene, sample, split_of
from backend.world.dice import seeded
from backend.world.prior import SKEWED
from backend.world.scenes import Obj


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 5))
def test_a_code_rebuilds_its_scene(seed: int, n: int) -> None:
    scene = sample(seeded(seed), n_objects=n)
    assert Scene.decode(scene.code()) == scene == Scene.decode(scene.uri)
    assert len(scene.objects) == n
    assert scene.problem() == ""


@pytest.mark.long
def test_training_and_test_scenes_are_never_the_same() -> None:
    dice = seeded(1)
    train = [sample(dice, "train", prior=SKEWED) for _ in range(1500)] + [sample(dice, "train") for _ in range(1500)]
    test = [sample(dice, "test", 1) for _ in range(800)] + [sample(dice, "test") for _ in range(500)]
    assert {split_of(s) for s in train} == {"train"}
    assert {split_of(s) for s in test} == {"test"}
    assert not {s.content_hash for s in train} & {s.content_hash for s in test}


def test_training_never_shows_a_held_out_pair() -> None:
    assert len(HELD_OUT) >= 3
    dice = seeded(2)
    shown = {(o.colour, o.shape) for _ in range(3000) for o in sample(dice, "train").objects}
    assert not shown & HELD_OUT
    assert len(shown) == 48 - len(HELD_OUT)
    assert all(sample(dice, "test", held_out=True).held_out for _ in range(50))
    with pytest.raises(ValueError, match="never occur"):
        sample(dice, "train", held_out=True)


def test_the_background_and_the_order_are_no_content() -> None:
    a, b = Obj("circle", "red", "big", "plain", 64, 64), Obj("star", "blue", "small", "dotted", 160, 160)
    assert Scene((a, b), 1).content_hash == Scene((b, a), 9).content_hash


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("", "background"), ("3", "1 to 5"), ("*.crbpGW", "background"), ("3.crbpG", "six"),
        ("3.zrbpGW", "“z” is no shape"),
        ("3.crbp0W", "outside"), ("3.crbpGW.crbpGX", "overlap"), ("world:3.crbpG\x00", "is no place"),
        ("33.crbpGW", "background"),
        ("-.crbpGW", "background"),
    ],
)  # fmt: skip
def test_a_bad_code_is_refused_with_the_reason(code: str, reason: str) -> None:
    with pytest.raises(FlipsideError, match=reason):
        Scene.decode(code)
