"""Foils against the prior are the likelier texts, by the documented weights alone."""

from math import isclose, log

import pytest

from backend.world import HELD_OUT
from backend.world.dice import seeded
from backend.world.language.captions import scene_for
from backend.world.language.foils import MAKERS, MARGIN, likelier_foils, log_prior
from backend.world.language.meanings import Has, Related, Thing
from backend.world.prior import SKEWED
from backend.world.truth import holds


@pytest.mark.parametrize("concept", list(MAKERS))
def test_foils_are_likelier_and_false(concept: str) -> None:
    dice, found = seeded(31), 0
    for _ in range(400):
        scene = scene_for(dice, "count" if concept == "count" else "relation", "test")
        made = MAKERS[concept](dice, scene)
        if made is None:
            continue
        truth, options = made
        assert holds(truth, scene)
        for foil in likelier_foils(truth, options, scene):
            found += 1
            assert log_prior(foil) >= log_prior(truth) + MARGIN
            assert not holds(foil, scene)
            if isinstance(foil, Has):
                assert not {(t.colour, t.shape) for t, _ in foil.groups} & HELD_OUT
    assert found > 50


def test_the_prior_of_a_meaning_is_its_words_weights() -> None:
    disc, heart = Thing(colour="red", shape="circle"), Thing(colour="pink", shape="heart")
    gain = log_prior(Has(((disc, 1),))) - log_prior(Has(((heart, 1),)))
    assert isclose(gain, log(840 / 120) + log(840 / 2) - log(168))
    left, right = (log_prior(Related(disc, where, heart)) for where in ("left", "right"))
    assert isclose(left - right, log(7))
    one, five = (log_prior(Has(((disc, n),), counted=True)) for n in (1, 5))
    assert isclose(one - five, log(5))


def test_the_skew_is_what_the_text_says() -> None:
    assert [SKEWED.weights["direction"][d] for d in ("left", "right", "above", "below")] == [7, 1, 4, 1]
    assert [SKEWED.weights["count"][n] for n in "12345"] == [840, 420, 280, 210, 168]
