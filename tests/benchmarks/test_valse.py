"""VALSE: which items are valid, ids that are unique only inside a file, images of six sources."""

import json
from collections import Counter

import numpy as np
import pytest

from backend.benchmarks import declaration, load_benchmark
from backend.benchmarks.base import Judged
from backend.benchmarks.valse import PIECES, SCORED, official
from backend.errors import UsageError
from backend.items import Protocol, Skipped
from tests.benchmarks.samples import valse


@pytest.fixture
def folder(tmp_path):
    valse.write(tmp_path)
    return tmp_path


def test_the_default_split_is_what_the_annotators_accepted(folder):
    items = list(load_benchmark("valse", folder))
    assert Counter(item.subset for item in items) == dict.fromkeys(PIECES, 2)
    assert {item.tags["mturk"] for item in items} == {("3",), ("2",)}
    assert {item.tags["valid"] for item in items} == {("yes",)}
    assert load_benchmark("valse", folder).skipped() == []
    assert load_benchmark("valse", folder).split == ""


def test_split_all_reads_the_others_too_and_says_which_they_are(folder):
    benchmark = load_benchmark("valse", folder, "all")
    items = list(benchmark)
    assert (benchmark.split, len(items)) == ("all", 33)
    assert Counter(item.tags["valid"] for item in items) == {("yes",): 22, ("no",): 11}
    with pytest.raises(UsageError, match="valse has valid, all"):
        load_benchmark("valse", folder, "test")


def test_ids_are_made_unique_by_their_file(folder):
    ids = [item.item_id for item in load_benchmark("valse", folder)]
    assert {"action-replacement/actions_test_0", "actant-swap/actions_test_0"} <= set(ids)
    assert {"plurals/coco:plurals:0", "foil-it/0"} <= set(ids)
    assert len(ids) == len(set(ids)) == 22


def test_pieces_test_what_the_taxonomy_calls_it(folder):
    tags = {item.subset: item.tags for item in load_benchmark("valse", folder)}
    assert {piece: (tags[piece]["concept"][0], tags[piece]["perturbation"][0]) for piece in tags} == {
        "existence": ("existence", "negate"),
        "plurals": ("plurality", "number"),
        "counting-small-quant": ("count", "number"),
        "counting-hard": ("count", "number"),
        "counting-adversarial": ("count", "number"),
        "relations": ("spatial", "replace"),
        "action-replacement": ("action", "replace"),
        "actant-swap": ("action", "swap"),
        "coreference-standard": ("coreference", "replace"),
        "coreference-hard": ("coreference", "replace"),
        "foil-it": ("object", "replace"),
    }
    assert tags["relations"]["dataset"] == ("coco_2017",)
    assert tags["counting-hard"]["linguistic_phenomena"] == ("counting",)


def test_items_are_caption_and_foil_on_an_image_by_its_name(folder):
    items = {item.item_id: item for item in load_benchmark("valse", folder)}
    first = items["existence/existence_visual7w_0"]
    assert first.protocol is Protocol.CHOICE
    assert first.texts == ("There are no dogs.", "There are dogs.")
    assert first.images[0].uri == str(folder / "visual7w" / "v7w_0.jpg")
    assert first.source == "existence.json:existence_visual7w_0"
    assert items["actant-swap/actions_test_0"].images[0].uri == str(folder / "swig" / "images_512" / "pouring_0.jpg")
    assert items["actant-swap/actions_test_2"].images[0].missing
    assert items["coreference-hard/coref_2"].images[0].key == "VisualDialog_val2018_000000000002.jpg"


def test_a_record_without_votes_is_skipped_in_the_benchmark_and_read_in_the_whole_file(tmp_path):
    records = valse.records("plurals")
    del records["coco:plurals:0"]["mturk"]
    del records["coco:plurals:2"]["foil"]
    (tmp_path / "plurals.json").write_text(json.dumps(records))
    benchmark = load_benchmark("valse", tmp_path)
    reason = "has no 'mturk' with the annotators' votes; --split all reads it without"
    assert list(benchmark) == []
    assert benchmark.skipped() == [
        Skipped("plurals.json", reason, item="coco:plurals:0"),
        Skipped("plurals.json", "has no 'foil'", item="coco:plurals:2"),
    ]
    whole = list(load_benchmark("valse", tmp_path, "all"))
    assert ["valid" in item.tags for item in whole] == [False, True]


