"""The study of teaching: its tests are drawn as they say, its arithmetic holds where the truth is known."""

import numpy as np
import pytest

from backend.teach.pairs.examples import from_world
from backend.world.quads import CONCEPTS
from backend.world.scenes import Scene, split_of
from scripts.teach_study import cells, compared, page, world
from scripts.teach_study.cells import Judged


def test_verdicts_and_parts_by_hand():
    scores = np.array([[[4, 2], [1, 8]], [[1, 2], [0, 3]], [[1, 2], [2, 1]]], np.float32)
    told = compared.verdicts(scores)
    assert {name: values.tolist() for name, values in told.items()} == {
        "text_score": [True, False, False],
        "image_score": [True, True, False],
        "group_score": [True, False, False],
        "group_match": [True, True, False],
    }
    parts = compared.parts(scores)
    assert parts["gamma"] == pytest.approx(np.mean([2.25, 0.5, -0.5]))
    assert parts["abs_c"] == pytest.approx(np.mean([1.25, 1, 0]))
    assert parts["abs_r"] == pytest.approx(np.mean([0.75, 0, 0]))
    assert parts["deviation_v1"] == pytest.approx(np.mean([abs(2 - 1), abs(2 - 0), 0]))
    assert parts["deviation_v2"] == pytest.approx(np.mean([abs(2 - 7), abs(3 - 6), abs(-1 - 3), abs(1 - 1), 0, 0]))
    truths, foils = scores[:, [0, 1], [0, 1]].ravel(), scores[:, [0, 1], [1, 0]].ravel()
    wins = np.sign(truths[:, None] - foils[None, :])
    assert parts["auroc"] == pytest.approx(np.mean((wins + 1) / 2))


def test_a_difference_is_counted():
    found = compared.difference([np.array([1, 1, 0, 1], bool)] * 2, [np.array([1, 0, 1, 0], bool)] * 2)
    assert (found["mean"], found["by_seed"], found["won"], found["lost"]) == (0.25, [0.25, 0.25], 4, 2)
    assert found["ends"][0] < 0.25 < found["ends"][1]
    assert compared.difference([np.ones(3, bool)], [np.zeros(3, bool)])["ends"] is None


@pytest.mark.parametrize(("of_seed", "of_item"), [(0.0, 1.0), (0.3, 1.0), (0.3, 0.0)])
def test_the_interval_holds_the_truth_whether_seeds_or_items_scatter(of_seed, of_item):
    """True difference 0, three seeds that scatter, items that are hard for one side under every seed."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(300):
        hard = of_item * rng.normal(size=(2, 1, 200))
        shift = of_seed * rng.normal(size=(2, 3, 1))
        ours, theirs = (hard + shift + rng.normal(size=(2, 3, 200))) > 0
        low, high = compared.difference(list(ours), list(theirs))["ends"]
        held += low <= 0 <= high
    assert held >= 0.93 * 300


def test_the_tests_are_of_the_test_split_and_each_text_is_of_its_picture():
    drawn = world.quads("attribute", 20)
    assert drawn.pixels.shape == (40, 64, 64, 3)
    assert len(drawn.texts) == 40
    assert all(a != b for a, b in zip(drawn.texts[::2], drawn.texts[1::2], strict=True))
    assert set(world.SETS) == {*CONCEPTS, world.UNSEEN}
    assert len(set(world.gallery(30).texts)) == 30
    _, called = world.single(50)
    assert {world.NAMES[k].split()[0] for k in called} == {"a"}


def test_what_is_trained_on_is_not_tested_on():
    data = from_world(50, cells.CONCEPTS, 0)
    scenes = [Scene.decode(each.image.key.removeprefix("world:")) for each in data.examples]
    assert {split_of(scene) for scene in scenes} == {"train"}


def test_the_page_has_every_recipe_and_bolds_what_leaves_out_zero():
    rng = np.random.default_rng(0)

    def cell(better: float) -> Judged:
        scores = {name: rng.normal(size=(60, 2, 2)).astype(np.float32) for name in world.SETS}
        for values in scores.values():
            values[:, [0, 1], [0, 1]] += better
        return Judged(scores, {"image to text, R@1": rng.random(60) < 0.5})

    kept = {"baseline": {s: cell(0) for s in range(3)}, "binding": {s: cell(4) for s in range(3)}}
    against = compared.against(kept["binding"], kept["baseline"])
    whole = against | {"all": compared.over_sets(kept["binding"], kept["baseline"])}
    told = page.page(
        {
            "date": "2026-11-24", "machine": "a machine", "torch": "2.15.0", "settings": cells.settings(), "n": 60,
            "seeds": [0, 1, 2], "sets": list(world.SETS), "hits": ["image to text, R@1"],
            "base": compared.told(cell(0)),
            "cells": {name: {str(s): compared.told(c) for s, c in own.items()} for name, own in kept.items()},
            "against_baseline": {"binding": whole},
        }
    )  # fmt: skip
    row = next(line for line in told.splitlines() if line.startswith("| `binding` | **+"))
    assert row.count("**+") == len(world.SETS)
    assert "{" not in told
