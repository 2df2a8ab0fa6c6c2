"""Winoground: the same items from its three layouts, pictures inside Parquet unpacked once."""

import json

import numpy as np
import pytest

from backend.benchmarks import load_benchmark, recognise
from backend.benchmarks.base import Judged
from backend.benchmarks.reading import packed
from backend.benchmarks.winoground import official
from backend.errors import FlipsideError, UsageError
from backend.images import open_image
from backend.items import Protocol, Skipped
from tests.benchmarks.samples import winoground

LAYOUTS = {"original": winoground.write, "parquet": winoground.write_parquet, "table": winoground.write_table}


def test_items_are_two_images_and_two_captions_with_their_labels(tmp_path):
    winoground.write(tmp_path)
    first, second, third = load_benchmark("winoground", tmp_path)
    assert first.item_id == "test/0"
    assert first.protocol is Protocol.QUAD
    assert first.texts == ("a dog on a cat", "a cat on a dog")
    assert first.truth == ((0, 0), (1, 1))
    assert [image.key for image in first.images] == ["ex_0_img_0", "ex_0_img_1"]
    assert first.images[1].uri == str(tmp_path / "data" / "images" / "ex_0_img_1.png")
    assert first.source == "examples.jsonl:1"
    assert first.tags["concept"] == ("object",)
    assert second.tags["concept"] == ("relation",)
    assert third.tags["concept"] == ("object", "relation")
    assert (second.tags["tag"], second.tags["secondary_tag"]) == (("Verb-Intransitive",), ("Series",))
    assert (second.tags["collapsed_tag"], second.tags["num_main_preds"]) == (("Relation",), ("2",))
    assert "secondary_tag" not in first.tags
    assert second.tags["original"] == ("Verb-Intransitive",)


def test_its_one_split_may_be_named(tmp_path):
    winoground.write(tmp_path)
    named, plain = load_benchmark("winoground", tmp_path, "test"), load_benchmark("winoground", tmp_path)
    assert (named.split, len(list(named)), named.content_hash()) == ("", 3, plain.content_hash())
    with pytest.raises(UsageError, match="winoground has test"):
        load_benchmark("winoground", tmp_path, "val")


@pytest.mark.parametrize(
    "layout", [pytest.param(name, marks=[pytest.mark.slow] if name == "parquet" else []) for name in LAYOUTS]
)
def test_every_layout_gives_the_same_benchmark_and_its_pictures(tmp_path, layout):
    for name, write in (("one", winoground.write), ("other", LAYOUTS[layout])):
        (tmp_path / name).mkdir()
        write(tmp_path / name)
    one, other = (load_benchmark("winoground", tmp_path / name) for name in ("one", "other"))
    assert one.content_hash() == other.content_hash()
    assert other.skipped() == []
    assert recognise(tmp_path / "other") == ["winoground"]
    for item in other:
        number = int(item.item_id.split("/")[1])
        for which, image in enumerate(item.images):
            red, green, _ = open_image(image.uri).getpixel((5, 5))
            assert (red, green) == pytest.approx((30 + 60 * number, 60 + 90 * which), abs=3)


def test_why_an_item_is_hard_is_kept_where_the_file_is_there(tmp_path):
    winoground.write_table(tmp_path)
    items = list(load_benchmark("winoground", tmp_path))
    assert [item.tags.get("why_hard") for item in items] == [("AmbiguouslyCorrect",), ("No Tag",), None]
    assert items[0].tags["concept"] == ("sentence",)  # the table alone does not say


@pytest.mark.slow
def test_pictures_of_a_shard_are_unpacked_once_into_the_cache(tmp_path, flipside_cache):
    winoground.write_parquet(tmp_path)
    uris = [image.uri for item in load_benchmark("winoground", tmp_path) for image in item.images]
    assert len(set(uris)) == 6
    assert {str(path) for path in (flipside_cache / "images").iterdir()} == set(uris)
    before = {path: path.stat().st_mtime_ns for path in (flipside_cache / "images").iterdir()}
    damaged = min(before)
    damaged.write_bytes(b"")
    assert [image.uri for item in load_benchmark("winoground", tmp_path) for image in item.images] == uris
    assert {path for path in before if path.stat().st_mtime_ns != before[path]} == {damaged}
    assert damaged.stat().st_size > 0


