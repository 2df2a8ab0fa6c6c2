"""What a folder's teach.json says of itself is cut to a known form: it may have come with anybody's model."""

import json

import pytest

from backend.models import taught


def of(tmp_path, said):
    (tmp_path / "teach.json").write_text(said if isinstance(said, str) else json.dumps(said))
    return taught.record(tmp_path)


def test_a_merged_folder_says_what_it_was_trained_on(tmp_path):
    said = {
        "base": "bundled:clip",
        "recipe": {"name": "eqsim", "eqsim": 0.5},
        "step": 300,
        "trained_on": [
            {"benchmark": "winoground", "hash": "ab", "items": 320, "items_digest": "cd"},
            {"world": {"pairs": 2000, "concepts": ["attribute"], "seed": 0}},
            {"file": "/home/somebody/mine.csv", "records": 4},
        ],
    }
    assert of(tmp_path, said) == {
        "taught": {
            "base": "bundled:clip",
            "recipe": "eqsim",
            "step": 300,
            "trained_on": [
                {"benchmark": "winoground", "hash": "ab", "items": 320},
                {"world": 2000},
                {"file": "mine.csv"},
            ],
        }
    }


@pytest.mark.parametrize("said", ["", "{", "[]", "7", '{"trained_on": NaN'])
def test_a_damaged_file_says_nothing(tmp_path, said):
    assert of(tmp_path, said) == {}


def test_strange_values_are_cut_to_the_form(tmp_path):
    said = {"base": 7, "recipe": "x", "step": -1, "trained_on": [None, {"benchmark": "x" * 999, "items": 2**40}] * 99}
    found = of(tmp_path, said)["taught"]
    assert (found["base"], found["recipe"], found["step"]) == ("", "", None)
    assert len(found["trained_on"]) <= 50
    assert found["trained_on"][0] == {"benchmark": "x" * 200, "hash": "", "items": None}


def test_any_other_folder_says_nothing(tmp_path):
    assert taught.record(tmp_path) == {} == taught.record(None)
