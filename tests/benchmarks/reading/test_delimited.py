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
    broken = [each for each in found if isinstance(each, Malformed)]
    assert "has a cell of 41 lines, 20 to 60: a quote there opens it" in str(broken[0])
    assert str(broken[40]) == "is in a cell that a quote in line 20 opens, so it is no row of its own"
    assert (len(found), len(broken)) == (98, 41)
    few = rows_of(table(tmp_path, {20: '20.png,"a cup,a bowl,r20', 23: '23.png,a cup of 5",a bowl,r23'}))
    assert next(str(each)[:31] for each in few if isinstance(each, Malformed)) == "has a cell of 4 lines, 20 to 23"


def test_a_caption_of_some_lines_stays_one(tmp_path):
    path = table(tmp_path, {20: '20.png,"a cup,\nred, and full,\nof ""5"" drops",a bowl,r20'})
    found = rows_of(path)
    assert not [each for each in found if isinstance(each, Malformed)]
    assert found[18]["caption"] == 'a cup,\nred, and full,\nof "5" drops'


#: Rows with what a stray quote takes: header, then lines; in every one the quotes are in the second and the last line.
SWALLOWED = {
    "two lines": ("item_id,correct,note", "choice/10,1,5 inch", 'choice/11,1,"5 inch screen', 'choice/12,0,6 inch"'),
    "tabs": ("item_id\tcorrect\tnote", "c/1\t1\tx", 'c/2\t1\t"5 inch screen', 'c/3\t0\t6 inch"'),
    "carriage returns": ("item_id,correct,note\r", "c/1,1,x\r", 'c/2,1,"5 inch screen\r', 'c/3,0,6 inch"\r'),
    "commas in notes": ("item_id,correct,note", "c/1,1,x", 'c/2,1,"5', "c/3,0,ok, fine", "c/4,1,ok, so", 'c/5,0,6"'),
    "a foil": ("image,caption,negative", "a.png,a,b", 'b.png,"a red,one', 'c.png,a man",a cat'),
    "names of two folders": ("image,caption,negative", "a.png,a,b", 'b.png,"a red,one', 'my cats/c.png,a man",a cat'),
    "a verdict": ("item_id,correct", "choice/57,1", 'choice/58,"1', "choice/59,0", 'choice/60,1"'),
    "a chosen caption": ("item_id,chosen", "choice/57,a cup", 'choice/58,"a cup', 'choice/59,a bowl"'),
    "the first cell": ("item_id,correct", "choice/57,1", '"choice/58,1', 'choice/59",0'),
    "the first cell, closed in the last": ("item_id,correct", "choice/57,1", '"choice/58,1', 'choice/59,0"'),
    "closed in another column": ("item_id,correct,note", "c/1,1,x", 'c/2,1,"5 inch', 'c/3,6 inch",y'),
    "numbers": ("id,correct,note", "6,1,x", '7,1,"5 inch', '8,0,6 inch"'),
    "numbers that do not count on": ("id,correct", "601,1", '717,"1', "89,0", '8,0"'),
    "digests": ("id,chosen", "0a1b2c3d,x", '4e5f6071,"a', '9d8c7b6a,b"'),
    "no ids": ("caption,negative,other", "a cup,a bowl,b", 'a red,"a blue,x', "a man,a dog,z", 'two cats,one",y'),
}  # fmt: skip
#: Good cells with line breaks; the last column is the text in all.
GOOD = {
    "a caption": ("image,caption", "a.png", "a cup,\nred, and full,\nof 5 drops"),
    "one comma": ("image,caption", "a.png", "a cup of tea\non the table, with milk"),
    "two commas": ("item_id,correct,answer", "choice/1,1", "the model says yes\nbecause of A, B, and C"),
    "three lines": ("item_id,correct,answer", "choice/1,1", "red, blue, white\na cup, a dog, a cat\nso, well, yes"),
    "a long answer": ("item_id,correct,answer", "choice/1,1", "\n".join(f"{n}. a step, then" for n in range(40))),
    "code": ("item_id,correct,answer", "c/1,1", "x = f(a)\ny = 3\nprint(x)"),
}  # fmt: skip


@pytest.mark.parametrize("lines", SWALLOWED.values(), ids=SWALLOWED)
def test_each_row_that_a_quote_took_is_missed_by_its_line(tmp_path, lines):
    """Failed before: rows were gone without a word, or the line was named in which the quote closes."""
    path = tmp_path / ("t.tsv" if "\t" in lines[0] else "t.csv")
    path.write_text("\n".join((*lines, "")), newline="")
    found = list(tables.records(path))
    assert [place for place, _ in found] == list(range(2, len(lines) + 1))
    assert [isinstance(each, Malformed) for _, each in found] == [False, *[True] * (len(lines) - 2)]
    assert f"has a cell of {len(lines) - 2:,} lines, 3 to {len(lines)}: a quote there opens it" in str(found[1][1])
    assert not tables.doubted(path)


@pytest.mark.parametrize(("header", "first", "text"), GOOD.values(), ids=GOOD)
def test_a_text_with_line_breaks_is_no_rows_and_no_matter(tmp_path, header, first, text):
    """Failed before for "three lines" and "a long answer": the row was left out."""
    (tmp_path / "t.csv").write_text(f'{header}\n{first},"{text}"\n')
    ((place, row),) = tables.records(tmp_path / "t.csv")
    assert (place, row[header.rpartition(",")[2]]) == (2, text)
    assert tables.doubted(tmp_path / "t.csv") == ""


def test_what_may_be_a_row_or_a_text_is_told_with_its_lines(tmp_path):
    """Failed before: either was silent."""
    path = tmp_path / "t.csv"
    path.write_text('image,caption\na.png,"a crowd\nof 1,000"\nb.png,"alike:\nc.png"\nd.png,x\n')
    assert len(list(tables.records(path))) == 3
    assert tables.doubted(path) == (
        "t.csv: the cell from line 2 to line 3 (and 1 more such, the last from line 4) holds a line break and was read "
        "as one text. If a quote of a text opens it, the rows below it are missing: write that quote twice, in a "
        "quoted cell."
    )


def test_carriage_returns_alone_are_called_that(tmp_path):
    """Failed before: it said to write double quotes twice."""
    (tmp_path / "t.csv").write_bytes(b"a,b\r1,2\r3,4\r")
    with pytest.raises(FlipsideError, match=r"line 1: ends in a carriage return alone.*line feeds") as told:
        rows_of(tmp_path / "t.csv")
    assert "quote" not in str(told.value)