@pytest.mark.long
def test_the_original_files(shared_data):
    for split, counts, unwinnable in (("valid", (505, 900, 949), 0), ("all", (534, 1000, 1042), 15)):
        benchmark = load_benchmark("valse", shared_data / "valse", split)
        found = Counter(item.subset for item in benchmark)
        expected = dict(zip(("existence", "counting-small-quant", "actant-swap"), counts, strict=True))
        assert found == expected
        assert {piece: declaration("valse").counts(split)[piece] for piece in found} == expected
        assert benchmark.skipped() == []
        assert sum(item.texts[0] == item.texts[1] for item in benchmark) == unwinnable


def test_expected_counts_add_up_to_the_releases_totals():
    assert sum(declaration("valse").counts().values()) == 7702
    assert sum(declaration("valse").counts("all").values()) == 8782


def judged(rates=None):
    """Piece k has k + 1 items; the first is wrong where there are several."""
    subset = [piece for k, piece in enumerate(SCORED) for _ in range(k + 1)]
    correct = np.array([float(k == 0 or n > 0) for k in range(11) for n in range(k + 1)])
    ids = [str(n) for n in range(len(subset))]
    return Judged(ids, subset, [{}] * len(subset), correct, "accuracy", rates=rates or {})


def test_the_official_mean_weighs_pieces_and_not_items():
    (score,) = official(judged())
    assert score.value == pytest.approx((1 + sum(k / (k + 1) for k in range(1, 11))) / 11)
    assert (score.name, score.n) == ("acc_r", 66)
    assert set(SCORED) == set(PIECES)


def test_thresholded_metrics_are_averaged_over_the_pieces_where_they_are_defined():
    numbers = np.random.default_rng(3).random((11, 2))
    rates = {
        piece: {"pc": (pc, 5), "pf": (pf, 5), "threshold_accuracy": ((pc + pf) / 2, 5), "min_pc_pf": (min(pc, pf), 5)}
        for piece, (pc, pf) in zip(SCORED, numbers.tolist(), strict=True)
    }
    found = {score.name: score for score in official(judged(rates))}
    assert list(found) == ["acc_r", "pc", "pf", "acc", "min(pc, pf)"]
    assert found["min(pc, pf)"].value == pytest.approx(numbers.min(axis=1).mean())
    assert found["acc"].value == pytest.approx((found["pc"].value + found["pf"].value) / 2)
    rates["relations"]["pf"] = (None, 0)
    assert {score.name: score for score in official(judged(rates))}["pf"].value is None
    undefined = {piece: dict.fromkeys(each, (None, 0)) for piece, each in rates.items()}
    assert [score.name for score in official(judged(undefined))] == ["acc_r"]  # cosines are no probabilities


def test_votes_that_are_written_as_texts_count_the_same(tmp_path):
    record = {"image_file": "v7w_1.jpg", "caption": "There is a dog.", "foil": "There is no dog."}
    votes = {"few": {"caption": "1"}, "enough": {"caption": "2"}, "none": {"caption": "some"}}
    content = {key: record | {"mturk": value} for key, value in votes.items()}
    (tmp_path / "existence.json").write_text(json.dumps(content))
    benchmark = load_benchmark("valse", tmp_path)
    assert [item.item_id for item in benchmark] == ["existence/enough"]
    assert [entry.item for entry in benchmark.skipped()] == ["none"]


def test_a_photo_of_coco_is_one_group_under_its_names_of_2014_and_2017(tmp_path):
    votes = {"caption": 3, "foil": 0, "other": 0}
    names = {"plurals": "000000000042.jpg", "foil-it": "COCO_val2014_000000000042.jpg", "existence": "v7w_42.jpg"}
    for piece, name in names.items():
        record = {"image_file": name, "caption": "a", "foil": "b", "mturk": votes}
        (tmp_path / f"{piece}.json").write_text(json.dumps({"1": record}))
    told = {item.subset: item.tags.get("group") for item in load_benchmark("valse", tmp_path)}
    assert told == {"existence": None, "plurals": ("coco:42",), "foil-it": ("coco:42",)}
