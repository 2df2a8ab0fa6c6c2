"""What is said of numbers that are stored otherwise than they were given; records may have come in a bundle."""

import pytest

from backend.store.catalog.transformed import notes

SAID = {"kind": "itm", "read_as": "probability", "stored_as": "log-odds", "by": "--scale probability"}


def test_each_kind_has_its_sentence():
    found = notes({"model": {"transformations": [SAID, SAID | {"kind": "vqa", "by": "x" * 999}]}})
    assert found[0] == (
        "itm: the files' numbers were read as probabilities (--scale probability) and are stored as their log-odds; "
        "verdicts follow the files' own order."
    )
    assert found[1].startswith("vqa: ")
    assert len(found[1]) < 300


@pytest.mark.parametrize("said", [None, "itm", {}, [None], ["itm"], [{}], [{"kind": []}], [{"kind": "evil"}]])
def test_a_record_that_says_nothing_of_it_has_none(said):
    assert notes({"model": {"transformations": said}}) == []
    assert notes({"model": said}) == notes({}) == []
