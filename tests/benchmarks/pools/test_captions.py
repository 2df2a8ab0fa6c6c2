"""COCO and Flickr30k: the same items from each of the three shapes in which their captions go round."""

import json

import numpy as np
import pytest

from backend.benchmarks import load_benchmark, recognise
from backend.benchmarks.base import Judged
from backend.benchmarks.pools.karpathy import official
from backend.errors import FlipsideError, UsageError
from backend.items import Protocol
from backend.metrics.retrieval import recall_outcomes
from tests.benchmarks.samples import coco, flickr30k

SHAPES = {"karpathy": coco.write, "blip": coco.write_blip, "clip_benchmark": coco.write_clip_benchmark}


def items(folder, name="coco", split=None):
    return list(load_benchmark(name, folder, split))


def test_test_images_are_read_with_all_their_captions_as_they_stand(tmp_path):
    coco.write(tmp_path)
    found = items(tmp_path)
    assert [item.item_id for item in found] == [f"test/COCO_val2014_0000000000{n}" for n in (11, 15, 16)]
    assert [len(item.texts) for item in found] == [5, 5, 6]
    first, _, last = found
    assert first.protocol is Protocol.RETRIEVAL
    assert first.subset == "test"
    assert first.texts == ("A red cup.", "A cup, red.", "cup", "One cup.", "The cup!")
    assert first.truth == tuple((0, n) for n in range(5))
    assert first.images[0].uri == str(tmp_path / "val2014" / first.images[0].key)
    assert last.images[0].missing
    assert first.tags["split"] == ("test",)
    assert first.source == "dataset_coco.json:1"


@pytest.mark.parametrize("shape", ["blip", "clip_benchmark"])
def test_every_shape_gives_the_same_items(tmp_path, shape):
    for name in ("karpathy", shape):
        (tmp_path / name).mkdir()
        SHAPES[name](tmp_path / name)
    original, other = (load_benchmark("coco", tmp_path / name) for name in ("karpathy", shape))
    assert [item.canonical() for item in other] == [item.canonical() for item in original]
    assert original.content_hash() == other.content_hash()


@pytest.mark.parametrize("shape", ["karpathy", "blip"])
def test_restval_is_training_data_and_rows_of_one_image_are_one_item(tmp_path, shape):
    SHAPES[shape](tmp_path)
    found = items(tmp_path, split="train")
    assert [item.item_id[-2:] for item in found] == ["12", "13"]
    assert [sorted(item.texts) for item in found] == [[f"A {x} {n}." for n in range(5)] for x in ("dog", "cat")]
    if shape == "karpathy":
        assert found[1].tags["original"] == ("restval",)


def test_the_first_five_captions_are_a_split_of_their_own(tmp_path):
    coco.write(tmp_path)
    assert [len(item.texts) for item in items(tmp_path, split="test-5")] == [5, 5, 5]
    assert load_benchmark("coco", tmp_path, "test-5").split == "test-5"
    assert load_benchmark("coco", tmp_path, "test").split == ""
    every = items(tmp_path, split="all")
    assert [item.subset for item in every] == ["train", "train", "val", "test", "test", "test"]


def test_flickr_captions_hold_commas_and_quotes(tmp_path):
    for name, write in (("a", flickr30k.write), ("b", flickr30k.write_clip_benchmark)):
        (tmp_path / name).mkdir()
        write(tmp_path / name)
    original, lines = (items(tmp_path / name, "flickr30k") for name in ("a", "b"))
    assert [i.canonical() for i in original] == [i.canonical() for i in lines]
    assert original[0].texts[0] == "Two men, one hat."
    assert original[0].texts[4] == 'He says "no, never".'
    assert original[0].item_id == "test/1000001"
    assert not original[0].images[0].missing


def test_malformed_records_are_skipped_with_the_reason(tmp_path):
    coco.write(tmp_path)
    path = tmp_path / "dataset_coco.json"
    document = json.loads(path.read_text())
    document["images"][0]["sentences"][2]["raw"] = " "
    document["images"][4]["filename"] = "../../secret.jpg"
    document["images"] += [{"split": "dev"}, "nothing", {"split": "test", "filename": "a.jpg", "sentences": []}]
    document["images"].append(document["images"][5])
    path.write_text(json.dumps(document))
    benchmark = load_benchmark("coco", tmp_path)
    assert [item.item_id[-2:] for item in benchmark] == ["16"]
    assert {entry.item: entry.reason for entry in benchmark.skipped()} == {
        "1": "'raw' is blank",
        "5": "the file name '../../secret.jpg' leads out of the folder",
        "7": "'split' is 'dev', expected train, restval, val or test",
        "8": "is a text, expected an object with 'split'",
        "9": "has no 'sentences'",
        "test/COCO_val2014_000000000016": (
            "the id test/COCO_val2014_000000000016 occurred before; the first one is kept"
        ),
    }


