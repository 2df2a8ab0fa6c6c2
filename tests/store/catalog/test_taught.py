"""What is said of a model's results on items that it was trained on; records may have come in a bundle."""

import pytest

from backend.store.catalog.taught import notes, trained_on

SOURCE = {"benchmark": "winoground", "hash": "ab" * 32, "items": 320}


def record(*sources, name="winoground", digest="ab" * 32, spec="hf:mine"):
    return {
        "model": {"spec": spec, "taught": {"trained_on": list(sources)}},
        "benchmark": {"name": name, "hash": digest},
    }


def test_the_same_benchmark_an_edition_of_it_and_another_version():
    assert trained_on(record(SOURCE)) == "320 of its items"
    assert trained_on(record(SOURCE, name="winoground~tense", digest="cd" * 32)) == "320 items of winoground"
    assert trained_on(record(SOURCE, digest="cd" * 32)) == "320 items of winoground"
    assert trained_on(record(SOURCE | {"items": None})) == "some of its items"
    assert notes(record(SOURCE)) == [
        "Trained on: hf:mine was taught on 320 of its items, so these results say nothing of others."
    ]
    assert notes(record(SOURCE, spec=None)) == [
        "Trained on: the model was taught on 320 of its items, so these results say nothing of others."
    ]


@pytest.mark.parametrize("sources", [[], [{"world": 2000}], [{"file": "mine.csv"}], [SOURCE | {"benchmark": "eqben"}]])
def test_other_data_marks_nothing(sources):
    assert trained_on(record(*sources)) == ""
    assert notes(record(*sources)) == []


@pytest.mark.parametrize("said", [None, "x", {}, {"trained_on": "x"}, {"trained_on": [None, "x", {"benchmark": 7}]}])
def test_a_record_of_another_form_marks_nothing(said):
    assert notes({"model": {"taught": said}, "benchmark": {"name": "winoground"}}) == []
    assert notes({"model": said}) == notes({}) == []
