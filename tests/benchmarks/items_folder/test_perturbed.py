"""Editions against what their definition says, item by item."""

import pytest

from backend.benchmarks import load_benchmark
from backend.benchmarks.items_folder.changes import changes
from backend.benchmarks.items_folder.perturbed import CLASSES, NOTHING, SAME, TRUE_TOO, Edition, Wanted
from backend.errors import UsageError
from backend.items import Benchmark, ImageRef, Item, Protocol
from backend.perturb import apply, get

IMAGES = (ImageRef("a.png", "/a.png"), ImageRef("b.png", "/b.png"))
TAGS = {"concept": ("object",), "perturbation": ("replace",), "original": ("mine",), "split": ("test",)}
RED, BLUE = "A red car beside a small dog.", "A blue house under the trees."
ITEMS = [
    Item("c/1", "c", Protocol.CHOICE, IMAGES[:1], (RED, BLUE, "A cat."), ((0, 0),), TAGS, "x:1"),
    Item("t/1", "t", Protocol.TRIPLET, IMAGES[:1], (RED, BLUE, "Two cats."), ((0, 0), (0, 1)), TAGS, "x:2"),
    Item("q/1", "q", Protocol.QUAD, IMAGES, (RED, BLUE), ((0, 0), (1, 1)), TAGS, "x:3"),
    Item("r/1", "r", Protocol.RETRIEVAL, IMAGES[:1], (RED, "An ox."), ((0, 0), (0, 1)), TAGS, "x:4"),
    Item("r/2", "r", Protocol.RETRIEVAL, IMAGES[1:], ("An ox.",), ((0, 0),), TAGS, "x:5"),
    Item("k/1", "k", Protocol.CLASSIFY, IMAGES[:1], ("a cat", "a dog"), ((0, 0),), TAGS, "x:6"),
    Item("s/1", "s", Protocol.CHOICE, IMAGES[:1], ("An ox.", "A hen."), ((0, 0),), TAGS, "x:7"),
]
PARENT = Benchmark("mine", lambda: iter(ITEMS), templates={"k": ("a photo of {}",)})


def made(kind, chosen=None, **options):
    edition = Edition(PARENT, "0" * 64, Wanted(get(kind), **options), chosen)
    return edition, {item.item_id: item for item in edition.benchmark}


def test_replacing_edits_each_caption_by_itself_and_keeps_the_question():
    edition, items = made("character_swap", seed=3)
    assert list(items) == ["c/1", "t/1", "q/1", "r/1", "r/2"]
    for old in ITEMS[:4]:
        new = items[old.item_id]
        edits = [apply("character_swap", text, seed=3) for text in old.texts]
        assert new.texts == tuple(edit.text if edit else text for edit, text in zip(edits, old.texts, strict=True))
        assert (new.images, new.truth, new.protocol, new.subset) == (old.images, old.truth, old.protocol, old.subset)
        assert new.tags["origin"] == (old.item_id,)
        assert new.tags["edit"] == ("character_swap",)
        assert new.tags["perturbation"] == ("replace", "typo")
        assert new.tags["concept"] == ("object",)
        for change in changes(new.tags):
            assert change.before(new.texts[change.text])[0] == old.texts[change.text]
    assert items["r/2"].texts == ("An ox.",)  # a pool without it would be another pool
    assert "edit" not in items["r/2"].tags
    told = edition.coverage.document()
    assert told["items_left_out"] == {NOTHING: 1, CLASSES: 1}
    assert (told["items"], told["items_edited"], told["items_made"], told["items_unchanged"]) == (7, 4, 5, 1)
    assert (told["texts"], told["texts_edited"]) == (13, 8)


@pytest.mark.parametrize(("texts", "edited"), [("truth", {0}), ("foils", {1}), ("all", {0, 1})])
def test_which_captions_are_edited(texts, edited):
    _, items = made("character_swap", texts=texts)
    assert {change.text for change in changes(items["c/1"].tags)} == edited


