"""Many scenes at once say what `truth.holds` says of each."""

import numpy as np

from backend.world.benchmark import bundled
from backend.world.dice import seeded
from backend.world.fitting import Scenes, said
from backend.world.language.captions import KINDS, meaning_of, scene_for
from backend.world.scenes import Scene
from backend.world.truth import holds


def test_every_kind_of_meaning_is_judged_as_one_scene_at_a_time():
    dice = seeded(7)
    scenes = [scene_for(dice, kind, "test") for kind in KINDS for _ in range(40)]
    meanings = [m for scene, kind in zip(scenes, KINDS * 40, strict=False) if (m := meaning_of(dice, scene, kind))]
    assert {type(m).__name__ for m in meanings} == {"Has", "Related", "Located"}
    table = Scenes(scenes)
    found = np.array([table.holds(meaning) for meaning in meanings])
    expected = np.array([[holds(meaning, scene) for scene in scenes] for meaning in meanings])
    assert np.array_equal(found, expected)
    assert 0 < expected.sum() < expected.size / 2


def test_own_captions_of_the_bundled_world_fit_and_words_out_of_order_fit_nothing():
    choices = [item for item in bundled() if item.subset in ("choice", "triplet")][::13]
    table = Scenes([Scene.decode(item.images[0].key) for item in choices])
    for n, item in enumerate(choices):
        assert table.fit(item.texts[:1])[n]
        assert not table.fit(item.texts[len(item.truth) :])[n]
    shuffled = [item for item in choices if item.tags["perturbation"] == ("implausible",)]
    assert shuffled
    assert all(said(text) is None for item in shuffled for text in item.texts[1:])
    assert not table.fit([text for item in shuffled for text in item.texts[1:]]).any()
