import json

import pytest

from backend.benchmarks import load_benchmark
from backend.errors import UsageError
from backend.items import Protocol
from tests.benchmarks.samples import video_grounding as sample
from tests.benchmarks.samples.pictures import picture


@pytest.fixture
def folder(tmp_path):
    sample.write(tmp_path)
    return tmp_path


def by_id(folder, split=None):
    return {item.item_id.partition("/")[2]: item for item in load_benchmark("video_grounding", folder, split)}


def test_a_boundary_is_an_item_of_all_its_clips_frames(folder):
    items = by_id(folder)
    assert list(items) == [f"{sample.CLIP}_{n}A" for n in range(3)] + [f"{sample.OTHER}_0A"]
    item = items[f"{sample.CLIP}_0A"]
    assert item.protocol is Protocol.GROUNDING
    assert item.texts == ("man in a red shirt sitting", "man in a red shirt stand up")
    assert [image.key for image in item.images][:3] == [f"{sample.CLIP}/{s}" for s in ("0.000", "0.200", "0.400")]
    assert len(item.images) == 12  # the clip ends after 2.577 s; a thirteenth frame is not sure to be there
    assert item.images[11].uri.endswith(f"{sample.CLIP}/000012.jpg")
    assert item.truth == ((2, 0), (3, 1))
    assert item.tags["frames_per_second"] == ("5",)
    assert item.tags["original"] == ("Change of Action",)


def test_the_same_question_has_all_its_answers(folder):
    items = by_id(folder)
    assert items[f"{sample.CLIP}_0A"].tags["boundary_seconds"] == ("0.5", "2")
    assert items[f"{sample.CLIP}_1A"].tags["boundary_seconds"] == ("1.5",)


def test_answers_come_from_geb_pluss_own_list_where_it_is_there(folder):
    answers = {f"{sample.CLIP}_1": {"timestamp": [1.5, 1.9]}, f"{sample.OTHER}_0A": {"timestamp": 0.7}}
    (folder / "testset_location_gt.json").write_text(json.dumps(answers))
    items = by_id(folder)
    assert items[f"{sample.CLIP}_1A"].tags["boundary_seconds"] == ("1.5", "1.9")
    assert items[f"{sample.OTHER}_0A"].tags["boundary_seconds"] == ("0.7", "0.71")


def test_a_subject_that_comes_or_goes(folder):
    assert by_id(folder)[f"{sample.CLIP}_1A"].texts == ("no woman in pink", "woman in pink")


def test_frames_that_are_missing_change_nothing_but_their_files(folder):
    items = by_id(folder)
    assert all(image.missing for image in items[f"{sample.OTHER}_0A"].images)
    assert len(items[f"{sample.OTHER}_0A"].images) == 6
    whole = load_benchmark("video_grounding", folder).content_hash()
    for path in (folder / "frames").rglob("*.jpg"):
        path.unlink()
    assert load_benchmark("video_grounding", folder).content_hash() == whole


@pytest.mark.parametrize(
    ("first", "third"),
    [("0.png", "2.png"), ("00000.jpg", "00002.jpg"), ("0.000.jpg", "0.400.jpg")],
)
def test_other_names_of_frames(folder, first, third):
    picture(folder / "x" / sample.OTHER / first)
    picture(folder / "x" / sample.OTHER / third)
    images = by_id(folder)[f"{sample.OTHER}_0A"].images
    assert [k for k, image in enumerate(images) if not image.missing] == [0, 2]


def test_a_boundary_without_a_moment_is_skipped(folder):
    (skipped,) = load_benchmark("video_grounding", folder).skipped()
    assert (skipped.item, skipped.reason) == (f"{sample.OTHER}_1A", "'timestamp' is 'soon', expected seconds")


def test_broken_clips_are_skipped(folder):
    path = folder / "datasets" / "annotations" / "test.json"
    short = sample.boundary("short", 0, 0.1, "a", "b", next_timestamp=0.3)
    long = sample.boundary("long", 0, 0.1, "a", "b", next_timestamp=1e300)
    path.write_text(json.dumps({**sample.CLIPS, "none": [], "no": 3, "short": [short], "long": [long], "odd": [7]}))
    reasons = {entry.item: entry.reason for entry in load_benchmark("video_grounding", folder).skipped()}
    assert reasons["none"] == reasons["no"] == "has no list of boundaries"
    assert "no two frames" in reasons["short_0A"]
    assert "no clip does" in reasons["long_0A"]
    assert "odd, 1" in reasons


def test_the_split_that_is_there_is_named(folder):
    path = folder / "datasets" / "annotations" / "test.json"
    path.rename(path.with_name("val.json"))
    with pytest.raises(UsageError, match="It has val: say --split val"):
        load_benchmark("video_grounding", folder)
    assert [item.subset for item in load_benchmark("video_grounding", folder, "val")] == ["val"] * 4


def test_any_test_json_is_not_taken_for_it(tmp_path):
    (tmp_path / "test.json").write_text('{"0": {"filename": "1.jpg"}}')
    with pytest.raises(UsageError, match=r"expected GEB\+'s annotations/test\.json"):
        load_benchmark("video_grounding", tmp_path)


def test_boundaries_of_one_clip_are_one_group(folder):
    items = list(load_benchmark("video_grounding", folder))
    assert [item.tags["group"] for item in items] == [(sample.CLIP,)] * 3 + [(sample.OTHER,)]
