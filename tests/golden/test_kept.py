"""The keeper of promises notices what breaks one, and takes in what is only added."""

import doctest

import pytest

from tests.golden import kept


def test_examples():
    found = doctest.testmod(kept)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "tests" / "golden")
    return tmp_path / "tests" / "golden"


def renew(monkeypatch, on=True):
    monkeypatch.setattr(kept, "RENEW", on)


def test_what_is_not_kept_fails_unless_it_is_renewed(folder, monkeypatch):
    renew(monkeypatch, on=False)
    for check, given in ((kept.check_shape, {"n": "integer"}), (kept.check_columns, ["a"]), (kept.check_value, "text")):
        with pytest.raises(AssertionError, match="make golden"):
            check("new", given)
    assert not folder.exists()


def test_a_shape_may_grow_and_nothing_of_it_may_go(folder, monkeypatch):
    renew(monkeypatch)
    kept.check_shape("report", {"n": "integer", "rows": [{"a": "number"}]})
    with pytest.raises(AssertionError, match="n: is gone"):
        kept.check_shape("report", {"rows": []})
    with pytest.raises(AssertionError, match="n: is string, promised integer"):
        kept.check_shape("report", {"n": "string", "rows": []})
    kept.check_shape("report", {"n": "integer", "rows": [{"a": "number", "b": "string"}], "more": "null"})
    renew(monkeypatch, on=False)
    with pytest.raises(AssertionError, match="more: is gone"):
        kept.check_shape("report", {"n": "integer", "rows": []})
    with pytest.raises(AssertionError, match="b: is gone"):
        kept.check_shape("report", {"n": "integer", "rows": [{"a": "number"}], "more": "null"})


def test_columns_are_added_last(folder, monkeypatch):
    renew(monkeypatch)
    kept.check_columns("items", ["a", "b"])
    kept.check_columns("items", ["a", "b", "c"])
    for wrong in (["a", "b"], ["a", "x", "b", "c"], ["b", "a", "c"]):
        with pytest.raises(AssertionError, match="in order"):
            kept.check_columns("items", wrong)


def test_a_value_is_what_it_was(folder, monkeypatch):
    renew(monkeypatch)
    kept.check_value("help.txt", "as it is\n")
    kept.check_value("rates", {"text": 0.709})
    renew(monkeypatch, on=False)
    kept.check_value("rates", {"text": 0.709})
    with pytest.raises(AssertionError, match="make golden"):
        kept.check_value("help.txt", "otherwise\n")


@pytest.mark.parametrize(
    ("found", "same"),
    [
        ({"n": 3, "sum": 10918.009}, True),
        ({"n": 3, "sum": 10930.0}, False),
        ({"n": 4, "sum": 10918.048}, False),
        ({"sum": 10918.048}, False),
        ({"n": 3, "sum": 10918.048, "more": 1}, False),
        ({"n": 3, "sum": None}, False),
    ],
)
def test_numbers_may_differ_by_what_processors_do_and_by_no_more(found, same):
    assert kept.alike(found, {"n": 3, "sum": 10918.048}) == same