def test_captions_and_images_that_do_not_meet_are_named(tmp_path):
    coco.write_clip_benchmark(tmp_path)
    path = tmp_path / "coco_test_karpathy.json"
    document = json.loads(path.read_text())
    document["images"].append({"id": 99, "file_name": "x.jpg"})
    document["annotations"] += [{"image_id": 98, "caption": "Nobody's."}, {"image_id": 11}]
    path.write_text(json.dumps(document))
    benchmark = load_benchmark("coco", tmp_path)
    assert len(list(benchmark)) == 3
    assert [(entry.item, entry.reason) for entry in benchmark.skipped()] == [
        ("annotation 18", "has no 'caption'"),
        ("4", "image 99 has no caption"),
        ("image 98", "has captions, but is not among the images"),
    ]


def test_a_line_without_a_caption_is_skipped(tmp_path):
    flickr30k.write_clip_benchmark(tmp_path)
    path = tmp_path / "flickr30k_test_karpathy.txt"
    path.write_text(path.read_text() + "no caption here\n1000003.jpg, \n")
    found = load_benchmark("flickr30k", tmp_path)
    assert [(entry.line, entry.reason) for entry in found.skipped()] == [
        (12, "expected '<name>.jpg,<caption>'"),
        (13, "expected '<name>.jpg,<caption>'"),
    ]


def test_a_wrong_folder_and_a_split_that_is_not_there_get_a_sentence(tmp_path):
    with pytest.raises(UsageError, match=r"expected dataset_coco\.json, or coco_karpathy_train\.json.*an empty folder"):
        load_benchmark("coco", tmp_path)
    coco.write_clip_benchmark(tmp_path)
    with pytest.raises(UsageError, match=r"holds no val split; its files have test"):
        load_benchmark("coco", tmp_path, "val")
    with pytest.raises(UsageError, match=r"--split dev: coco has test, test-5, val, train, all"):
        load_benchmark("coco", tmp_path, "dev")
    assert recognise(tmp_path) == ["coco"]


def test_a_file_that_is_cut_off_stops_with_its_name(tmp_path):
    coco.write(tmp_path)
    path = tmp_path / "dataset_coco.json"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FlipsideError, match=r"dataset_coco\.json, line 1, column \d+: is cut off"):
        items(tmp_path)


def _judged(n, seed=0):
    """Random scores of n images with two captions each, as `report` hands them over."""
    scores = np.random.default_rng(seed).random((n, 2 * n))
    scores[np.arange(n), 2 * np.arange(n)] += 0.9
    relevance = np.repeat(np.arange(n), 2)[None, :] == np.arange(n)[:, None]
    nothing = np.zeros(0)
    judged = Judged(["test/1"], ["test"], [{}], nothing, "i2t_recall_at_1", pool=lambda _: (scores, relevance))
    return judged, scores, relevance


def test_coco_1k_is_the_mean_over_five_folds(monkeypatch):
    monkeypatch.setattr("backend.benchmarks.pools.karpathy.FOLD", 20)
    judged, scores, relevance = _judged(100)
    (found,) = official(judged)
    folds = [slice(start, start + 20) for start in range(0, 100, 20)]
    by_hand = [
        recall_outcomes(scores[f, 2 * f.start : 2 * f.stop], relevance[f, 2 * f.start : 2 * f.stop])[0]
        for f in folds
    ]  # fmt: skip
    shares = [one["i2t_recall_at_1"].correct.mean() for one in by_hand]
    assert (found.name, found.n) == ("i2t_recall_at_1_1k", 100)
    assert found.value == pytest.approx(np.mean(shares))
    whole = recall_outcomes(scores, relevance)[0]["i2t_recall_at_1"].correct.mean()
    assert found.value > whole  # a smaller pool is easier


def test_coco_1k_is_undefined_on_another_pool():
    (found,) = official(_judged(10)[0])
    assert (found.value, found.n) == (None, 0)
    assert "the pool has 10 images, not 5,000" in found.how
