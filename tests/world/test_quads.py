"""Minimal pairs: each meaning is true of its own scene and false of the other."""

import pytest

from backend.world.dice import seeded
from backend.world.quads import CONCEPTS, quad
from backend.world.scenes import split_of
from backend.world.truth import holds


@pytest.mark.parametrize("concept", CONCEPTS)
@pytest.mark.parametrize("split", ["train", "test"])
def test_each_meaning_is_true_of_its_own_scene_only(concept: str, split: str) -> None:
    dice = seeded(21)
    for _ in range(80):
        q = quad(dice, concept, "test" if split == "test" else "train")
        assert holds(q.meaning1, q.scene1)
        assert holds(q.meaning2, q.scene2)
        assert not holds(q.meaning1, q.scene2)
        assert not holds(q.meaning2, q.scene1)
        assert split_of(q.scene1) == split_of(q.scene2) == split
        assert not q.scene1.held_out
        assert not q.scene2.held_out
        assert q.scene1.problem() == q.scene2.problem() == ""


def test_held_out_quads_show_a_held_out_pair_in_one_scene() -> None:
    dice = seeded(22)
    made = [quad(dice, "attribute", "test", held_out=True) for _ in range(60)]
    assert all(q.scene1.held_out or q.scene2.held_out for q in made)
    with pytest.raises(ValueError, match="held-out"):
        quad(dice, "count", "test", held_out=True)
