"""SugarCrepe++: triplets from lists of records; the uncorrected captions are passed over."""

import json
from collections import Counter

import numpy as np
import pytest

from backend.benchmarks import load_benchmark
from backend.benchmarks.base import Judged
from backend.benchmarks.sugarcrepe import TRIPLETS, official_triplets
from backend.errors import UsageError
from backend.items import Protocol, Skipped
from tests.benchmarks.samples import sugarcrepe_pp


@pytest.fixture
def folder(tmp_path):
    sugarcrepe_pp.write(tmp_path)
    return tmp_path


def test_items_are_two_paraphrases_and_a_negative_under_their_own_ids(folder):
    items = list(load_benchmark("sugarcrepe_pp", folder))
    assert Counter(item.subset for item in items) == {
        "swap_obj": 2, "swap_att": 2, "replace_obj": 2, "replace_att": 3, "replace_rel": 2,
    }  # fmt: skip
    first = items[0]
    assert first.item_id == "swap_obj/0"
    assert first.protocol is Protocol.TRIPLET
    assert first.texts == ("A cat chases a dog.", "In the picture: a cat chases a dog.", "A dog chases a cat.")
    assert first.truth == ((0, 0), (0, 1))
    assert (first.tags["concept"], first.tags["perturbation"]) == (("object",), ("swap", "paraphrase"))
    assert first.images[0].uri == str(folder / "images" / "000000000101.jpg")
    assert first.source == "swap_obj.json:1"


def test_a_record_that_lacks_something_is_skipped_with_its_number(tmp_path):
    good, *rest = sugarcrepe_pp.records("replace_att")
    rest[0].pop("caption2")
    rest[1]["id"] = "two"
    (tmp_path / "replace_att.json").write_text(json.dumps([good, *rest, "record"]))
    benchmark = load_benchmark("sugarcrepe_pp", tmp_path)
    assert [item.item_id for item in benchmark] == ["replace_att/0"]
    assert benchmark.skipped() == [
        Skipped("replace_att.json", "has no 'caption2'", item="2"),
        Skipped("replace_att.json", "'id' is a text, expected a whole number", item="3"),
        Skipped("replace_att.json", "is a text, expected an object with 'id'", item="4"),
    ]


def test_the_uncorrected_captions_alone_are_refused(tmp_path):
    (tmp_path / "generated_data").mkdir()
    (tmp_path / "generated_data" / "swap_obj.json").write_text("[]")
    with pytest.raises(UsageError, match=r"expected swap_obj\.json"):
        load_benchmark("sugarcrepe_pp", tmp_path)


@pytest.mark.parametrize("metric", ["i2t_accuracy", "t2t_accuracy"])
def test_the_official_mean_is_over_the_five_parts(metric):
    subset = [*TRIPLETS.counts, "swap_obj"]
    correct = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    tags = [{}] * 6
    (score,) = official_triplets(Judged([str(n) for n in range(6)], subset, tags, correct, metric))
    assert (score.value, score.n) == (pytest.approx((0.5 + 0 + 1 + 0 + 1) / 5), 6)
    assert official_triplets(Judged([], [], [], np.zeros(0), "p1_n_accuracy")) == []