@pytest.mark.long
def test_a_row_without_picture_is_counted_as_missing(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    rows = [
        row
        | {"image_0": {"bytes": None, "path": "x.png"}, "image_1": {"bytes": winoground.picture(0, 1), "path": None}}
        for row in winoground.ROWS
    ]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "test-00000-of-00001.parquet")
    first, *_ = load_benchmark("winoground", tmp_path)
    assert [image.missing for image in first.images] == [True, False]


def test_a_shard_that_breaks_off_is_named(tmp_path):
    winoground.write_parquet(tmp_path)
    shard = tmp_path / "data" / "test-00000-of-00002-0a1b.parquet"
    content = bytearray(shard.read_bytes())
    content[4:400] = bytes(396)  # the footer still reads well
    shard.write_bytes(content)
    with pytest.raises(FlipsideError, match=r"test-00000-of-00002-0a1b\.parquet: is broken"):
        list(load_benchmark("winoground", tmp_path))


def test_parquet_of_something_else_is_not_taken_for_it(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"text": ["a"]}), tmp_path / "test-00000-of-00001.parquet")
    assert not packed.has_columns(tmp_path / "test-00000-of-00001.parquet", ("id",))
    with pytest.raises(UsageError, match="handed out by its owners only"):
        load_benchmark("winoground", tmp_path)


def test_files_of_the_same_names_that_are_something_else_are_passed_over(tmp_path):
    (tmp_path / "examples.jsonl").write_text('{"image": "a.png", "text": "a cat"}\n')
    (tmp_path / "metadata.csv").write_text("id,file\n1,a.png\n")
    assert "winoground" not in recognise(tmp_path)
    with pytest.raises(UsageError, match="accept the licence"):
        load_benchmark("winoground", tmp_path)
    winoground.write(tmp_path)
    assert len(list(load_benchmark("winoground", tmp_path))) == 3


@pytest.mark.parametrize("content", ["\ufeff{}".encode("utf-16"), b"\xff\xfe{"], ids=["utf-16", "bytes"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, content):
    (tmp_path / "examples.jsonl").write_bytes(content)
    with pytest.raises(FlipsideError, match=r"examples\.jsonl, line 1"):
        list(load_benchmark("winoground", tmp_path))


def test_a_packed_image_archive_is_pointed_out(tmp_path):
    (tmp_path / "examples.jsonl").write_text(json.dumps(winoground.ROWS[0]) + "\n")
    (tmp_path / "images.zip").touch()
    benchmark = load_benchmark("winoground", tmp_path)
    assert [image.missing for item in benchmark for image in item.images] == [True, True]
    (note,) = benchmark.skipped()
    assert (note.file, "still packed" in note.reason) == ("images.zip", True)


def test_a_line_that_is_no_item_is_skipped_with_its_number(tmp_path):
    good = json.dumps(winoground.ROWS[0])
    lines = [good, '{"id": 1, "image_0": "a"', json.dumps(winoground.ROWS[1] | {"caption_1": " "}), '{"id": 3}', good]
    (tmp_path / "examples.jsonl").write_text("\n".join(lines))
    benchmark = load_benchmark("winoground", tmp_path)
    assert [item.item_id for item in benchmark] == ["test/0"]
    broken, *others = benchmark.skipped()
    assert (broken.line, "is no JSON" in broken.reason) == (2, True)
    assert others == [
        Skipped("examples.jsonl", "'caption_1' is blank", line=3),
        Skipped("examples.jsonl", "has no 'image_0'", line=4),
        Skipped("examples.jsonl", "the id test/0 occurred before; the first one is kept", item="test/0"),
    ]


def test_without_files_the_answer_says_how_to_get_them(tmp_path):
    for call in (lambda: load_benchmark("winoground"), lambda: load_benchmark("winoground", tmp_path)):
        with pytest.raises(UsageError, match="accept the licence"):
            call()


def test_official_scores_are_by_collapsed_tag_and_number_of_predicates():
    tags = [{"collapsed_tag": ("Object",), "num_main_preds": ("1",)}] * 3
    tags += [{"collapsed_tag": ("Relation",), "num_main_preds": ("2",)}]
    one = Judged(list("abcd"), ["test"] * 4, tags, np.array([1.0, 0.0, np.nan, 1.0]), "group_score")
    assert [(score.name, score.value, score.n) for score in official(one)] == [
        ("collapsed_tag Object", 0.5, 2),
        ("collapsed_tag Relation", 1.0, 1),
        ("num_main_preds 1", 0.5, 2),
        ("num_main_preds 2", 1.0, 1),
    ]
