import json
from collections import Counter

import numpy as np
import pytest

from backend.benchmarks import aro, load_benchmark
from backend.benchmarks.base import Judged
from backend.errors import UsageError
from backend.images import open_image
from tests.benchmarks.samples import aro as sample


@pytest.fixture
def folder(tmp_path):
    sample.write(tmp_path)
    return tmp_path


def by_id(folder):
    return {item.item_id: item for item in load_benchmark("aro", folder)}


def test_counts_and_what_is_skipped(folder):
    benchmark = load_benchmark("aro", folder)
    counts = Counter(item.subset for item in benchmark)
    assert counts == {"vg_relation": 3, "vg_attribution": 28, "coco_order": 5, "flickr30k_order": 5}
    (skipped,) = benchmark.skipped()
    assert (skipped.file, skipped.item) == ("visual_genome_relation.json", "3")
    assert "0 x 20" in skipped.reason


def test_a_relation_keeps_its_number_and_asks_about_its_region(folder):
    items = by_id(folder)
    item = items["vg_relation/1"]
    assert item.texts == ("the cup is to the left of the plate", "the plate is to the left of the cup")
    assert item.tags["relation_name"] == ("to the left of",)
    assert item.tags["concept"] == ("spatial",)
    assert items["vg_relation/4"].tags["concept"] == ("action",)
    assert items["vg_relation/4"].images[0].missing
    assert item.images[0].key == "1111.jpg#10,5,30,20"
    assert open_image(item.images[0].uri).size == (30, 20)
    assert items["vg_attribution/1"].tags["attributes"] == ("red", "wooden")


def test_order_parts_have_four_foils_made_anew_and_the_same_each_time(folder):
    items = by_id(folder)
    item = items["coco_order/1"]
    assert item.texts[0] == "a black dog and a white cat sit on the old sofa"
    assert len(item.texts) == 5
    for name, foil in zip(aro.SHUFFLES, item.texts[1:], strict=True):
        assert (foil == item.texts[0]) == (name in item.tags.get("unchanged", ()))
        assert Counter(foil.split()) == Counter(item.texts[0].split())
    assert items == by_id(folder)
    assert [items[f"coco_order/{n}"].source for n in (1, 4)] == [
        "coco_karpathy_test.json:1",
        "coco_karpathy_test.json:2",
    ]
    assert not item.images[0].missing


def test_foils_that_equal_the_caption_are_kept_and_named(folder):
    item = by_id(folder)["coco_order/2"]
    assert item.texts == ("dogs",) * 5
    assert item.tags["unchanged"] == aro.SHUFFLES


def test_a_malformed_image_moves_no_number(folder):
    path = folder / "coco_karpathy_test.json"
    path.write_text(json.dumps([{"caption": ["one", "two"]}, *json.loads(path.read_text())]))
    benchmark = load_benchmark("aro", folder)
    assert [item.item_id for item in benchmark if item.subset == "coco_order"] == [
        f"coco_order/{n}" for n in range(3, 8)
    ]
    assert [(entry.file, entry.item) for entry in benchmark.skipped()][1] == ("coco_karpathy_test.json", "1")


def test_the_drop_list_is_the_papers():
    assert len(aro.DROPPED) == 157
    assert {"near", "wrapped in", "adjusting"} <= aro.DROPPED
    assert not {"to the left of", "holding", "on"} & aro.DROPPED


def judged(rows, metric="accuracy", scores=None):
    return Judged(
        [f"{subset}/{n}" for n, (subset, _, _) in enumerate(rows)],
        [subset for subset, _, _ in rows],
        [tags for _, tags, _ in rows],
        np.array([correct for _, _, correct in rows], float),
        metric,
        scores,
    )


def test_macro_accuracies_are_aros():
    rows = [("vg_relation", {"relation_name": (name,)}, right) for name, right in
            (("on", 1), ("on", 0), ("holding", 1), ("near", 0), ("riding", np.nan))]  # fmt: skip
    rows += [("vg_attribution", {"original": ("red_old",)}, 1.0)] * 20
    rows += [("vg_attribution", {"original": ("red_old",)}, 0.0)] * 5
    rows += [("vg_attribution", {"original": ("old_red",)}, 1.0)] * 24
    found = {line.name: (line.value, line.n) for line in aro.scores(judged(rows))}
    assert found == {"vg_relation_macro_accuracy": (0.75, 3), "vg_attribution_macro_accuracy": (0.8, 25)}
    assert aro.scores(judged(rows, "text_score")) == []


def test_order_scores_count_ties_as_right_and_say_how_many_foils_are_unchanged():
    rows = [("coco_order", {}, 0), ("coco_order", {"unchanged": ("trigrams",)}, 0), ("coco_order", {}, np.nan)]
    scores = np.array([[0.5, 0.6, 0.1], [0.5, 0.5, 0.2], [0.5, np.nan, 0.1]])
    (line,) = aro.scores(judged(rows, scores=scores))
    assert (line.name, line.value, line.n) == ("coco_order_precision_at_1", 0.5, 2)
    assert "1 items have an unchanged foil" in line.how
    assert aro.scores(judged(rows)) == []


def test_a_wrong_folder_names_the_files(tmp_path):
    with pytest.raises(UsageError, match=r"visual_genome_relation\.json.*flickr30k_test\.json"):
        load_benchmark("aro", tmp_path)
