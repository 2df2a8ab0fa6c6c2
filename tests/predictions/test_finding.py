"""Items by id and by content: exact names first, bare ones where they are not ambiguous."""

import pytest

from backend.benchmarks.reading.malformed import Malformed
from backend.items import ImageRef, Item, Protocol
from backend.predictions.claim import About
from backend.predictions.finding import Cell, Items


def item(item_id: str, protocol: Protocol, images: list[str], *texts: str) -> Item:
    refs = tuple(ImageRef(name, "") for name in images)
    return Item(item_id, item_id.partition("/")[0], protocol, refs, texts, ((0, 0),))


ITEMS = [
    item("a/1", Protocol.QUAD, ["part/v1/1.png", "part/v1/2.png"], "left", "right"),
    item("a/2", Protocol.QUAD, ["part/v2/1.png", "part/v2/2.png"], "left", "up"),
    item("b/1", Protocol.CHOICE, ["val2017/7.jpg"], "a cat", "a dog"),
    item("b/2", Protocol.CHOICE, ["val2017/7.jpg"], "a cat", "a cow"),
    item("p/1", Protocol.RETRIEVAL, ["x.jpg"], "one", "two"),
    item("p/2", Protocol.RETRIEVAL, ["y.jpg"], "three", "one"),
]


@pytest.fixture
def items() -> Items:
    return Items(ITEMS.__getitem__, range(len(ITEMS)), len(ITEMS))


def test_a_cell_by_its_whole_name(items):
    assert items.cells(About(image="part/v1/1.png", caption="left")) == [Cell(0, 0, 0)]
    assert items.cells(About(image="part/v1/2.png", caption="left")) == [Cell(0, 1, 0)]


def test_a_bare_name_or_another_folder_and_suffix_where_only_one_image_fits(items):
    assert items.cells(About(image="images/7.png", caption="a dog")) == [Cell(2, 0, 1)]
    assert items.cells(About(image="7", caption="a cat")) == [Cell(2, 0, 0), Cell(3, 0, 0)]  # one picture, two items
    for caption in ("left", "up"):  # "up" is said of one of them only, which makes the name no clearer
        with pytest.raises(Malformed, match=r"could be any of part/v1/1\.png, part/v2/1\.png"):
            items.cells(About(image="1.png", caption=caption))


def test_in_a_pool_every_place_of_the_caption_is_meant(items):
    assert items.cells(About(image="x.jpg", caption="one")) == [Cell(4, 0, 0), Cell(4, 0, 3)]
    assert items.cells(About(image="folder/y.png", caption="two")) == [Cell(5, 0, 1)]
    assert items.pools == {"p": 4}


@pytest.mark.parametrize(("image", "caption"), [("part/v1/1.png", "up"), ("nothing.png", "left"), ("", "left")])
def test_what_fits_nothing_says_so(items, image, caption):
    with pytest.raises(Malformed, match="no item has the image"):
        items.cells(About(image=image, caption=caption))


def test_a_verdict_by_content_needs_one_item(items):
    assert items.item(About(image="7", caption="a cat", negatives=("a cow",))) == 3
    with pytest.raises(Malformed, match="2 items have the image"):
        items.item(About(image="7", caption="a cat"))
    with pytest.raises(Malformed, match="no item has the image"):
        items.item(About(image="7", caption="a dog"))  # a foil there, not the true caption


def test_ids_in_any_spelling_and_only_those_that_count():
    some = Items(ITEMS.__getitem__, [2], len(ITEMS))
    assert some.number(About(("1", "b/1"))) == 2
    with pytest.raises(Malformed, match="'b/2' is not in the selection"):
        some.number(About(("b/2",)))
    with pytest.raises(Malformed, match="no item in the selection has the image"):
        some.cells(About(image="part/v1/1.png", caption="left"))
    alone = Items(ITEMS[:2].__getitem__, range(2), 2)
    assert alone.number(About(("2",))) == 1
