import json
from collections import Counter

import numpy as np
import pytest

from backend.benchmarks import eqben, load_benchmark
from backend.benchmarks.base import Judged
from backend.benchmarks.eqben_files import PARTS
from backend.benchmarks.eqben_pairs import key
from backend.errors import FlipsideError, UsageError
from backend.images import open_image
from tests.benchmarks.samples import eqben as sample


@pytest.fixture
def folder(tmp_path):
    sample.write(tmp_path)
    return tmp_path


def ids(folder, split=None):
    return [item.item_id for item in load_benchmark("eqben", folder, split)]


def test_the_full_annotation(folder):
    benchmark = load_benchmark("eqben", folder)
    items = list(benchmark)
    assert Counter(item.subset for item in items) == dict.fromkeys(PARTS, 2)
    assert [item.item_id for item in items][:4] == ["eqbenag/1", "eqbenag/2", "eqbenyoucook2/3", "eqbenyoucook2/4"]
    assert items[0].texts == ("the eqbenag cup 0 is red.", "the eqbenag cup 0 is blue.")
    assert items[0].truth == ((0, 0), (1, 1))
    assert items[0].tags["perturbation"] == ("edit_image",)
    (skipped,) = benchmark.skipped()
    assert (skipped.file, skipped.item, skipped.reason) == ("private_info_global.json", "15", "has no 'image1'")


def test_png_is_jpg_in_the_light_archive_and_npy_is_bgr(folder):
    items = {item.item_id: item for item in load_benchmark("eqben", folder)}
    light, array = items["eqbensd/13"].images, items["eqbenyoucook2/3"].images
    assert light[0].key == "eqbensd/video0/000001.png"
    assert light[0].uri.endswith("image/eqbensd/video0/000001.jpg")
    red, blue = (open_image(image.uri).getpixel((60, 40)) for image in array)
    assert (red, blue) == sample.COLOURS
    assert array[0].uri.startswith("bgr:")
    assert all(image.missing for image in items["eqbensd/14"].images)


def test_frames_of_one_name_are_told_apart_by_their_folders(tmp_path):
    records = [sample.quad("eqbensd", n) for n in range(40)]
    (tmp_path / "private_info_global.json").write_text(json.dumps(records))
    for record in records[:30]:
        path = tmp_path / "image" / record["image0"]
        path.parent.mkdir(parents=True)
        path.touch()
    found = [item.images[0].uri for item in load_benchmark("eqben", tmp_path)]
    assert found == [str(tmp_path / "image" / r["image0"]) for r in records[:30]] + [""] * 10


def test_winogrounds_spelling_and_an_object_of_sub_datasets(tmp_path):
    quads = {part: [sample.quad(part, 0, "_")] for part in PARTS}
    (tmp_path / "private_info_global.json").write_text(json.dumps(quads))
    assert ids(tmp_path) == [f"{part}/{n}" for n, part in enumerate(PARTS, start=1)]


def test_the_files_of_the_sub_datasets(tmp_path):
    sample.write_parts(tmp_path)
    sample.images(tmp_path, ".png")
    items = {item.item_id: item for item in load_benchmark("eqben", tmp_path)}
    assert sorted(items) == ["eqbenag/1", "eqbenag/2", "eqbengebc/1", "eqbensd/1", "eqbenyoucook2/1", "eqbenyoucook2/2"]
    assert items["eqbenag/1"].texts == (
        "the eqbenag cup 0 is red.",
        "the eqbenag cup 0 is blue.",
    )  # of each list the first
    assert items["eqbengebc/1"].images[0].key == "video0/000001.png"
    assert not items["eqbengebc/1"].images[0].missing


