"""COCO-FG and Flickr30K-FG: matched by name, with images that belong to no caption, down to the report."""

import json

import numpy as np
import pytest

from backend.benchmarks import load_benchmark
from backend.engine.runner import run
from backend.errors import FlipsideError, UsageError
from backend.store.build.reader import open_store
from backend.store.scores import outcomes, pools
from backend.store.scores.setting import Setting
from tests.benchmarks.samples import coco_fg


@pytest.fixture(autouse=True)
def no_shipped_results(monkeypatch, tmp_path):
    """Only what a test writes is imported."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "shipped")


@pytest.fixture
def folder(tmp_path):
    coco_fg.write(tmp_path)
    return tmp_path


def test_images_keep_the_arrays_order_and_captions_are_found_by_name(folder):
    found = list(load_benchmark("coco_fg", folder))
    annotated = [f"test/{name}" for name in coco_fg.ANNOTATED[::-1]]
    assert [item.item_id for item in found] == [*annotated, *(f"test/{n[:-4]}" for n in coco_fg.DISTRACTORS)]
    assert found[0].texts == tuple(coco_fg.captions(coco_fg.ANNOTATED[-1]))
    assert [len(item.texts) for item in found] == [5] * 3 + [0] * 6
    assert found[3].tags["original"] == ("distractor",)
    assert found[3].images[0].uri == str(folder / "unlabeled2017" / coco_fg.DISTRACTORS[0])
    assert found[-1].images[0].missing
    assert {item.subset for item in found} == {"test"}


def test_flickr_names_have_no_prefix(tmp_path):
    coco_fg.write_flickr(tmp_path)
    found = list(load_benchmark("flickr30k_fg", tmp_path))
    assert found[0].item_id == "test/1000000031"
    assert len(found) == 8


def test_import_counts_image_queries_as_items(folder, flipside):
    found = flipside("import", "coco_fg", "--data", folder, "--json").json
    assert found["protocol"] == "retrieval"
    assert (found["n_items"], found["n_images"], found["n_images_missing"], found["n_texts"]) == (3, 9, 1, 15)
    assert found["unexpected_counts"] == {"test": [3, 5000]}


def test_captions_without_an_image_and_broken_ones_are_named(folder):
    path = folder / "Annotations" / "MSCOCO_FG_ann.json"
    document = json.loads(path.read_text())
    document["COCO_val2014_000000000099"] = ["an image that is not in the array"]
    document[coco_fg.ANNOTATED[0]][1] = " "
    path.write_text(json.dumps(document))
    benchmark = load_benchmark("coco_fg", folder)
    assert [(entry.item, entry.reason) for entry in benchmark.skipped()] == [
        (coco_fg.ANNOTATED[0], "caption 2 is blank or no text"),
        (
            "COCO_val2014_000000000099",
            "has captions, but its image is not among those of MSCOCO_FG_img_filenames.npy",
        ),
    ]


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.array([{"pickled": 1}], dtype=object), "is no array file of names"),
        (np.arange(3), "expected one dimension of texts, found 1 dimensions of type int64"),
        (np.array([["a.jpg"]]), "found 2 dimensions"),
        (None, "is no array file of names"),
    ],
)
def test_another_array_is_refused_and_nothing_is_unpickled(folder, array, said):
    path = folder / "Images" / "MSCOCO_FG_img_filenames.npy"
    if array is None:
        path.write_bytes(path.read_bytes()[:60])
    else:
        np.save(path, array, allow_pickle=True)
    with pytest.raises(FlipsideError, match=rf"{path.name}: .*{said}"):
        list(load_benchmark("coco_fg", folder))


def test_names_that_lead_out_of_the_folder_are_skipped(folder):
    path = folder / "Images" / "MSCOCO_FG_img_filenames.npy"
    np.save(path, np.array(["../secret.jpg", *np.load(path)]))
    (first, *_) = load_benchmark("coco_fg", folder).skipped()
    assert "leads out of the folder" in first.reason


def test_without_the_names_there_is_no_pool(folder):
    (folder / "Images" / "MSCOCO_FG_img_filenames.npy").unlink()
    with pytest.raises(UsageError, match=r"without MSCOCO_FG_img_filenames\.npy"):
        load_benchmark("coco_fg", folder)


@pytest.mark.long
def test_text_queries_see_the_whole_pool_and_only_annotated_images_are_queries(folder):
    summary = run("bundled:clip", load_benchmark("coco_fg", folder), ["itc"])
    assert summary.asked["images_encoded"] == 8  # the ninth has no file
    store = open_store(follow=False)
    (pool,) = pools.pools(store.run(summary.run_id), "itc")
    assert pool.scores.shape == (8, 15)
    assert pool.relevance.any(axis=1).tolist() == [True] * 3 + [False] * 5
    frame = outcomes.compute(store, summary.run_id, Setting("itc"))
    asked = frame[frame["correct"].notna()]
    i2t, t2i = (asked[asked["metric"] == f"{side}_recall_at_1"] for side in ("i2t", "t2i"))
    assert len(i2t) == 3
    assert len(t2i) == 15
    assert set(i2t["candidates"]) == {15}
    assert set(t2i["candidates"]) == {8}
    by_hand = pool.scores[:, 0] >= pool.scores[0, 0]
    by_hand[0] = False
    assert bool(t2i["correct"].iloc[0]) is not bool(by_hand.any())


def test_a_run_over_distractors_is_resumed_without_asking_again(folder):
    benchmark = load_benchmark("coco_fg", folder)
    first = run("fake:ok", benchmark, ["itc", "itm"])
    again = run("fake:ok", benchmark, ["itc", "itm"])
    assert first.run_id == again.run_id
    assert again.computed == 0
    assert first.parts["itm"]["rows"] == 8 * 15  # distractors are judged against every text, too
    assert first.parts["embeddings:image"]["rows"] == 8


@pytest.mark.long
def test_report_counts_the_images_that_were_asked_about(folder, flipside):
    run("fake:ok", "coco_fg", ["itc"], data_dir=folder)
    found = flipside("report", "--model", "fake:ok", "--benchmark", "coco_fg", "--json").json
    assert found["n_items"] == found["metrics"]["i2t_recall_at_1"]["n"] == len(coco_fg.ANNOTATED)
