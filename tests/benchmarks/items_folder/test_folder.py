import json
import os
from itertools import islice

import pytest
from PIL import Image

from backend.benchmarks import load_benchmark
from backend.benchmarks.items_folder.folder import is_own_folder, own_folder, read_own, write_own
from backend.errors import FlipsideError, UsageError
from backend.items import Benchmark, ImageRef, Item, Protocol, Skipped


def some(name="mine", n=3):
    """The first items of every subset of the world."""
    subsets = {}
    for item in load_benchmark("world"):
        subsets.setdefault(item.subset, []).append(item)
    items = [item for of in subsets.values() for item in islice(of, n)]
    return Benchmark(name, lambda: iter(items), templates={"x": ("a {}",)}, about={"parent": {"name": "world"}}), items


def lines(folder, *records):
    folder.mkdir(exist_ok=True)
    (folder / "items.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    (folder / "benchmark.json").write_text('{"format": 1, "name": "mine"}', encoding="utf-8")
    return folder


def record(**changes):
    return {
        "item_id": "a/1", "subset": "a", "protocol": "choice", "images": [{"key": "k", "uri": ""}],
        "texts": ["a cat", "a dog"], "truth": [[0, 0]], "tags": {}, **changes,
    }  # fmt: skip


@pytest.mark.slow
def test_what_was_written_is_read_back_the_same(tmp_path):
    benchmark, items = some()
    written = write_own(tmp_path / "mine", benchmark)
    back = read_own(tmp_path / "mine")
    assert list(back) == items
    assert (back.name, back.templates, back.about) == (benchmark.name, benchmark.templates, benchmark.about)
    assert back.content_hash() == benchmark.content_hash() == written.hash
    assert sum(written.subsets.values()) == written.n_items == len(items)


@pytest.mark.long
def test_a_second_writing_replaces_the_first_and_leaves_nothing_beside_it(tmp_path):
    first, _ = some(n=2)
    second, items = some(n=1)
    write_own(tmp_path / "mine", first)
    write_own(tmp_path / "mine", second)
    assert list(read_own(tmp_path / "mine")) == items
    assert len(list((tmp_path / "mine").iterdir())) == 2
    write_own(tmp_path / "mine", first)
    assert len(list(read_own(tmp_path / "mine"))) == 2 * len(items)


def test_a_failure_half_way_leaves_what_was_there(tmp_path):
    benchmark, items = some()

    def broken():
        yield items[0]
        raise FlipsideError("the file ends here")

    with pytest.raises(FlipsideError, match="ends here"):
        write_own(tmp_path / "new", Benchmark("mine", broken))
    assert not (tmp_path / "new").exists()
    write_own(tmp_path / "old", benchmark)
    before = sorted((path.name, path.read_bytes()) for path in (tmp_path / "old").iterdir())
    with pytest.raises(FlipsideError, match="ends here"):
        write_own(tmp_path / "old", Benchmark("mine", broken))
    assert sorted((path.name, path.read_bytes()) for path in (tmp_path / "old").iterdir()) == before
    with pytest.raises(FlipsideError, match="no item"):
        write_own(tmp_path / "none", Benchmark("mine", lambda: iter(())))
    assert not (tmp_path / "none").exists()


def test_where_no_record_is_an_item_the_first_one_is_named(tmp_path):
    skipped = [Skipped("mine.csv", "the caption is empty.", line=2), Skipped("mine.csv", "no picture", line=3)]
    with pytest.raises(
        FlipsideError, match=r"Of its 2 records none is an item\. The first one \(mine\.csv, line 2\): the"
    ):
        write_own(tmp_path / "none", Benchmark("mine", lambda: iter(skipped)))
    assert not (tmp_path / "none").exists()


def test_what_a_killed_process_left_is_removed_a_day_later(tmp_path):
    benchmark, _ = some(n=1)
    old, young = (tmp_path / f".aside-1-{name}" for name in ("old", "young"))
    for path in (old, young):
        path.write_text("half")
    os.utime(old, (1, 1))
    write_own(tmp_path, benchmark)
    assert not old.exists()
    assert young.exists()


def test_images_inside_the_folder_and_outside(tmp_path):
    inside, outside = tmp_path / "mine" / "pictures" / "1.png", tmp_path / "2.png"
    inside.parent.mkdir(parents=True)
    for path in (inside, outside):
        Image.new("RGB", (2, 2)).save(path)
    images = [
        ["pictures/1.png"],
        [{"key": "one", "uri": "crop:0,0,1,1:pictures/1.png"}],
        [{"key": "b", "uri": "no.png"}],
    ]
    own = [record(item_id=f"a/{n}", images=each) for n, each in enumerate(images)]
    far = [record(item_id="f/1", images=[{"key": "two", "uri": str(outside)}]),
           record(item_id="f/2", images=[{"key": "two", "uri": f"crop:0,0,1,1:{outside}"}]),
           record(item_id="f/3", images=["../2.png"])]  # fmt: skip
    folder = lines(tmp_path / "mine", *own, *far)
    owners = {item.item_id: item.images[0] for item in read_own(folder, absolute=True)}
    assert owners["a/0"] == ImageRef("pictures/1.png", str(inside))
    assert owners["a/1"] == ImageRef("one", f"crop:0,0,1,1:{inside}")
    assert owners["a/2"].missing
    assert owners["f/1"].uri == str(outside)
    uploaded = read_own(folder, absolute=False)
    assert [item.item_id for item in uploaded] == ["a/0", "a/1", "a/2"]
    assert [entry.line for entry in uploaded.skipped()] == [4, 5, 6]
    assert "outside the folder" in uploaded.skipped()[0].reason
    assert "leads out of the folder" in uploaded.skipped()[2].reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"protocol": "guess"}, "protocol 'guess' is unknown"),
        ({"texts": ["one"]}, "at least 2"),
        ({"texts": ["one", "  "]}, "entry 2"),
        ({"truth": [[0, 2]]}, "'truth' holds [0, 2]"),
        ({"truth": [[0, 1]]}, "for a choice it is [[0, 0]]"),
        ({"truth": [[0, True]]}, "'truth' holds"),
        ({"images": ["a.png", "b.png"]}, "has 2 images, a choice has 1"),
        ({"images": [{"uri": "x"}]}, "no 'key'"),
        ({"images": [7]}, "expected an object"),
        ({"tags": {"concept": 3}}, "the tag 'concept'"),
        ({"item_id": ""}, "'item_id' is blank"),
    ],
)
def test_a_line_that_is_no_item_is_skipped_with_its_reason(tmp_path, changes, reason):
    found = read_own(lines(tmp_path / "mine", record(**changes), record(item_id="a/2")))
    assert [item.item_id for item in found] == ["a/2"]
    (skipped,) = found.skipped()
    assert (skipped.file, skipped.line) == ("items.jsonl", 1)
    assert reason in skipped.reason