def test_files_of_any_name_are_known_by_their_images(tmp_path):
    quad = sample.quad("eqbenag", 0)
    quad["caption0"], quad["caption1"] = [quad["caption0"], "other"], [quad["caption1"], "other"]
    (tmp_path / "ann_ag.json").write_text(json.dumps({"video.mp4": {"man": [quad]}}))
    (tmp_path / "kubric.json").write_text(json.dumps([sample.quad(f"eqbenkubric_{k}", 0, "_") for k in ("loc", "cnt")]))
    (tmp_path / "notes.json").write_text(json.dumps([{"image0": "elsewhere/1.png"}]))
    (tmp_path / "ann_json_finegrained_random.json").write_text("[]")  # without its key
    found = {item.item_id: item for item in load_benchmark("eqben", tmp_path)}
    assert sorted(found) == ["eqbenag/1", "eqbenkubric_cnt/2", "eqbenkubric_loc/1"]
    assert found["eqbenag/1"].texts == ("the eqbenag cup 0 is red.", "the eqbenag cup 0 is blue.")
    (tmp_path / "eqben_subset_10percent_final.json").write_text(json.dumps([sample.quad("eqbensd", 0)]))
    assert ids(tmp_path) == ["eqbensd/1"]  # a name of the release goes before


@pytest.mark.parametrize(
    ("file", "split"), [("eqben_subset_10percent_final.json", "10percent"), ("all_select.json", "mini")]
)
def test_small_editions_are_grouped_by_their_paths(folder, file, split):
    quads = sample.all_quads(1)[::-1]
    (folder / file).write_text(json.dumps(quads))
    assert ids(folder, split) == [f"{part}/{n}" for n, part in enumerate(reversed(PARTS), start=1)]
    assert len(ids(folder)) == 14  # the full one where nothing is said
    (folder / "private_info_global.json").unlink()
    assert len(ids(folder)) == 7


def test_quads_are_rebuilt_from_shuffled_pairs(tmp_path, folder):
    whole = list(load_benchmark("eqben", folder))
    pairs = tmp_path / "pairs"
    pairs.mkdir()
    order = sample.write_pairs(pairs)
    found = list(load_benchmark("eqben", pairs))
    same = [(item.item_id, item.texts, [image.key for image in item.images]) for item in found]
    assert same == [(item.item_id, item.texts, [image.key for image in item.images]) for item in whole]
    known = key(pairs / "src_file" / "private_info.json", pairs / "src_file" / "private_random_idx.json")
    shuffled = json.loads((pairs / "ann_json_finegrained_random.json").read_text())
    at = order.index(5)  # cell c0i1 of quad 1
    assert (known.quad[at], known.cell[at]) == (1, 1)
    assert (shuffled[at]["image"], shuffled[at]["caption"]) == (whole[1].images[1].key, whole[1].texts[0])


def test_pairs_without_their_key_have_no_quads(tmp_path):
    sample.write_pairs(tmp_path, key=False)
    with pytest.raises(
        UsageError, match=r"has no quads.*Put private_info\.json and private_random_idx\.json beside it"
    ):
        load_benchmark("eqben", tmp_path)


def test_a_key_of_another_release_is_refused(tmp_path):
    sample.write_pairs(tmp_path)
    path = tmp_path / "src_file" / "private_random_idx.json"
    order = json.loads(path.read_text())
    path.write_text(json.dumps([order[1], *order[1:]]))
    with pytest.raises(FlipsideError, match="is no permutation of the 56 entries"):
        list(load_benchmark("eqben", tmp_path))
    path.write_text(json.dumps(order))
    pairs = tmp_path / "ann_json_finegrained_random.json"
    some = json.loads(pairs.read_text())
    pairs.write_text(json.dumps(some[:-1]))
    with pytest.raises(FlipsideError, match="holds not the 56 pairs"):
        list(load_benchmark("eqben", tmp_path))
    pairs.write_text(json.dumps([{"image": "eqbensd/other.png", "caption": "another"}, *some[1:]]))
    assert "do not name the same two images" in load_benchmark("eqben", tmp_path).skipped()[0].reason


def test_a_wrong_folder_names_every_edition(tmp_path):
    with pytest.raises(UsageError, match=r"expected private_info_global\.json.*found an empty folder"):
        load_benchmark("eqben", tmp_path)
    sample.write(tmp_path)
    with pytest.raises(UsageError, match=r"expected EqBen-Mini.*all_select\.json"):
        load_benchmark("eqben", tmp_path, "mini")


