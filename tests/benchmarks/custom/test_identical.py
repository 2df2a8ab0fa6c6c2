"""Rows that say the same are kept, and named: in the notes with their lines, and in the JSON."""

import pytest

ROWS = "image,caption,negative\na.png,one,two\nb.png,one,two\na.png,one,two\na.png,two,one\na.png,one,two\n"


@pytest.fixture
def table(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    return tmp_path / "t.csv"


def test_they_are_kept_and_named(flipside, table):
    answer = flipside("import", "custom", "--data", table, "--json")
    assert answer.json["n_items"] == 5
    assert answer.json["identical"] == [
        {"n": 3, "items": ["t/1", "t/3", "t/5"], "rows": ["t.csv:2", "t.csv:4", "t.csv:6"]}
    ]
    assert "t.csv:2, t.csv:4 and t.csv:6 say the same: they are kept as items t/1, t/3, t/5" in answer.err
    assert "t.csv:6 say the same" in flipside("import", "custom", "--data", table).err


def test_rows_without_pictures_and_in_other_subsets(flipside, tmp_path):
    (tmp_path / "t.csv").write_text("subset,caption,negative\nx,one,two\nx,one,two\ny,one,two\n")
    found = flipside("import", "custom", "--data", tmp_path / "t.csv", "--json").json
    assert [group["items"] for group in found["identical"]] == [["x/1", "x/2"]]


def test_nothing_is_said_where_there_is_none(flipside, tmp_path):
    (tmp_path / "t.csv").write_text("image,caption,negative\na.png,one,two\nb.png,one,two\n")
    answer = flipside("import", "custom", "--data", tmp_path / "t.csv", "--json")
    assert answer.json["identical"] == []
    assert "the same" not in answer.err


def test_many_of_them_are_not_all_noted(flipside, tmp_path):
    rows = "".join(f"{n // 2}.png,one,two\n" for n in range(60))
    (tmp_path / "t.csv").write_text(f"image,caption,negative\n{rows}")
    answer = flipside("import", "custom", "--data", tmp_path / "t.csv", "--json")
    assert len(answer.json["identical"]) == 30
    assert answer.err.count("say the same") == 20
    assert "… and 10 more groups of such rows" in answer.err