@pytest.mark.parametrize(
    "head", ["{", "[]", '{"format": 2, "name": "x"}', '{"format": 1}', '{"format": 1, "name": "x", "items": "../y"}',
             '{"format": 1, "name": "x", "templates": {"a": ["no place"]}}']
)  # fmt: skip
def test_a_damaged_head_is_named(tmp_path, head):
    folder = lines(tmp_path / "mine", record())
    (folder / "benchmark.json").write_text(head, encoding="utf-8")
    with pytest.raises(FlipsideError, match=r"benchmark\.json"):
        read_own(folder)


def test_a_folder_without_items_is_wrong_use(tmp_path):
    assert not is_own_folder(tmp_path)
    with pytest.raises(UsageError, match=r"expected benchmark\.json"):
        read_own(tmp_path)


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a" * 121, " x", "a\nb"])
def test_names_that_could_lead_elsewhere_are_refused(name):
    with pytest.raises(UsageError, match="benchmark's name"):
        own_folder(name)


def test_protocols_of_every_subset_survive(tmp_path):
    benchmark, _ = some(n=1)
    write_own(tmp_path / "mine", benchmark)
    assert {Protocol(item.protocol) for item in read_own(tmp_path / "mine")} == {
        Protocol.QUAD, Protocol.TRIPLET, Protocol.CHOICE, Protocol.RETRIEVAL,
    }  # fmt: skip
    assert all(isinstance(item, Item) for item in read_own(tmp_path / "mine"))
