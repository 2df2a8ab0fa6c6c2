"""Rows to items, in every format and protocol; and what is wrong with a row or a file, in words."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend.benchmarks import load_benchmark, recognise
from backend.benchmarks.custom.opening import opened
from backend.errors import FlipsideError, UsageError
from backend.items import Item, Protocol
from tests.benchmarks.samples.pictures import picture

ROWS = [
    {"image": "a.png", "caption": "a red cube", "negative": "a blue cube", "concept": "color", "id": "one"},
    {"image": "b.png", "caption": 'it says "go", twice', "negative": "it says stop", "concept": "mine|count", "id": ""},
    {"image": "missing.png", "caption": "zwölf Käfer", "negative": "elf Käfer", "concept": "", "id": "3"},
]


def write(folder: Path, form: str, rows: list[dict]) -> Path:
    path = folder / f"set.{form}"
    if form in ("csv", "tsv"):
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, rows[0].keys(), delimiter="," if form == "csv" else "\t")
            writer.writeheader()
            writer.writerows(rows)
    elif form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif form == "json":
        path.write_text(json.dumps(rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def text(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.long
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_every_format_gives_the_same_items(tmp_path, form):
    picture(tmp_path / "a.png")
    picture(tmp_path / "b.png")
    benchmark = load_benchmark("custom", write(tmp_path, form, ROWS))
    first, second, third = benchmark
    assert benchmark.name == "custom:set"
    assert [item.item_id for item in (first, second, third)] == ["set/one", "set/2", "set/3"]
    assert second.texts == ('it says "go", twice', "it says stop")
    assert first.tags == {"concept": ("colour",)}
    assert second.tags == {"concept": ("mine", "count")}
    assert first.images[0].uri == str(tmp_path / "a.png")
    assert third.images[0].missing
    assert benchmark.content_hash() == load_benchmark("custom", write(tmp_path, "jsonl", ROWS)).content_hash()


def items_of(path: Path, **more) -> list[Item]:
    return list(opened(path, **more))


def test_triplets_quads_and_lists_of_foils(tmp_path):
    (triplet,) = items_of(text(tmp_path, "image,caption,paraphrase,negative\nx.png,one,uno,two\n", "tri.csv"))
    assert (triplet.protocol, triplet.texts, triplet.truth) == (
        Protocol.TRIPLET,
        ("one", "uno", "two"),
        ((0, 0), (0, 1)),
    )
    (quad,) = items_of(text(tmp_path, "image_0\timage_1\tcaption_0\tcaption_1\na.png\tb.png\tone\ttwo\n", "q.tsv"))
    assert (quad.protocol, quad.texts, quad.truth) == (Protocol.QUAD, ("one", "two"), ((0, 0), (1, 1)))
    lists = 'image,caption,foils\na.png,one,"[""two"", ""three""]"\nb.png,four,"[\'five\']"\n'
    first, second = items_of(text(tmp_path, lists, "lists.csv"))
    assert (first.texts, second.texts) == (("one", "two", "three"), ("four", "five"))
    (several,) = items_of(text(tmp_path, "image,caption,foil_1,foil_2\na.png,one,two,\n", "blank.csv"))
    assert several.texts == ("one", "two")


def test_a_table_without_pictures_has_items_that_share_none(tmp_path):
    first, second = items_of(text(tmp_path, "caption,paraphrase,negative\na,b,c\nd,e,f\n"))
    assert first.images[0].missing
    assert first.images[0].key != second.images[0].key


def test_a_pool_gathers_the_captions_of_a_picture(tmp_path):
    rows = "image,caption\nx.png,one\ny.png,two\nx.png,three\nx.png,one\n"
    benchmark = opened(text(tmp_path, rows))
    first, second = benchmark
    assert (first.protocol, first.texts, first.truth) == (Protocol.RETRIEVAL, ("one", "three"), ((0, 0), (0, 1)))
    assert second.texts == ("two",)
    assert [(entry.line, entry.reason) for entry in benchmark.skipped()] == [
        (5, "the caption 'one' of x.png occurred before")
    ]


@pytest.mark.parametrize(
    ("header", "labels", "true"),
    [("caption_0,caption_1", "01", "ab"), ("caption_1,caption_2", "12", "ab"), ("candidates", "01", "ab")],
)
def test_a_label_says_which_caption_is_true(tmp_path, header, labels, true):
    both = '"[""a"", ""b""]"' if header == "candidates" else "a,b"
    rows = "".join(f"x{n}.png,{both},{label}\n" for n, label in enumerate(labels))
    assert "".join(item.texts[0] for item in items_of(text(tmp_path, f"image,{header},label\n{rows}"))) == true


def test_a_label_may_be_the_words_and_positions_from_1_are_refused(tmp_path):
    (item,) = items_of(text(tmp_path, "image,caption_0,caption_1,answer\nx.png,a cat,a dog,a dog\n"))
    assert item.texts == ("a dog", "a cat")
    candidates = 'image,candidates,label\nx.png,"[""a"", ""b""]",1\ny.png,"[""a"", ""b""]",2\n'
    with pytest.raises(FlipsideError, match=r"'label' seems to count from 1 .*positions from 0"):
        items_of(text(tmp_path, candidates))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a.png,,no", "'caption' is blank"),
        ("a.png,yes,", "'negative'"),
        (",yes,no", "'image' is blank"),
        ("a.png,yes,yes", "the true caption is among the false ones"),
        ('a.png,"=HYPERLINK(""http://x"")",no', "a spreadsheet's formula or its error"),
        ("a.png,#NAME?,no", "a spreadsheet's formula or its error"),
        ("https://example.org/a.png,yes,no", "is an address, and none is fetched"),
        ("../a.png,yes,no", "leads out of the folder"),
        ("/etc/passwd,yes,no", "--full-paths"),
        ("..\\a.png,yes,no", "leads out of the folder"),
        ("a.png,yes", "has 2 cells where the header has 3"),
        ("a.png,yes,no,more", "has 4 cells where the header has 3"),
    ],
)
def test_a_row_that_is_no_item_says_why_and_the_others_are_read(tmp_path, row, reason):
    benchmark = opened(text(tmp_path, f"image,caption,negative\n{row}\nb.png,yes,no\n"))
    assert [item.item_id for item in benchmark] == ["t/2"]
    (skipped,) = benchmark.skipped()
    assert (skipped.file, skipped.line) == ("t.csv", 2)
    assert reason in skipped.reason


def test_what_only_looks_like_a_formula_is_a_caption(tmp_path):
    rows = 'image,caption,negative\na.png,- a dog,+ a cat\nb.png,"=== title ===",@ home\n'
    assert [item.texts for item in items_of(text(tmp_path, rows))] == [
        ("- a dog", "+ a cat"),
        ("=== title ===", "@ home"),
    ]


def test_a_repeated_id_is_skipped(tmp_path):
    benchmark = opened(text(tmp_path, "id,image,caption,negative\n7,a.png,a,b\n7,b.png,c,d\n"))
    assert [item.texts[0] for item in benchmark] == ["a"]
    assert "occurred before" in benchmark.skipped()[0].reason


HEADER = "image,caption,negative\n"


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + HEADER.encode() + b"a.png,yes,no\n",
        (HEADER + "a.png,yes,no\n").replace("\n", "\r\n").encode(),
        (HEADER + "a.png,yes,no\n").replace(",", ";").encode(),
        (HEADER + "a.png,yes,no").encode(),
    ],
    ids=["byte-order mark", "CRLF", "semicolons", "no line end"],
)
def test_what_spreadsheets_write_is_read(tmp_path, content):
    assert [item.texts for item in items_of(text(tmp_path, content))] == [("yes", "no")]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            HEADER.encode() + "a.png,Käfer,no\n".encode("latin-1"),
            r"t\.csv, line 2: byte 8 is not UTF-8\. Save .* as UTF-8",
        ),
        ((HEADER + "a.png,yes,no\n").encode("utf-16"), r"t\.csv: is UTF-16\. Save the table as UTF-8"),
        ((HEADER + "a.png,yes,no\n").encode("utf-16-le"), r"t\.csv: holds zero bytes, as UTF-16 does"),
        (b"PK\x03\x04" + b"\0" * 40, r"t\.csv: is a zip archive, as Excel's files are, not a CSV\. Save it as CSV"),
        (b"\x1f\x8b\x08" + b"\0" * 40, r"t\.csv: is compressed by gzip"),
        (HEADER.encode() + b'a.png,"a "big" dog",no\n', r"t\.csv, line 2: a cell is broken .* twice"),
        (b"image,caption,caption\na,b,c\n", r"line 1: the column 'caption' occurs twice"),
        (",".join(map(str, range(200_000))).encode(), r"line 1: 200,000 columns; at most 2,000 are read"),
        (b"image,,caption\na,b,c\n", "line 1: column 2 has no name"),
        (b"", "is empty"),
    ],
)
def test_a_file_that_cannot_be_read_stops_with_file_and_line(tmp_path, content, says):
    with pytest.raises(FlipsideError, match=says):
        items_of(text(tmp_path, content))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.json", b'[{"image": "a.png", "caption": "a", "negative": "b"}, {"image', r"t\.json.*"),
        ("t.parquet", b"PAR1 but not really", r"t\.parquet: cannot be read as Parquet"),
        ("t.xlsx", b"PK", r"t\.xlsx: expected a table, that is a file ending in \.csv"),
    ],
)
def test_damaged_files_of_other_kinds(tmp_path, name, content, says):
    with pytest.raises(FlipsideError, match=says):
        items_of(text(tmp_path, content, name))


def test_a_folder_holds_tables_and_pictures_anywhere_below(tmp_path):
    picture(tmp_path / "deep" / "pictures" / "a.png")
    text(tmp_path, "image,caption,negative\na.png,yes,no\n", "first.csv")
    text(tmp_path, "image,caption\na.png,yes\n", "second.csv")
    text(tmp_path, "name,address\nx,y\n", "people.csv")
    benchmark = load_benchmark("custom", tmp_path)
    first, second = benchmark
    assert (first.subset, second.subset) == ("first", "second")
    assert not first.images[0].missing
    assert [(entry.item, "do not tell" in entry.reason) for entry in benchmark.skipped()] == [("people.csv", True)]
    assert recognise(tmp_path) == ["custom"]


def test_a_name_that_several_pictures_have_is_asked_for_with_its_folder(tmp_path):
    for folder in ("v1", "v2"):
        picture(tmp_path / folder / "1.png")
    picture(tmp_path / "v2" / "2.png")
    names = ("1.png", "v2/1.png", "v3/1.png", "v3/2.png")
    text(tmp_path, "image,caption,negative\n" + "".join(f"{name},yes,no\n" for name in names))
    benchmark = load_benchmark("custom", tmp_path)
    assert [(item.item_id, Path(item.images[0].uri).relative_to(tmp_path)) for item in benchmark] == [
        ("t/2", Path("v2/1.png")), ("t/4", Path("v2/2.png"))
    ]  # fmt: skip
    assert [(entry.line, "could be v1/1.png or v2/1.png" in entry.reason) for entry in benchmark.skipped()] == [
        (2, True), (4, True)
    ]  # fmt: skip


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    picture(tmp_path / "elsewhere" / "a.png")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.png").symlink_to(tmp_path / "elsewhere" / "a.png")
    (item,) = items_of(text(tmp_path / "mine", "image,caption,negative\na.png,yes,no\n"))
    assert item.images[0].missing


def test_pictures_in_a_folder_that_is_named_and_by_full_path(tmp_path):
    picture(tmp_path / "pictures" / "sub" / "a.png")
    path = text(tmp_path, "image,caption,negative\na.png,yes,no\n")
    assert items_of(path)[0].images[0].missing
    assert items_of(path, images=tmp_path / "pictures")[0].images[0].uri.endswith("sub/a.png")
    full = tmp_path / "pictures" / "sub" / "a.png"
    path = text(tmp_path, f"image,caption,negative\n{full},yes,no\n")
    assert items_of(path, full_paths=True)[0].images[0].uri == str(full)


@pytest.mark.parametrize("what", ["nothing", "a zip", "no tables", "one name twice"])
def test_a_wrong_folder_says_what_is_expected(tmp_path, what):
    path, says = tmp_path / "nowhere", "no such f"
    if what == "a zip":
        path, says = text(tmp_path, b"PK", "my.zip"), "flipside import custom --data my.zip"
    elif what == "no tables":
        text(tmp_path, "hello", "readme.txt")
        path, says = tmp_path, "found readme.txt"
    elif what == "one name twice":
        for form in ("csv", "jsonl"):
            write(tmp_path, form, ROWS)
        path, says = tmp_path, "two tables are called set"
    with pytest.raises(UsageError, match=says):
        load_benchmark("custom", path)


@pytest.mark.parametrize("file", ["swap_obj.json", "add_att.json"])
def test_a_real_file_reads_as_its_own_importer_does(shared_data, file):
    ours = list(load_benchmark("custom", shared_data / "sugarcrepe" / file))
    theirs = [item for item in load_benchmark("sugarcrepe", shared_data / "sugarcrepe") if item.subset == file[:-5]]
    assert [(item.item_id, item.texts, item.images[0].key) for item in ours] == [
        (item.item_id, item.texts, item.images[0].key) for item in theirs
    ]


def test_visla_reads_as_triplets(shared_data):
    assert sum(1 for _ in load_benchmark("custom", shared_data / "visla" / "Generic_VISLA.tsv")) == 973
