"""What statements say twice, of an order where there is none, and in two columns of one name."""

import pytest

from backend.errors import UsageError
from backend.items import ImageRef, Item, Protocol
from backend.predictions.finding import Items
from backend.predictions.matching import match
from backend.predictions.reading import claims

IMAGE = (ImageRef("a", ""),)
ITEMS = [
    Item("s/0", "s", Protocol.CHOICE, IMAGE, ("truth", "foil"), ((0, 0),)),
    Item("s/1", "s", Protocol.CHOICE, IMAGE, ("truth", "foil", "other"), ((0, 0),)),
    Item("s/2", "s", Protocol.QUAD, (*IMAGE, ImageRef("b", "")), ("a", "b"), ((0, 0), (1, 1))),
]


def matched(folder, content, name="t.csv"):
    path = folder / name
    path.write_text(content)
    return match(claims(path, None), Items(ITEMS.__getitem__, range(len(ITEMS)), len(ITEMS)))


def told(found):
    return [(each.place.key, each.reason) for each in found.unmatched]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("item_id,correct,order\ns/0,1,a\ns/0,1,a\n", "was said before; the first one is kept"),
        ("item_id,correct,order\ns/0,1,a\ns/0,0,a\n", "says wrong where right was said before; the first one is kept"),
        ("item_id,chosen\ns/1,1\ns/1,2\n",
         "says wrong (text 2) where wrong (text 1) was said before; the first one is kept"),
        ("item_id,chosen\ns/0,\ns/0,0\n", "says right where neither was said before; the first one is kept"),
        ("item_id,text_index,score\ns/0,0,0.25\ns/0,0,0.7\n",
         "says 0.7 where 0.25 was said before; the first one is kept"),
        ("item_id,text_index,score\ns/0,0,0.7\ns/0,0,0.7\n", "was said before; the first one is kept"),
    ],
)  # fmt: skip
def test_what_contradicts_is_told_apart_from_what_is_said_twice(tmp_path, rows, said):
    """Both had the same words: nothing said that the answers differ."""
    found = matched(tmp_path, rows)
    assert told(found) == [(3, said)]
    assert found.statements == 1


def test_a_verdict_that_contradicts_half_of_what_was_said_is_told(tmp_path):
    found = matched(tmp_path, "item_id,image_index,correct\ns/2,1,0\ns/2,1,1\ns/2,0,1\n")
    assert told(found) == [(3, "says right where wrong was said before; the first one is kept")]
    whole = tmp_path / "whole.csv"
    whole.write_text("item_id,text_score\ns/2,1\n")
    half = tmp_path / "half.csv"
    half.write_text("item_id,image_index,correct\ns/2,1,0\n")
    stream = (each for path in (half, whole) for each in claims(path, None))
    found = match(stream, Items(ITEMS.__getitem__, range(len(ITEMS)), len(ITEMS)))
    assert told(found) == [
        (2, "says right where wrong was said before; the first one is kept; what else it says was taken")
    ]
    assert found.statements == 2
    assert len(found.parts["verdict@"]) == 2


@pytest.mark.parametrize("column", ["score", "itm", "score_0"])
def test_an_order_beside_a_score_is_refused_in_its_row(tmp_path, column):
    """It was ignored, and the rows of two orders overwrote each other."""
    found = matched(tmp_path, f"item_id,text_index,{column},order\ns/0,0,0.5,a\ns/0,0,0.1,b\ns/0,1,0.5,\n")
    assert [key for key, _ in told(found)] == [2, 3]
    assert "orders are kept of verdicts alone" in found.unmatched[0].reason
    assert found.statements == 1


def test_verdicts_as_numbers_have_their_order_in_kind_or_column(tmp_path):
    rows = ("verdict,0,0,1,1,A", "verdict@b,0,0,1,0,", "verdict@b,0,0,1,0,c", "verdict@a,0,0,1,1,a")
    head = "item_id,kind,image_index,text_index,text_index_b,value,order\n"
    found = matched(tmp_path, head + "".join(f"s/0,{row}\n" for row in rows))
    assert {name: len(part) for name, part in found.parts.items()} == {"verdict@A": 1, "verdict@b": 1}
    assert told(found) == [
        (4, "names two orders of asking, 'b' in its kind and 'c' in its column"),
        (5, "was said before; the first one is kept"),
    ]


@pytest.mark.parametrize(
    "names", ["Correct,correct", "item_id,Item ID,correct", "score_0,score0", "c0_i1,C0 I1", "itm,ITM"]
)
def test_columns_alike_but_for_capitals_and_joints_are_refused(tmp_path, names):
    """One of them was taken and the other ignored without a word."""
    header = names if names.startswith("item_id") else f"item_id,{names}"
    with pytest.raises(UsageError, match=r"t\.csv: the columns '.*' and '.*' are one name"):
        matched(tmp_path, f"{header}\n{','.join('1' for _ in header.split(','))}\n")


def test_columns_that_nothing_reads_may_be_alike(tmp_path):
    assert matched(tmp_path, "item_id,correct,Note,note\ns/0,1,x,y\n").statements == 1
