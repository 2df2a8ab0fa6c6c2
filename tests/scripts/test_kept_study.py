"""A study's findings come back as they were written, and the same findings give the same bytes."""

import pytest

from scripts import kept_study


def test_findings_come_back_and_give_the_same_bytes_again(tmp_path):
    found = {"date": "2026-11-26", "rows": [{"Δ": 0.1, "n": 3}], "missed": []}
    first, second = tmp_path / "made" / "a.json.gz", tmp_path / "b.json.gz"
    kept_study.write(first, found)
    kept_study.write(second, found)
    assert kept_study.read(first) == found
    assert first.read_bytes() == second.read_bytes()
    assert [file.name for file in first.parent.iterdir()] == ["a.json.gz"]


def test_a_study_that_was_not_kept_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        kept_study.read(tmp_path / "none.json.gz")
