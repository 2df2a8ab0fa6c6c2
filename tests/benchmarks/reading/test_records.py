import json
import tracemalloc

import pytest

from backend.benchmarks.reading import records
from backend.benchmarks.reading.malformed import Malformed
from backend.errors import FlipsideError
from backend.items import Item, Protocol, Skipped

MARK = b"\xef\xbb\xbf"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.json"

    def write(content):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_objects_and_lists_one_record_after_the_other(file):
    assert list(records.json_object(file('{"7": {"a": 1.5}, "7": 2, "x": []}'))) == [
        ("7", {"a": 1.5}),
        ("7", 2),
        ("x", []),
    ]
    assert list(records.json_list(file('[{"a": "é"}, null]'))) == [("1", {"a": "é"}), ("2", None)]
    assert list(records.json_list(file('{"n": 3, "images": [{"id": 1}, {"id": 2}]}'), "images")) == [
        ("1", {"id": 1}),
        ("2", {"id": 2}),
    ]
    assert list(records.json_object(file(MARK + b' {"a": "b"}'))) == [("a", "b")]
    assert list(records.json_list(file(" \n[]"))) == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"1": {"a": "b"}, "2": {"a"', "line 1, column 28: is cut off"),
        ("", "expected an object (key: record), found an empty file"),
        ("[1]", "expected an object (key: record), found a list"),
        ("<html>", "found a web page"),
        ("abc", "found no JSON"),
        ('{"1": {"a": "b', "is cut off"),
        ('{"1": {"a": "b"}} {"2": 3}', "line 1, column 19: is no JSON (Extra data)"),
        ('{"1": 2,\n "3": nope}', "line 2, column 7: is no JSON"),
        ('{"a": "b"}'.encode("utf-16"), "UTF-16"),
        (b'{"a": "\xff\xfe caf\xe9"}', "line 1: byte 8 of the file is not UTF-8"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "integer overflow"),
    ],
)
def test_a_broken_file_is_named(file, content, says):
    path = file(content)
    with pytest.raises(FlipsideError, match=r"some\.json") as refused:
        list(records.json_object(path))
    assert says in str(refused.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FlipsideError, match=r"absent.json: cannot be read \(No such file"):
        list(records.json_object(tmp_path / "absent.json"))


def test_lines_of_json(file):
    found = dict(records.json_lines(file('{"a": 1}\r\n\nnot json\n[1, 2]\n"last"')))
    assert {key: found[key] for key in (1, 4, 5)} == {1: {"a": 1}, 4: [1, 2], 5: "last"}
    assert isinstance(found[3], Malformed)


def test_rows_of_csv(file):
    path = file(MARK + b'a,b\r\n"one, two","say ""x""\nand more"\r\n\r\nonly\r\n3,4')
    found = dict(records.csv_rows(path, ("a",)))
    assert found[2] == {"a": "one, two", "b": 'say "x"\nand more'}
    assert str(found[5]) == "has 1 cells where the header has 2"
    assert found[6] == {"a": "3", "b": "4"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("x,y\n1,2", "no column 'a'; the header has 'x', 'y'"),
        ("a,a\n1,2", "column 'a' occurs twice"),
        ("", "is empty"),
        ('a,b\n"open,1\n', "is no CSV"),
        (b"a,b\n\xe9,1\n", "line 2: byte 1 is not UTF-8"),
    ],
)
def test_a_broken_table_is_named(file, content, says):
    path = file(content)
    with pytest.raises(FlipsideError, match=r"some\.json") as refused:
        list(records.csv_rows(path, ("a",)))
    assert says in str(refused.value)


def test_a_line_of_a_hundred_megabytes_is_refused_before_it_fills_the_memory(tmp_path):
    path = tmp_path / "long.jsonl"
    with path.open("wb") as out:
        out.write(b'{"a": "')
        for _ in range(100):
            out.write(b"x" * 1_000_000)
        out.write(b'"}\n')
    tracemalloc.start()
    with pytest.raises(FlipsideError, match=r"long\.jsonl, line 1: longer than 16 MB"):
        list(records.json_lines(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({}, "has no 't'"),
        ({"t": None}, "has no 't'"),
        ({"t": " "}, "'t' is blank"),
        ({"t": 3}, "'t' is a number, expected a text"),
        ({"t": ["x"]}, "'t' is a list, expected a text"),
        ([], "is empty, expected an object with 't'"),
        ("x", "is a text, expected an object with 't'"),
        ({"t": "x" * 100_001}, "'t' has 100,001 characters"),
        ({"t": "\ud83d"}, "half a character"),
    ],
)
def test_what_is_no_text(record, says):
    with pytest.raises(Malformed) as refused:
        records.text(record, "t")
    assert says in str(refused.value)


def test_numbers_and_lists():
    assert [records.number({"n": n}, "n") for n in (3, "4", -5, " 6 ", 7.0)] == [3, 4, -5, 6, 7]
    for wrong in ("x", 1.5, True, None, [1], ""):
        with pytest.raises(Malformed):
            records.number({"n": wrong}, "n")
    assert records.texts({"t": ["a", "b"]}, "t") == ["a", "b"]
    for wrong in ([], "ab", ["a", ""], ["a", 3], {"a": 1}):
        with pytest.raises(Malformed):
            records.texts({"t": wrong}, "t")


def test_a_malformed_record_is_skipped_and_the_others_are_read():
    def make(key, record):
        return Item(f"s/{key}", "s", Protocol.CHOICE, (), (records.text(record, "t"), "foil"), ((0, 0),))

    entries = list(records.each("f.json", iter([("1", {"t": "a"}), ("2", {}), (7, Malformed("is no JSON"))]), make))
    assert [type(entry) for entry in entries] == [Item, Skipped, Skipped]
    assert entries[1:] == [Skipped("f.json", "has no 't'", item="2"), Skipped("f.json", "is no JSON", line=7)]


@pytest.mark.slow
def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path):
    path = tmp_path / "large.json"
    with path.open("w") as out:
        out.write("[")
        for number in range(200_000):
            out.write(("," if number else "") + json.dumps({"caption0": f"a caption of about {number} words " * 3}))
        out.write("]")
    tracemalloc.start()
    n = sum(1 for _ in records.json_list(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n == 200_000
    assert path.stat().st_size > 20 << 20
    assert peak < 4 << 20


def test_a_key_that_stands_twice_makes_its_record_unreadable(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"score": 1, "score": 2}\n{"score": 3, "in": {"a": 1}}\n')
    (first, wrong), (second, right) = records.json_lines(tmp_path / "a.jsonl")
    assert (first, str(wrong)) == (1, "has the key 'score' twice, and which value counts is not known")
    assert (second, right) == (2, {"score": 3, "in": {"a": 1}})
    (tmp_path / "a.json").write_text('[{"score": 1, "score": 2}]')
    assert isinstance(next(records.json_list(tmp_path / "a.json", once=True))[1], Malformed)


@pytest.mark.parametrize(("escaped", "is_half"), [
    (r"\ud83d", True), (r"\ude00", True), (r"\uD83D\u0041", True), (r"\\\ud83d", True), (r"\ud83d\ude00", False),
    (r"\\ud83d", False), (r"\u00e9", False),
])  # fmt: skip
def test_half_a_character_is_no_question_mark(tmp_path, escaped, is_half):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"t": "a {escaped} b"}}\n{{"t": "whole"}}\n')
    (_, first), (_, second) = records.json_lines(path)
    assert isinstance(first, Malformed) == is_half
    assert second == {"t": "whole"}
