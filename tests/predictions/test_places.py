"""Items known by their place in a file: by the texts beside it, and never by a place in something of another size."""

import json

import pytest

from backend.benchmarks.winoground_stub import stub
from backend.items import ImageRef, Item, Protocol
from backend.predictions.finding import Items
from backend.predictions.matching import Matched, match
from backend.predictions.reading import claims


def choice(subset: str, n: int) -> Item:
    texts = (f"a {subset} truth of item {n}", f"a {subset} foil of item {n}")
    return Item(f"{subset}/{n}", subset, Protocol.CHOICE, (ImageRef(f"{n}.jpg", ""),), texts, ((0, 0),))


ITEMS = [choice(subset, n) for subset in ("add_att", "add_obj", "swap_obj") for n in range(4)]


def log(path, subset, numbers, **doc):
    lines = [
        {"doc_id": k, "exact_match": 1, "resps": [["A"]], "target": "A",
         **({"doc": {key: value.format(subset=subset, n=n) for key, value in doc.items()}} if doc else {})}
        for k, n in enumerate(numbers)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def matched(path, items=ITEMS, selected=None) -> Matched:
    numbers = range(len(items)) if selected is None else selected
    return match(claims(path, None), Items(items.__getitem__, numbers, len(items)))


def ids(found: Matched) -> list[str]:
    return [ITEMS[number].item_id for number in sorted(found.items_of("verdict@"))] if found.parts else []


SWAPPED = [f"swap_obj/{n}" for n in range(4)]


def test_the_task_names_the_subset_and_captions_the_item(tmp_path):
    path = log(
        tmp_path / "m_samples_sugarcrepe_swap_obj.jsonl", "swap_obj", [3, 1], caption="a {subset} truth of item {n}"
    )
    assert ids(matched(path)) == ["swap_obj/1", "swap_obj/3"]


def test_captions_alone_tell_the_subset(tmp_path):
    path = log(tmp_path / "m_samples_all.jsonl", "swap_obj", range(4), caption="a {subset} truth of item {n}")
    assert ids(matched(path)) == SWAPPED


@pytest.mark.parametrize("name", ["m_samples_sugarcrepe_swap_obj", "samples_swap-obj_2025-01-02T03-04-05.678"])
def test_without_captions_the_place_counts_within_the_subset(tmp_path, name):
    found = matched(log(tmp_path / f"{name}.jsonl", "", range(4)))
    assert ids(found) == SWAPPED


def test_a_caption_within_a_question_confirms_the_place(tmp_path):
    path = log(
        tmp_path / "m_samples_swap_obj.jsonl", "swap_obj", range(4), caption="Which? A. a {subset} truth of item {n}"
    )
    assert ids(matched(path)) == SWAPPED


def test_a_place_in_something_of_another_size_is_refused(tmp_path):
    found = matched(log(tmp_path / "m_samples_mine.jsonl", "", range(4)))
    assert not ids(found)
    said = "its file counts 4 items where the benchmark has 12; name the part that it is of with --subset"
    assert said in found.unmatched[0].reason
    assert ids(matched(tmp_path / "m_samples_mine.jsonl", selected=range(8, 12))) == SWAPPED


def test_captions_of_other_items_are_refused(tmp_path):
    path = log(tmp_path / "m_samples_swap_obj.jsonl", "swap_obj", range(4), caption="something else of item {n}")
    found = matched(path)
    assert not ids(found)
    assert (
        "its doc has the caption 'something else of item 0', which no item of this part has"
        in found.unmatched[0].reason
    )


def test_captions_that_are_gated_here_are_not_held_against_the_place(tmp_path):
    items = list(stub())
    path = log(tmp_path / "m_samples_winoground.jsonl", "", range(400), caption_0="the real one of {n}")
    found = matched(path, items)
    assert {each.reason.partition(" (")[0] for each in found.unmatched} == {
        "a verdict on a quad is one on its text score"
    }