def test_foils_ask_which_caption_is_true():
    edition, items = made("negative_colour")
    assert list(items) == ["c/1", "t/1#0", "t/1#1", "q/1#0", "q/1#1", "r/1#0"]
    for name, item in items.items():
        old = next(each for each in ITEMS if each.item_id == name.partition("#")[0])
        number = int(name.partition("#")[2] or 0)
        image, text = old.truth[number]
        assert item.protocol is Protocol.CHOICE
        assert item.images == (old.images[image],)
        assert item.texts == (old.texts[text], apply("negative_colour", old.texts[text], 0).text)
        assert item.truth == ((0, 0),)
        assert item.tags["concept"] == ("colour",)
        assert item.tags["perturbation"] == ("replace",)
        assert item.tags["origin"] == (old.item_id,)
        assert "original" not in item.tags
        (change,) = changes(item.tags)
        old_text, places = change.before(item.texts[1])
        assert old_text == item.texts[0]
        assert [old_text[a:b] for a, b in places] == list(change.was)
    assert edition.benchmark.templates == {}
    assert edition.coverage.used == 4


def test_an_edition_knows_its_parent_and_how_it_was_made():
    edition, _ = made("negative_colour", seed=2)
    assert edition.benchmark.name == "mine~negative_colour@2"
    about = edition.about()
    assert about["parent"] == {"name": "mine", "hash": "0" * 64}
    assert about["perturbation"]["effect"] == "meaning-changing"
    assert about["perturbation"]["as"] == "foils"
    assert about["perturbation"]["coverage"]["items"] == 7


def test_only_chosen_items_and_other_seeds_other_edits():
    _, some = made("character_swap", chosen={0, 2})
    assert list(some) == ["c/1", "q/1"]
    many = {made("character_swap", seed=seed)[1]["c/1"].texts for seed in range(8)}
    assert len(many) > 4
    assert made("character_swap", seed=5)[1] == made("character_swap", seed=5)[1]


def test_captions_that_become_the_same_are_no_question():
    twins = [Item("c/1", "c", Protocol.CHOICE, IMAGES[:1], ("dog bites", "bites dog"), ((0, 0),))]
    edition = Edition(Benchmark("t", lambda: iter(twins)), "", Wanted(get("shuffle_all_words"), texts="foils"))
    assert list(edition.benchmark) == []
    assert edition.coverage.left_out == {SAME: 1}


def test_a_foil_must_be_false_of_its_own_image():
    """The edit of one caption of a quad may be the other, which is true of the other image; in a triplet it may not."""
    red, green = "A red dog left of a cat.", "A red dog right of a cat."
    assert apply("negative_spatial", red, 0).text == green
    quad = Item("q/1", "q", Protocol.QUAD, IMAGES, (red, green), ((0, 0), (1, 1)))
    triplet = Item("t/1", "t", Protocol.TRIPLET, IMAGES[:1], (red, green, "An ox."), ((0, 0), (0, 1)))
    edition = Edition(Benchmark("t", lambda: iter([quad, triplet])), "", Wanted(get("negative_spatial")))
    assert [item.texts for item in edition.benchmark] == [(red, green), (green, red)]
    assert edition.coverage.left_out == {TRUE_TOO: 1}


def test_a_foil_that_says_the_same_is_refused():
    with pytest.raises(UsageError, match="keeps the meaning"):
        Wanted(get("character_swap"), way="foils")
    assert Wanted(get("shuffle_all_words")).taken == "replace"
    assert Wanted(get("shuffle_all_words"), way="foils").name("a") == "a~shuffle_all_words+as_foils"


@pytest.mark.slow
def test_the_whole_world_edited_agrees_with_one_caption_at_a_time():
    parent = load_benchmark("world")
    edition = Edition(parent, "", Wanted(get("nearby_key"), seed=1))
    old = {item.item_id: item for item in parent}
    n = 0
    for item in edition.benchmark:
        n += 1
        edits = [apply("nearby_key", text, 1) for text in old[item.item_id].texts]
        assert item.texts == tuple(e.text if e else t for e, t in zip(edits, old[item.item_id].texts, strict=True))
    assert n + sum(edition.coverage.left_out.values()) == len(old)
