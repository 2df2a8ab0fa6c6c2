"""Tables with stray quotes: where a broken row begins, and rows that took others into them."""

import pytest

from backend.benchmarks.custom import tables
from backend.benchmarks.reading.malformed import Malformed
from backend.errors import FlipsideError


def table(path, rows):
    lines = [f"{n}.png,a cup {n},a bowl {n},r{n}" for n in range(2, 100)]
    for at, line in rows.items():
        lines[at - 2] = line
    (path / "t.csv").write_text("image,caption,negative,id\n" + "\n".join(lines) + "\n")
    return path / "t.csv"


def rows_of(path):
    return [found for _, found in tables.records(path)]


def test_a_quote_that_is_never_closed_is_told_where_it_was_opened(tmp_path):
    """Failed before: "line 99", a sound line at the end of the file."""
    with pytest.raises(FlipsideError, match=r"t\.csv, line 40: a cell is broken"):
        rows_of(table(tmp_path, {40: '40.png,"a cup,a bowl,r40'}))


def test_rows_that_were_taken_into_a_cell_are_missed_aloud(tmp_path):
    """Failed before: forty rows became one caption, and "0 records skipped" was said."""
    path = table(tmp_path, {20: '20.png,"a cup,a bowl,r20', 60: '60.png,a cup of 5",a bowl,r60'})
    found = rows_of(path)
    (broken,) = [each for each in found if isinstance(each, Malformed)]
    assert "begins in line 20 and has a cell of 41 lines" in str(broken)
    assert len(found) == 98 - 40
    few = rows_of(table(tmp_path, {20: '20.png,"a cup,a bowl,r20', 23: '23.png,a cup of 5",a bowl,r23'}))
    assert [str(each)[:60] for each in few if isinstance(each, Malformed)] == [
        "begins in line 20 and has a cell of 4 lines: a quote there o"
    ]


def test_a_caption_of_some_lines_stays_one(tmp_path):
    path = table(tmp_path, {20: '20.png,"a cup,\nred, and full,\nof ""5"" drops",a bowl,r20'})
    found = rows_of(path)
    assert not [each for each in found if isinstance(each, Malformed)]
    assert found[18]["caption"] == 'a cup,\nred, and full,\nof "5" drops'