def test_the_papers_five_sub_datasets():
    right = {"eqbenag": [1, 0], "eqbenyoucook2": [1], "eqbengebc": [1], "eqbensd": [0], "eqbenkubric_loc": [1, 1, 1],
             "eqbenkubric_attr": [0], "eqbenkubric_cnt": [1, 0]}  # fmt: skip
    subset = [part for part, values in right.items() for _ in values]
    correct = np.array([value for values in right.values() for value in values], float)

    def scores(keep):
        chosen = Judged(subset, [subset[k] for k in keep], [{}] * len(keep), correct[keep], "group_score")
        return {line.name: line for line in eqben.scores(chosen)}

    found = scores(np.arange(len(subset)))
    assert found["Eq-Kubric"].value == pytest.approx((1 + 0 + 0.5) / 3)
    assert found["Eq-AG"].value == 0.5
    assert found["mean"].value == pytest.approx((0.5 + 1 + 1 + 0.5 + 0) / 5)
    without = scores(np.array([k for k, part in enumerate(subset) if part != "eqbenkubric_cnt"]))
    assert without["Eq-Kubric"].value is None
    assert "no items of eqbenkubric_cnt" in without["Eq-Kubric"].how
    assert without["mean"].value is None
    rates = {part: dict.fromkeys(eqben.METRICS, (0.5, 2)) for part in PARTS}
    rates["eqbenag"]["text_score"] = (1.0, 2)
    chosen = Judged(subset, subset, [{}] * len(subset), correct, "group_score", rates=rates)
    assert {line.name: line.value for line in eqben.scores(chosen)}["mean of 15 scores"] == pytest.approx(8 / 15)


@pytest.mark.parametrize(
    "content", ['{"v": [{"image0": "eqbensd/1.png", "im', '[{"image0": "eqbensd/1.png"', "", "3", '"x"']
)
def test_a_broken_annotation_stops_with_its_file(tmp_path, content):
    (tmp_path / "private_info_global.json").write_text(content)
    with pytest.raises(FlipsideError, match=r"private_info_global\.json.*(cut off|expected|no JSON)"):
        list(load_benchmark("eqben", tmp_path))


def test_what_is_no_record_is_skipped(tmp_path):
    good = sample.quad("eqbensd", 0)
    odd = [
        7,
        None,
        good | {"caption0": []},
        good | {"image1": "../../secret.png"},
        good | {"image0": "elsewhere/1.png"},
    ]
    (tmp_path / "private_info_global.json").write_text(json.dumps([*odd, good]))
    benchmark = load_benchmark("eqben", tmp_path)
    assert [item.item_id for item in benchmark] == ["eqbensd/6"]
    reasons = [entry.reason for entry in benchmark.skipped()]
    assert len(reasons) == 5
    assert "leads out of the folder" in reasons[3]
    assert "is in none of eqbenag" in reasons[4]


def test_what_is_no_record_among_videos_is_named_and_records_need_no_list(tmp_path):
    first, second, third = (sample.quad("eqbengebc", n) for n in range(3))
    videos = {"v": [first, "oops", None], "w": "nothing", "x": {"id": "own"} | second, "y": {"z": [third]}}
    (tmp_path / "eqbengebc.json").write_text(json.dumps(videos))
    benchmark = load_benchmark("eqben", tmp_path)
    assert {item.item_id: item.texts[0] for item in benchmark} == {
        "eqbengebc/1": first["caption0"],
        "eqbengebc/own": second["caption0"],
        "eqbengebc/5": third["caption0"],
    }
    assert len(benchmark.skipped()) == 3


def test_frames_of_one_video_are_one_group_and_rendered_images_none(folder, tmp_path):
    items = list(load_benchmark("eqben", folder))
    videos = {"eqbenag", "eqbenyoucook2", "eqbengebc"}
    told = {item.item_id: item.tags.get("group") for item in items}
    assert len(told) == 14
    for item in items:
        n = item.images[0].key.split("/")[1]
        assert told[item.item_id] == ((f"{item.subset}/{n}",) if item.subset in videos else None)
