"""VL-CheckList: files by their path, the first phrase only, the official cut, 13 types by their key."""

import json
from collections import Counter

import numpy as np
import pytest

from backend.benchmarks import declaration, load_benchmark
from backend.benchmarks.base import Judged
from backend.benchmarks.vl_checklist import OFFICIAL
from backend.benchmarks.vl_checklist_types import COUNTS, FILES, TYPES, files_of, official, type_of
from backend.errors import FlipsideError, UsageError
from backend.items import Protocol, Skipped
from tests.benchmarks.samples import vl_checklist

BENCH = {"POS": ["green bench"], "NEG": ["white bench"]}


@pytest.fixture
def folder(tmp_path):
    vl_checklist.write(tmp_path)
    return tmp_path


def read(folder, split=None):
    return {item.item_id: item for item in load_benchmark("vl_checklist", folder, split)}


def test_subsets_are_paths_and_ids_are_numbers_of_records(folder):
    items = read(folder)
    there = {subset: len(entries) for subset, entries in vl_checklist.FILES.items() if entries}
    assert Counter(item.subset for item in items.values()) == there
    first = items["Attribute/vg/color/1"]
    assert first.protocol is Protocol.CHOICE
    assert first.texts == ("green bench", "white bench")
    assert first.source == "Attribute/vg/color.json:1"
    assert load_benchmark("vl_checklist", folder).skipped() == []


def test_what_can_never_be_won_and_what_occurs_twice_stays_as_it_stands(folder):
    items = read(folder)
    assert items["Attribute/vg/color/2"].texts == ("red cup", "red cup ")
    assert items["Attribute/vg/color/3"].texts == ("black dog", " dog")
    assert items["Attribute/vg/color/4"].texts == items["Attribute/vg/color/1"].texts


def test_only_the_first_phrase_is_used_and_the_others_are_counted(folder):
    item = read(folder)["Relation/swig_action/1"]
    assert item.texts == ("a man pours tea", "a man pours a hat")
    assert item.tags["unused_pairs"] == ("2",)
    assert "unused_pairs" not in read(folder)["Attribute/vg/color/1"].tags


def test_images_are_found_by_the_files_own_reference_in_either_folder(folder):
    items = read(folder)
    assert items["Attribute/vg/color/1"].images[0].uri == str(folder / "vg" / "VG_100K" / "11.jpg")
    assert items["Attribute/vg/color/2"].images[0].uri == str(folder / "vg" / "VG_100K_2" / "12.jpg")
    assert items["Attribute/vg/color/3"].images[0].missing
    assert items["Relation/swig_action/1"].images[0].uri == str(folder / "swig" / "pouring_1.jpg")


def test_tags_are_the_common_terms_and_the_sources_own(folder):
    tags = {item.subset: item.tags for item in read(folder).values()}
    concepts = {subset: tags[subset]["concept"][0] for subset in tags}
    assert concepts["Attribute/vg/color"] == "colour"
    assert concepts["Attribute/vg/action"] == "doing"
    assert concepts["Relation/vg/action"] == concepts["Relation/swig_action"] == "action"
    assert concepts["Relation/vg/spatial"] == "spatial"
    assert concepts["Object/Size/vg_size/vg_subj_small"] == "object"
    found = tags["Object/Location/hake_location/hake_obj_mid"]
    assert (found["family"], found["type"], found["dataset"]) == (("Object",), ("mid",), ("hake",))
    assert found["original"] == ("Object/Location/hake_location/hake_obj_mid",)


def test_the_official_cut_passes_over_items_without_image_first(tmp_path):
    entries = [[f"VG_100K/{n % 3}.jpg", BENCH] for n in range(1800)] + [["VG_100K/0.jpg", {"POS": [], "NEG": []}]]
    for subset in ("Attribute/vg/color", "Attribute/vg/state"):
        (tmp_path / f"{subset}.json").parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{subset}.json").write_text(json.dumps(entries[: 1801 if subset.endswith("color") else 30]))
    (tmp_path / "VG_100K").mkdir()
    for name in ("0.jpg", "2.jpg"):
        (tmp_path / "VG_100K" / name).touch()
    items = list(load_benchmark("vl_checklist", tmp_path, "official"))
    with_image = [n for n in range(1, 1801) if (n - 1) % 3 != 1]
    assert [int(item.item_id.rpartition("/")[2]) for item in items[:OFFICIAL]] == with_image[:1000]
    assert Counter(item.subset for item in items) == {"Attribute/vg/color": 1000, "Attribute/vg/state": 20}
    assert len(read(tmp_path)) == 1830


def test_the_official_cut_needs_images(tmp_path):
    (tmp_path / "Attribute" / "vg").mkdir(parents=True)
    (tmp_path / "Attribute" / "vg" / "color.json").write_text(json.dumps([["VG_100K/1.jpg", BENCH]]))
    with pytest.raises(FlipsideError, match="no image of any item is there"):
        list(load_benchmark("vl_checklist", tmp_path, "official"))


def test_of_two_copies_the_nearer_one_is_read_once(folder):
    copy = folder / "TSVLC" / "vl_checklist_annot_data" / "data" / "Attribute" / "vg" / "color.json"
    copy.parent.mkdir(parents=True)
    copy.write_text(json.dumps([["VG_100K/1.jpg", BENCH]] * 9))
    assert len(read(folder)) == sum(map(len, vl_checklist.FILES.values()))


def test_the_family_folder_itself_may_be_given(folder):
    found = read(folder / "data" / "Relation")
    assert {item.subset for item in found.values()} == {
        "Relation/vg/action",
        "Relation/vg/spatial",
        "Relation/swig_action",
    }


