from pathlib import Path

import pytest

from backend.benchmarks import load_benchmark
from backend.errors import FlipsideError, UsageError
from backend.items import Protocol, Skipped

GENERIC = "filename\tcaption\tsecond positive\tnegative_caption"
SPATIAL = "image\tsent1\tsent2\tBest reference (Semantically close)\tReference-2 (Completely irrelevant)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(
        tmp_path / "Generic_VISLA.tsv",
        GENERIC,
        "000000000001.jpg\tA dog under a table.\tUnder a table, a dog.\tA dog on a table.",
        '000000000002.jpg\tA sign that says "stop".\tA "stop" sign.\tA sign that says "go". ',
    )
    write(
        tmp_path / "Spatial_VISLA.tsv",
        SPATIAL,
        "000000000003.jpg\tThe mug is on the tray.\tThe tray is under the mug.\t\t",
        "000000000003.jpg\tThe mug is on the tray.\tThe tray is under the mug.\tThe mug is by the tray.\tA boat.",
    )
    return tmp_path


def write(path: Path, *lines: str) -> None:
    path.write_bytes("\r\n".join(lines).encode())  # no line end after the last, as in the original


def test_items_keep_the_file_order_and_its_text_as_it_stands(folder):
    first, second, spatial = load_benchmark("visla", folder)
    assert first.item_id == "generic/1"
    assert first.protocol is Protocol.TRIPLET
    assert first.texts == ("A dog under a table.", "Under a table, a dog.", "A dog on a table.")
    assert first.truth == ((0, 0), (0, 1))
    assert first.source == "Generic_VISLA.tsv:2"
    assert second.texts[2] == 'A sign that says "go". '  # quotes and blanks are text
    assert spatial.tags["concept"] == ("spatial",)
    assert first.tags["original"] == ("generic",)


def test_a_row_without_negative_is_skipped_and_renumbers_nothing(folder):
    benchmark = load_benchmark("visla", folder)
    reason = "empty column 'Best reference (Semantically close)'"
    assert benchmark.skipped() == [Skipped(file="Spatial_VISLA.tsv", line=2, reason=reason)]
    assert [item.item_id for item in benchmark][-1] == "spatial/2"


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ([], ""),
        (["images"], "images"),
        (["train2017"], "train2017"),
        (["images/train2017", "images/val2017"], "images/val2017"),
        (["images", "images/train2017"], "images/train2017"),
    ],
)
def test_images_are_looked_for_in_val_then_train_then_flat(folder, places, found):
    for place in places:
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / place / "000000000001.jpg").touch()
    image = next(iter(load_benchmark("visla", folder))).images[0]
    assert image.key == "000000000001.jpg"
    assert image.uri == (str(folder / found / image.key) if found else "")


def test_missing_images_do_not_change_the_benchmark(folder):
    without = load_benchmark("visla", folder).content_hash()
    (folder / "images").mkdir()
    (folder / "images" / "000000000001.jpg").touch()
    assert load_benchmark("visla", folder).content_hash() == without


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"image\tsent1", ["line 1", "expected header", "'second positive'", "found 2 column(s)", "'sent1'"]),
        (GENERIC.encode() + b"\r\na.jpg\tone\ttwo\tthr\xffe", ["line 2", "not UTF-8"]),
        (b"", ["is empty", "expected header"]),
    ],
    ids=["header", "encoding", "empty"],
)
def test_a_broken_file_is_named_with_line_found_and_expected(tmp_path, line, says):
    (tmp_path / "Generic_VISLA.tsv").write_bytes(line)
    with pytest.raises(FlipsideError) as refused:
        list(load_benchmark("visla", tmp_path))
    assert "Generic_VISLA.tsv" in str(refused.value)
    for part in says:
        assert part in str(refused.value)


def test_a_row_of_another_length_is_skipped_with_what_was_found(tmp_path):
    write(tmp_path / "Generic_VISLA.tsv", GENERIC, "a.jpg\tone\ttwo", "000000000001.jpg\tA\tB\tC")
    benchmark = load_benchmark("visla", tmp_path)
    reason = "expected 4 columns, found 3 column(s) ['a.jpg', 'one', 'two']"
    assert benchmark.skipped() == [Skipped(file="Generic_VISLA.tsv", line=2, reason=reason)]
    assert [item.item_id for item in benchmark] == ["generic/2"]


def test_a_byte_order_mark_is_no_text(tmp_path):
    (tmp_path / "Generic_VISLA.tsv").write_bytes(b"\xef\xbb\xbf" + GENERIC.encode() + b"\na.jpg\tA\tB\tC\n")
    assert [item.texts for item in load_benchmark("visla", tmp_path)] == [("A", "B", "C")]


def test_a_wrong_folder_says_what_was_expected_and_found(tmp_path):
    (tmp_path / "swap_att.json").touch()
    with pytest.raises(UsageError, match=r"expected Generic_VISLA.tsv and Spatial_VISLA.tsv.*found swap_att.json"):
        load_benchmark("visla", tmp_path)
    with pytest.raises(UsageError, match="no such folder"):
        load_benchmark("visla", tmp_path / "absent")
    with pytest.raises(UsageError, match=r"swap_att.json: is a file, where a folder is expected. --data for visla is"):
        load_benchmark("visla", tmp_path / "swap_att.json")


def test_a_table_given_for_own_data_that_is_kept_says_how_it_is_read(tmp_path):
    table = tmp_path / "my items.csv"
    table.write_text("image,caption,foil\n")
    with pytest.raises(UsageError, match="is a file, where a folder is expected") as refused:
        load_benchmark("custom:small", table)
    assert f"read by: flipside import custom --data '{table}' --as small" in str(refused.value)
    with pytest.raises(UsageError, match="needs --data DIR"):
        load_benchmark("visla")


def test_the_original_files(shared_data):
    benchmark = load_benchmark("visla", shared_data / "visla")
    items = list(benchmark)
    assert [sum(item.subset == part for item in items) for part in ("generic", "spatial")] == [973, 640]
    assert len({item.item_id for item in items}) == 1613
    assert len({item.images[0].key for item in items if item.subset == "generic"}) == 643
    assert len({item.images[0].key for item in items if item.subset == "spatial"}) == 548
    assert [(entry.file, entry.line) for entry in benchmark.skipped()] == [
        ("Spatial_VISLA.tsv", line) for line in (111, 174, 206, 222, 231, 257, 258, 259, 267, 283, 288, 295)
    ]
    lines = {item.source: item for item in items}
    assert sum(
        '"' in text for source in ("Generic_VISLA.tsv:56", "Generic_VISLA.tsv:241") for text in lines[source].texts
    )
    for line in (430, 524):  # kept although they can never be won
        *paraphrases, negative = [text.casefold().strip() for text in lines[f"Spatial_VISLA.tsv:{line}"].texts]
        assert negative in paraphrases
