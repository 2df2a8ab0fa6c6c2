"""The semantic checker on hand-made scenes, and on captions read back by rules that are not the grammar's."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.world.dice import seeded
from backend.world.language.captions import KINDS, meaning_of, scene_for
from backend.world.language.grammar import say
from backend.world.language.meanings import Has, Located, Related, Thing
from backend.world.language.reading import read
from backend.world.scenes import Obj, Scene
from backend.world.truth import direction_of, holds, places_of

DISC = Obj("circle", "red", "big", "plain", 64, 64)
STAR = Obj("star", "blue", "small", "dotted", 192, 80)
HEARTS = tuple(Obj("heart", "pink", "small", "hollow", x, 200) for x in (60, 128, 196))
SCENE = Scene((DISC, STAR, *HEARTS))


@pytest.mark.parametrize(
    ("meaning", "expected"),
    [
        (Has(((Thing(shape="circle"), 1),)), True),
        (Has(((Thing(shape="heart"), 3), (Thing(colour="blue", shape="star"), 1))), True),
        (Has(((Thing(shape="heart"), 2),)), False),
        (Has(((Thing(), 5),)), True),
        (Has(((Thing(colour="red", shape="star"), 1),)), False),
        (Related(Thing(shape="circle"), "left", Thing(shape="star")), True),
        (Related(Thing(shape="circle"), "right", Thing(shape="star")), False),
        (Related(Thing(shape="circle"), "above", Thing(shape="star")), False),
        (Related(Thing(shape="circle"), "above", Thing(shape="heart")), False),
        (Related(Thing(shape="circle"), "left", Thing(shape="circle")), False),
        (Located(((Thing(shape="circle"), "left"), (Thing(shape="star"), "right"))), True),
        (Located(((Thing(shape="circle"), "top"),)), True),
        (Located(((Thing(shape="heart"), "bottom"),)), False),
    ],
)
def test_what_holds(meaning: Has | Related | Located, expected: bool) -> None:
    assert holds(meaning, SCENE) is expected


def test_unclear_directions_and_places_are_none() -> None:
    assert direction_of(DISC, Obj("star", "blue", "big", "plain", 164, 164)) is None
    assert direction_of(DISC, Obj("star", "blue", "big", "plain", 84, 64)) is None
    assert places_of(Obj("star", "blue", "big", "plain", 128, 140)) == ()
    assert places_of(DISC) == ("left", "top")


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), kind=st.sampled_from(KINDS))
def test_a_caption_says_what_it_was_made_to_say(seed: int, kind: str) -> None:
    dice = seeded(seed)
    scene = scene_for(dice, kind, "test")
    meaning = meaning_of(dice, scene, kind)
    if meaning is None:
        return
    understood = read(say(dice, meaning))
    assert understood is not None
    assert holds(understood, scene)
    if isinstance(meaning, Has):
        assert isinstance(understood, Has)
        assert sorted(map(repr, understood.groups)) == sorted(map(repr, meaning.groups))
