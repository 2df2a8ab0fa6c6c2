import json

import pytest
from PIL import Image

from backend.errors import UsageError
from backend.items import ImageRef, Item, Protocol
from backend.teach.pairs import examples as pairs
from backend.world.scenes import Scene, split_of


def item(protocol, images, texts, truth=((0, 0),), name="a/1", **tags):
    refs = tuple(ImageRef(key, f"/there/{key}" if key != "gone" else "") for key in images)
    return Item(name, "a", protocol, refs, tuple(texts), tuple(truth), tags)


def test_a_quad_gives_two_halves_a_choice_its_foils_a_triplet_a_paraphrase_a_pool_every_caption():
    quad = item(Protocol.QUAD, ("x", "y"), ("one", "two"), ((0, 0), (1, 1)), "a/1")
    choice = item(Protocol.CHOICE, ("z",), ("true", "false", "wrong"), name="a/2")
    triplet = item(Protocol.TRIPLET, ("w",), ("said", "said so", "not said"), ((0, 0), (0, 1)), "a/3")
    pool = item(Protocol.RETRIEVAL, ("v",), ("first", "second"), ((0, 0), (0, 1)), "a/4")
    data = pairs.from_items([quad, choice, triplet, pool], "mine", "hash")
    told = [(e.id, e.image.key, e.text, e.partner, e.foils, e.paraphrases) for e in data.examples]
    assert told == [
        ("a/1#1", "x", "one", "a/1#2", (), ()),
        ("a/1#2", "y", "two", "a/1#1", (), ()),
        ("a/2", "z", "true", "", ("false", "wrong"), ()),
        ("a/3", "w", "said", "", ("not said",), ("said so",)),
        ("a/4#1", "v", "first", "", (), ()),
        ("a/4#2", "v", "second", "", (), ()),
    ]
    assert (data.quads, data.with_foils) == (1, 4)
    assert data.true_texts()["v"] == {"first", "second"}
    assert data.about[0]["item_ids"] == ["a/1", "a/2", "a/3", "a/4"]  # whose results are "trained on"


def test_what_gives_nothing_is_counted_and_if_all_of_it_refused():
    kept = item(Protocol.CHOICE, ("z",), ("true", "false"), name="a/1")
    lost = item(Protocol.CHOICE, ("gone",), ("true", "false"), name="a/2")
    named = item(Protocol.CLASSIFY, ("z",), ("cat", "dog"), name="a/3")
    assert pairs.from_items([kept, lost, named], "mine").skipped == {
        "images are missing": 1, "classify items pair no image with a caption": 1
    }  # fmt: skip
    with pytest.raises(UsageError, match=r"mine gives nothing to train on \(1: images are missing"):
        pairs.from_items([lost], "mine")


@pytest.fixture
def folder(tmp_path):
    for name in ("a.png", "b.png"):
        Image.new("RGB", (8, 8)).save(tmp_path / name)
    return tmp_path


def test_a_csv_and_a_json_lines_file_give_the_same(folder):
    (folder / "own.csv").write_text(
        "image,caption,negative\na.png,a red cube,a blue cube\nb.png,a dog,\nc.png,a cat,\n"
    )
    rows = [
        {"image": "a.png", "caption": "a red cube", "negatives": ["a blue cube"]},
        {"image": "b.png", "caption": "a dog"},
        {"image": "c.png", "caption": "a cat"},
    ]
    (folder / "own.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    one, other = (pairs.from_file(folder / name) for name in ("own.csv", "own.jsonl"))
    assert [(e.image, e.text, e.foils) for e in one.examples] == [(e.image, e.text, e.foils) for e in other.examples]
    assert one.examples[0].image == ImageRef("a.png", str(folder / "a.png"))
    assert one.examples[0].foils == ("a blue cube",)
    assert one.skipped == other.skipped == {"names an image that is not there (c.png)": 1}
    assert len((one + other).examples) == 4
    with pytest.raises(UsageError, match=r"own.csv:2 stands in the training data more than once"):
        one + one


def test_files_that_are_none(folder):
    with pytest.raises(UsageError, match="no such file"):
        pairs.from_file(folder / "not.csv")
    (folder / "own.txt").write_text("")
    with pytest.raises(UsageError, match=r"ends in \.csv or \.jsonl"):
        pairs.from_file(folder / "own.txt")
    (folder / "own.jsonl").write_text('{"image": "c.png", "caption": "a cat"}\n')
    with pytest.raises(UsageError, match=r"no record is an image with its caption \(line 1 names an image"):
        pairs.from_file(folder / "own.jsonl")


def test_pairs_of_the_world_are_of_its_training_split_and_grow_by_the_end():
    data, more = pairs.from_world(6, ("attribute", "size"), 3), pairs.from_world(8, ("attribute", "size"), 3)
    assert more.examples[:12] == data.examples
    assert data.quads == 6
    assert [e.id.split("/")[1] for e in data.examples[:4]] == ["attribute", "attribute", "size", "size"]
    for each in data.examples:
        scene = Scene.decode(each.image.uri.removeprefix("world:"))
        assert split_of(scene) == "train"
        assert not scene.held_out
    a, b = data.examples[:2]
    assert a.partner == b.id
    assert b.partner == a.id
    assert a.text != b.text
    with pytest.raises(UsageError, match="no minimal pairs of 'taste'; it has attribute"):
        pairs.from_world(2, ("taste",))


def test_parting_keeps_together_what_shares_an_image_or_a_group():
    items = [item(Protocol.CHOICE, (f"i{k // 2}",), ("t", "f"), name=f"a/{k}") for k in range(20)]
    items += [item(Protocol.CHOICE, (f"v{k}",), ("t", "f"), name=f"v/{k}", group=("film",)) for k in range(3)]
    train, held = pairs.parted(items, 0.3, 1)
    assert len(train) + len(held) == 23
    assert 7 <= len(held) <= 9
    keys = [{i.key for one in side for i in one.images} for side in (train, held)]
    assert not keys[0] & keys[1]
    assert sum(one.item_id.startswith("v/") for one in held) in (0, 3)
    assert pairs.parted(items, 0.3, 1) == (train, held)
    assert pairs.parted(items, 0.3, 2) != (train, held)
    with pytest.raises(UsageError, match="cannot be parted"):
        pairs.parted(items[:2], 0.5)
    with pytest.raises(UsageError, match="between 0 and 1"):
        pairs.parted(items, 1.0)
