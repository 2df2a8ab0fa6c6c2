"""Ids as a whole: what they look like, those that count from another number; every sort of reason with its count."""

import json

import pytest

from backend.items import ImageRef, Item, Protocol
from backend.predictions.claim import Place, Unmatched
from backend.predictions.finding import Items
from backend.predictions.ids import reasons
from backend.predictions.matching import match
from backend.predictions.reading import claims


def statements(first, last, subset="z", same=()):
    """Items of one text each; those in `same` share their words."""
    return [
        Item(f"{subset}/{n}", subset, Protocol.ANSWERS, (ImageRef(f"{n}.jpg", ""),),
             ("same" if n in same else f"text {n}",), ((0, 0),))
        for n in range(first, last + 1)
    ]  # fmt: skip


def matched(path, items, records):
    path.write_text("\n".join(map(json.dumps, records)))
    return match(claims(path, None), Items(items.__getitem__, range(len(items)), len(items)))


@pytest.mark.parametrize("spelt", ["z/{}", "{}"])
def test_ids_from_0_where_items_count_from_1_give_each_item_its_neighbours_score(tmp_path, spelt):
    found = matched(
        tmp_path / "a.jsonl", statements(1, 9), [{"id": spelt.format(n), "score": n} for n in range(9)]
    )  # fmt: skip
    assert found.statements == 8
    assert found.ids.misplaced
    assert (
        "seem to count from 0 ('z/0' is among them, 'z/9' is not), but this benchmark counts from 1" in found.hints[0]
    )
    assert "Add 1 to the number of each id" in found.hints[0]
    assert found.hints[1] == "Ids of these items look like 'z/1' and 'z/9'."


def test_ids_from_1_where_items_count_from_0(tmp_path):
    found = matched(tmp_path / "a.jsonl", statements(0, 8), [{"id": f"z/{n}", "correct": 1} for n in range(1, 10)])
    assert found.ids.misplaced
    assert "seem to count from 1 ('z/9' is among them, 'z/0' is not)" in found.hints[0]
    assert "Take 1 from the number of each id" in found.hints[0]


def test_a_gap_in_the_benchmarks_numbers_is_no_other_number(tmp_path):
    items = [item for item in statements(0, 8) if item.item_id != "z/4"]
    found = matched(tmp_path / "a.jsonl", items, [{"id": f"z/{n}", "score": n} for n in range(1, 10)])
    assert (found.ids.misplaced, sorted(found.ids.unknown)) == (True, ["z/4", "z/9"])


def test_captions_that_fit_say_that_the_ids_are_right(tmp_path):
    records = [{"id": f"z/{n}", "caption": f"text {n}", "score": n} for n in range(9)]
    found = matched(tmp_path / "a.jsonl", statements(1, 9), records)
    assert not found.ids.misplaced
    assert found.hints == ["Ids of these items look like 'z/1' and 'z/9'."]


def test_captions_of_the_neighbours_do_not(tmp_path):
    """Two neighbours with the same words are matched by chance."""
    items = statements(1, 9, same=(4, 5))
    records = [{"id": f"z/{n - 1}", "caption": items[n - 1].texts[0], "score": n} for n in range(1, 10)]
    found = matched(tmp_path / "a.jsonl", items, records)
    assert found.statements == 1
    assert found.ids.misplaced


@pytest.mark.parametrize(
    ("items", "ids"),
    [
        (statements(1, 9), [*range(10)]),  # the last is there, too: one id is too many, the others are right
        (statements(1, 9), [*range(1, 8), 12]),
        (statements(0, 8), [*range(9), 9]),
        (statements(0, 8), [1, 2, 9, 11]),
        (statements(3, 9), [2, 3, 4]),
    ],
)
def test_other_ids_that_no_item_has_are_no_shift(tmp_path, items, ids):
    found = matched(tmp_path / "a.jsonl", items, [{"id": f"z/{n}", "score": n} for n in ids])
    assert not found.ids.misplaced
    assert len(found.hints) == 1


def test_no_hint_where_every_id_is_known(tmp_path):
    found = matched(tmp_path / "a.jsonl", statements(1, 3), [{"id": "z/1", "score": 1}])
    assert found.hints == []


def test_examples_are_of_two_subsets_where_there_are_several(tmp_path):
    items = [*statements(0, 3, "add"), *statements(0, 3, "swap")]
    found = matched(tmp_path / "a.jsonl", items, [{"id": "2", "score": 1}])
    assert found.hints == ["Ids of these items look like 'add/0' and 'swap/0'."]


def test_the_only_text_needs_no_name_and_it_is_said(tmp_path):
    items = statements(1, 3)
    found = matched(
        tmp_path / "a.jsonl", items, [{"id": "z/2", "score": 0.5}, {"id": "z/3", "text_index": 0, "score": 1}]
    )
    assert [key[:3] for key, _, _ in found.parts["itc"]] == [(1, 0, 0), (2, 0, 0)]
    assert found.guesses == [
        "1 scores name neither text_index nor caption and were taken for the only text of their item."
    ]


def test_one_of_two_texts_or_images_has_to_be_named(tmp_path):
    image = ImageRef("1.jpg", "")
    items = [
        Item("c/1", "c", Protocol.CHOICE, (image,), ("truth", "foil"), ((0, 0),)),
        Item("q/1", "q", Protocol.ANSWERS, (image, ImageRef("2.jpg", "")), ("one",), ((0, 0),)),
        *(
            Item(f"r/{n}", "r", Protocol.RETRIEVAL, (ImageRef(f"{n}.jpg", ""),), (f"text {n}",), ((0, 0),))
            for n in (1, 2)
        ),
    ]
    found = matched(tmp_path / "a.jsonl", items, [{"id": name, "score": 1} for name in ("c/1", "q/1", "r/1")])
    said = "says neither text_index nor caption, so it is not known which of the item's 2 texts is meant"
    assert [each.reason for each in found.unmatched] == [
        said, "the item has 2 images; say which one in image_index", said,
    ]  # fmt: skip


def test_every_sort_of_reason_is_counted_with_its_first_example():
    said = ["there is no item 'z/0'", "was said before; the first one is kept", "there is no item 'it's'",
            "there is no item 'z/0'"]  # fmt: skip
    found = reasons([Unmatched(Place("a.csv", line), reason) for line, reason in enumerate(said, 2)])
    assert found == [
        "3 × such as: there is no item 'z/0' (a.csv:2)", "1 × was said before; the first one is kept (a.csv:3)",
    ]  # fmt: skip
    same = reasons([Unmatched(Place("a.csv", line), "'correct' is 'maybe'") for line in (2, 3)])
    assert same == ["2 × 'correct' is 'maybe' (a.csv:2)"]
    many = reasons([Unmatched(Place("a.csv", line), f"reason {'x' * line}") for line in range(1, 8)])
    assert many[-1] == "3 × 3 other reasons"
