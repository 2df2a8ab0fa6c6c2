"""The study of teaching: its tests are drawn as they say, its arithmetic holds where the truth is known."""

import json
import re

import numpy as np
import pytest

from backend.bundled.train import taught
from backend.teach.pairs.examples import from_world
from backend.world.quads import CONCEPTS
from backend.world.scenes import Scene, split_of
from scripts.teach_study import cells, compared, course, figures, matching, page, world
from scripts.teach_study.kept import Judged


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
    assert found["ends"][0] < found["item_ends"][0] < found["item_ends"][1] < found["ends"][1]
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
    data = from_world(50, taught.CONCEPTS, 0)
    scenes = [Scene.decode(each.image.key.removeprefix("world:")) for each in data.examples]
    assert {split_of(scene) for scene in scenes} == {"train"}


@pytest.mark.parametrize("odds", [False, True])
def test_the_page_has_every_recipe_and_bolds_what_leaves_out_zero(odds: bool):
    rng = np.random.default_rng(0)

    def cell(better: float) -> Judged:
        scores = {name: rng.normal(size=(60, 2, 2)).astype(np.float32) for name in world.SETS}
        for values in scores.values():
            values[:, [0, 1], [0, 1]] += better
        return Judged(scores, {"image to text, R@1": rng.random(60) < 0.5})

    kept = {"baseline": {s: cell(0) for s in range(3)}, "binding": {s: cell(4) for s in range(3)}}
    against = compared.against(kept["binding"], kept["baseline"], odds)
    name = "matching" if odds else "dual"
    part = {
        "settings": cells.STUDIES[name].settings(), "hits": {"image to text, R@1": 60},
        "base": compared.told(cell(0), odds),
        "cells": {name: {str(s): compared.told(c, odds) for s, c in own.items()} for name, own in kept.items()},
        "rates": [{"rate": 0.001, "mean": 0.5}],
        "against_baseline": {"binding": against},
        "course": {name: dict.fromkeys(course.TOLD, (0.1, 0.2, 0.3)) for name in kept},
    }  # fmt: skip
    found = {
        "date": "2026-11-24", "machine": "a machine", "torch": "2.15.0", "n": 60, "seeds": [0, 1, 2],
        "sets": list(world.SETS), "studies": {name: part},
    }  # fmt: skip
    told = page.page(found)
    row = next(line for line in told.splitlines() if line.startswith("| `binding` | **+"))
    assert row.count("**+") == len(world.SETS)
    assert "{" not in told
    assert ("min(pc, pf), %" in told) == odds
    drawn = [figures.differences(part, found["sets"]), figures.courses(part)]
    dots = re.findall(r'<circle[^>]* fill="([^"]+)"/>', drawn[0])
    assert len(dots) == len(world.SETS)
    assert "#ffffff" not in dots  # each interval leaves out 0
    assert drawn[1].count("<polyline ") == 2 * len(course.TOLD)


def test_what_is_called_a_match_by_hand():
    """Quad 1: both true pairs are matches and one false pair is; quad 2: neither true pair, no false one."""
    scores = np.array([[[1, 2], [-1, 3]], [[-1, -2], [-3, 0]]], np.float32)
    told = compared.told(Judged({"a": scores}, {}), odds=True)["sets"]["a"]
    assert (told["pc"], told["pf"], told["acc"], told["min_pc_pf"]) == (0.5, 0.75, 0.625, 0.5)
    assert "pc" not in compared.told(Judged({"a": scores}, {}))["sets"]["a"]


def test_a_matching_head_s_quads_are_its_own_log_odds():
    """Each cell is what the loaded model says of that picture and that caption."""
    from PIL import Image

    from backend.models import load

    model = load("bundled:matcher", "cpu", "float32")
    quads = world.quads("size", 3)
    found = matching.quad_scores(model, quads)
    pictures = [Image.fromarray(pixels) for pixels in quads.pixels]
    for quad in range(3):
        for image in range(2):
            for text in range(2):
                asked = model.itm_logits([pictures[2 * quad + image]], [quads.texts[2 * quad + text]])
                assert found[quad, image, text] == pytest.approx(float(asked[0]), abs=1e-4)
    assert matching.pairs(model, quads, quads.texts[:2])[:2] == pytest.approx(found[0], abs=1e-4)


def test_what_is_judged_is_kept(tmp_path):
    found = Judged({"a": np.ones((2, 2, 2), np.float32)}, {"b": np.array([True, False])})
    found.save(tmp_path / "cell" / "judged.npz")
    again = Judged.read(tmp_path / "cell" / "judged.npz")
    assert (again.scores["a"] == 1).all()
    assert again.hits["b"].tolist() == [True, False]


def test_the_course_is_the_mean_over_steps_and_seeds(tmp_path):
    for seed in range(2):
        lines = [{"step": 0, "held_out": {}}]
        lines += [{"step": k + 1, "loss": 1.0, "gamma": k + seed, "abs_c": 1.0, "abs_r": seed} for k in range(25)]
        (tmp_path / str(seed)).mkdir()
        (tmp_path / str(seed) / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = course.course([tmp_path / "0", tmp_path / "1"])
    assert told == {"gamma": [5.0, 15.0], "abs_c": [1.0, 1.0], "abs_r": [0.5, 0.5]}
