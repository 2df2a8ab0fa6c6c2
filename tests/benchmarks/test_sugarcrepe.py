"""SugarCrepe: keys kept, the unrefined edition passed over, SugarCrepe++'s files of the same names told apart."""

import json
from collections import Counter

import numpy as np
import pytest

from backend.benchmarks import declaration, load_benchmark, recognise
from backend.benchmarks.base import Judged
from backend.benchmarks.sugarcrepe import PAIRS, official_pairs
from backend.errors import FlipsideError, UsageError
from backend.items import Protocol, Skipped
from tests.benchmarks.samples import sugarcrepe, sugarcrepe_pp


@pytest.fixture
def folder(tmp_path):
    sugarcrepe.write(tmp_path)
    return tmp_path


def test_items_are_true_caption_and_foil_under_their_own_keys(folder):
    items = list(load_benchmark("sugarcrepe", folder))
    assert Counter(item.subset for item in items) == {name: len(pairs) for name, pairs in sugarcrepe.PAIRS.items()}
    assert [item.item_id for item in items if item.subset == "swap_obj"] == ["swap_obj/0", "swap_obj/2"]
    first = items[0]
    assert first.item_id == "add_att/0"
    assert first.protocol is Protocol.CHOICE
    assert first.texts == ("A man holds an umbrella.", "A man holds a torn umbrella.")
    assert first.truth == ((0, 0),)
    assert first.source == "add_att.json:0"
    assert load_benchmark("sugarcrepe", folder).skipped() == []


def test_the_file_name_says_concept_and_perturbation(folder):
    tags = {item.subset: item.tags for item in load_benchmark("sugarcrepe", folder)}
    assert tags["replace_rel"]["concept"] == ("relation",)
    assert tags["add_obj"]["concept"] == ("object",)
    assert tags["swap_att"]["concept"] == ("attribute",)
    assert tags["swap_att"]["perturbation"] == ("swap",)
    assert tags["swap_att"]["original"] == ("swap_att",)


def test_images_are_coco_val2017_and_missing_ones_are_counted(folder):
    images = {item.images[0].key: item.images[0].uri for item in load_benchmark("sugarcrepe", folder)}
    assert images["000000000101.jpg"] == str(folder / "images" / "val2017" / "000000000101.jpg")
    assert images["000000000103.jpg"] == ""


def test_a_value_that_is_no_record_is_skipped_with_its_key(folder):
    path = folder / "data" / "swap_obj.json"
    path.write_text(json.dumps({**sugarcrepe.records("swap_obj"), "accuracy": 0.85, "9": {"filename": "a.jpg"}}))
    assert load_benchmark("sugarcrepe", folder).skipped() == [
        Skipped("swap_obj.json", "is a number, expected an object with 'filename'", item="accuracy"),
        Skipped("swap_obj.json", "has no 'caption'", item="9"),
    ]


def test_one_file_alone_is_enough(tmp_path):
    (tmp_path / "swap_att.json").write_text(json.dumps(sugarcrepe.records("swap_att")))
    assert {item.subset for item in load_benchmark("sugarcrepe", tmp_path)} == {"swap_att"}
    assert len(declaration("sugarcrepe").missing_files(declaration("sugarcrepe").opened(tmp_path))) == 6


def test_the_unrefined_edition_alone_is_refused(tmp_path):
    (tmp_path / "data_unrefined").mkdir()
    (tmp_path / "data_unrefined" / "swap_att.json").write_text("{}")
    with pytest.raises(UsageError, match=r"expected add_att\.json"):
        load_benchmark("sugarcrepe", tmp_path)


def test_the_same_names_of_sugarcrepe_pp_are_told_apart(tmp_path):
    for name, sample in (("sugarcrepe", sugarcrepe), ("sugarcrepe_pp", sugarcrepe_pp)):
        (tmp_path / name).mkdir()
        sample.write(tmp_path / name)
    for name, other in (("sugarcrepe", "sugarcrepe_pp"), ("sugarcrepe_pp", "sugarcrepe")):
        with pytest.raises(UsageError, match=f"import {name}"):
            load_benchmark(other, tmp_path / name)
        assert recognise(tmp_path / name) == [name]
        apart, together = load_benchmark(name, tmp_path / name), load_benchmark(name, tmp_path)
        assert together.content_hash() == apart.content_hash()
        assert together.skipped() == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "found an empty file"),
        (b'{"0": {"filename": "a.jpg", "capt', "cut off"),
        ('{"0": "é"}'.encode("utf-16"), "UTF-16"),
        (b"<html>", "a web page"),
    ],
    ids=["empty", "cut", "utf-16", "web page"],
)
def test_a_broken_file_is_named(tmp_path, content, says):
    (tmp_path / "swap_att.json").write_bytes(content)
    with pytest.raises(FlipsideError, match=says) as refused:
        list(load_benchmark("sugarcrepe", tmp_path))
    assert "swap_att.json" in str(refused.value)


@pytest.mark.long
def test_the_original_files(shared_data):
    benchmark = load_benchmark("sugarcrepe", shared_data / "sugarcrepe")
    items = list(benchmark)
    assert Counter(item.subset for item in items) == PAIRS.counts
    assert (len(items), len({item.item_id for item in items})) == (7511, 7511)
    distinct = {subset: {item.images[0].key for item in items if item.subset == subset} for subset in PAIRS.counts}
    assert [len(distinct[name]) for name in sorted(distinct)] == [497, 908, 524, 823, 777, 593, 224]
    assert {"swap_obj/107", "swap_obj/109"} <= {item.item_id for item in items}
    assert "swap_obj/108" not in {item.item_id for item in items}
    assert benchmark.skipped() == []
    assert all(item.texts[0] != item.texts[1] for item in items)


def judged(shares):
    """Ten items of each subset, of which the given share is right."""
    subset = [name for name in shares for _ in range(10)]
    correct = np.array([float(n < 10 * share) for share in shares.values() for n in range(10)])
    return Judged([f"{name}/{n}" for n, name in enumerate(subset)], subset, [{}] * len(subset), correct, "accuracy")


def test_official_means_weigh_files_and_not_items():
    shares = dict(zip(PAIRS.counts, (0.1, 0.3, 0.5, 0.7, 0.9, 0.2, 0.6), strict=True))
    found = {score.name: score for score in official_pairs(judged(shares))}
    assert found["replace"].value == pytest.approx((0.5 + 0.7 + 0.9) / 3)
    assert found["swap"].value == pytest.approx((0.2 + 0.6) / 2)
    assert found["add"].value == pytest.approx((0.1 + 0.3) / 2)
    assert found["mean of the seven"].value == pytest.approx(sum(shares.values()) / 7)
    assert found["replace"].n == 30


def test_a_family_with_a_missing_file_has_no_mean():
    found = {score.name: score for score in official_pairs(judged({"swap_att": 0.5, "add_att": 0.5, "add_obj": 1.0}))}
    assert (found["swap"].value, found["swap"].n) == (None, 0)
    assert found["swap"].how.endswith("Undefined: no judged items of swap_obj.")
    assert found["add"].value == pytest.approx(0.75)
    assert found["mean of the seven"].value is None
