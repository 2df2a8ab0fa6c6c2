"""Captions: known words, at most 22 of them, true of their scene."""

import pytest

from backend.world.dice import seeded
from backend.world.language.captions import KINDS, example, meaning_of, scene_for
from backend.world.language.grammar import paraphrases, say
from backend.world.language.meanings import Related, Thing
from backend.world.language.words import MAX_WORDS, VOCABULARY
from backend.world.prior import SKEWED, UNIFORM
from backend.world.scenes import split_of
from backend.world.truth import holds

KNOWN = set(VOCABULARY)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", [UNIFORM, SKEWED], ids=["uniform", "skewed"])
def test_captions_use_known_words_and_are_short(kind: str, prior: object) -> None:
    dice = seeded(11)
    for _ in range(250):
        scene, text = example(dice, kind, prior=SKEWED if prior is SKEWED else UNIFORM)
        assert split_of(scene) == "train"
        assert set(text.split()) <= KNOWN
        assert 2 <= len(text.split()) <= MAX_WORDS


@pytest.mark.parametrize("kind", KINDS)
def test_meanings_are_true_of_their_scene(kind: str) -> None:
    dice = seeded(12)
    for _ in range(200):
        scene = scene_for(dice, kind)
        meaning = meaning_of(dice, scene, kind)
        assert meaning is None or holds(meaning, scene)


def test_the_vocabulary_is_sorted_without_repetitions() -> None:
    assert list(VOCABULARY) == sorted(KNOWN)
    assert 60 <= len(VOCABULARY) <= 100


def test_one_meaning_has_many_wordings() -> None:
    meaning = Related(Thing(colour="purple", shape="circle"), "left", Thing(colour="red", shape="star"))
    said = paraphrases(seeded(1), meaning, 20)
    assert len(said) == 20
    assert any("left" in s for s in said)
    assert any("right" in s for s in said)
    assert all(s.index("disc" if "disc" in s else "circle") < s.index("star")
               for s in (say(seeded(n), meaning, converse=False, frame=False) for n in range(20)))  # fmt: skip


def test_the_skewed_prior_prefers_left_to_right() -> None:
    dice = seeded(13)
    words = [w for _ in range(600) for w in example(dice, "relation", prior=SKEWED)[1].split()]
    assert words.count("left") > 4 * words.count("right")