def test_a_record_that_is_no_pair_is_skipped_with_its_number(tmp_path):
    entries = [["a.jpg"], ["a.jpg", {"POS": ["x"], "NEG": []}], [7, BENCH], ["../a.jpg", BENCH], ["a.jpg", BENCH], "x"]
    (tmp_path / "Relation" / "vg").mkdir(parents=True)
    (tmp_path / "Relation" / "vg" / "action.json").write_text(json.dumps(entries))
    benchmark = load_benchmark("vl_checklist", tmp_path)
    assert [item.item_id for item in benchmark] == ["Relation/vg/action/5"]
    file, pair = "Relation/vg/action.json", "is no pair of an image's name and an object with 'POS' and 'NEG'"
    assert benchmark.skipped() == [
        Skipped(file, pair, item="1"),
        Skipped(file, "has no phrase in 'NEG'", item="2"),
        Skipped(file, "the image's name is no text", item="3"),
        Skipped(file, "the file name '../a.jpg' leads out of the folder", item="4"),
        Skipped(file, pair, item="6"),
    ]


def test_a_wrong_folder_says_what_was_expected(tmp_path):
    (tmp_path / "Attribute_color_vg.json").touch()
    with pytest.raises(UsageError, match=r"expected the folders Object, Attribute and Relation.*found Attribute_color"):
        load_benchmark("vl_checklist", tmp_path)


@pytest.mark.slow
def test_the_original_files(shared_data):
    benchmark = load_benchmark("vl_checklist", shared_data / "vl-checklist")
    items = list(benchmark)
    assert Counter(item.subset for item in items) == {
        "Object/Size/vg_size/vg_subj_small": 10554,
        "Object/Location/vg_location/vg_subj_margin": 5974,
        "Attribute/vg/color": 11569,
        "Attribute/vg/state": 941,
        "Relation/vg/action": 12733,
    }
    assert all(COUNTS[subset] == n for subset, n in Counter(item.subset for item in items).items())
    assert benchmark.skipped() == []
    identical = Counter(item.subset for item in items if item.texts[0].strip() == item.texts[1].strip())
    assert identical == {"Attribute/vg/color": 66, "Attribute/vg/state": 4, "Relation/vg/action": 28}


def test_every_file_of_the_release_has_a_type_and_all_types_have_files():
    assert len(FILES) == 56
    assert {f"{name.split('/')[0]}/{(type_of(name) or ('?',))[0]}" for name in FILES} == {
        key for keys in TYPES.values() for key in keys
    }
    assert sum(len(keys) for keys in TYPES.values()) == 13
    assert {dataset: len(names) for dataset, names in files_of("Object/large").items()} == {
        "vg": 2,
        "swig": 4,
        "hake": 1,
    }
    assert {dataset: len(names) for dataset, names in files_of("Relation/action").items()} == {
        "vg": 1,
        "swig": 1,
        "hake": 1,
    }
    assert set(declaration("vl_checklist").counts("official").values()) <= set(range(1001))


def judged(files):
    """Six items a file, of which some are right, by chance."""
    rng = np.random.default_rng(5)
    subset = [name for name in files for _ in range(6)]
    correct = rng.integers(0, 2, len(subset)).astype(float)
    return Judged([str(n) for n in range(len(subset))], subset, [{}] * len(subset), correct, "accuracy")


def test_official_scores_are_means_of_means_of_means():
    one = judged(FILES)
    mean = {name: one.correct[[n for n, at in enumerate(one.subset) if at == name]].mean() for name in FILES}
    found = {score.name: score.value for score in official(one)}
    assert len(found) == 16
    large = [
        np.mean([mean[f"Object/Size/vg_size/vg_{part}_large"] for part in ("obj", "subj")]),
        np.mean([
            mean[f"Object/Size/swig_size/swig_{part}/swig_{part}_large"]
            for part in ("agent", "destination", "item", "tool")
        ]),
        mean["Object/Size/hake_size/hake_obj_large"],
    ]  # fmt: skip
    assert found["Object/large"] == pytest.approx(np.mean(large))
    five = [
        (mean[f"Attribute/vg/{kind}"] + mean[f"Attribute/vaw/{kind}"]) / 2
        for kind in ("color", "material", "size", "state", "action")
    ]
    assert [found[f"Attribute/{kind}"] for kind in ("color", "material", "size", "state", "action")] == pytest.approx(
        five
    )
    assert found["Attribute"] == pytest.approx(np.mean(five))
    action = [mean["Relation/vg/action"], mean["Relation/swig_action"], mean["Relation/hake_action"]]
    assert found["Relation"] == pytest.approx((np.mean(action) + mean["Relation/vg/spatial"]) / 2)
    six = [found[f"Object/{kind}"] for kind in ("large", "medium", "small", "center", "mid", "margin")]
    assert found["Object"] == pytest.approx(np.mean(six))


def test_a_type_without_one_of_its_files_is_undefined_and_says_which():
    found = {score.name: score for score in official(judged([name for name in FILES if name != "Attribute/vaw/size"]))}
    assert found["Attribute/size"].value is None
    assert found["Attribute/size"].how.endswith("Undefined: no judged items of Attribute/vaw/size.")
    assert found["Attribute"].how.endswith("Undefined: no judged items of Attribute/vaw/size.")
    assert found["Attribute/color"].value is not None
    assert found["Relation"].value is not None


def test_the_permuted_labels_of_the_original_are_pointed_out():
    warned = {score.name for score in official(judged(FILES)) if "A-Size, A-State" in score.how}
    assert warned == {"Attribute/size", "Attribute/state", "Attribute/action"}
