import json

import pytest
from pyarrow import parquet

from backend.paths import cache_dir
from tests.benchmarks.samples import valse

GENERIC = "filename\tcaption\tsecond positive\tnegative_caption\r\n"


@pytest.fixture
def small(tmp_path):
    rows = "1.jpg\ta\tb\tc\r\n1.jpg\ta\tb\td\r\n2.jpg\ta\t\td\r\n"
    (tmp_path / "Generic_VISLA.tsv").write_bytes((GENERIC + rows).encode())
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "1.jpg").touch()
    return tmp_path


def test_counts(flipside, small):
    answer = flipside("import", "visla", "--data", small, "--json")
    assert answer.code == 0
    found = answer.json
    assert found["benchmark"] == "visla"
    assert found["protocol"] == "triplet"
    assert (found["n_items"], found["subsets"]) == (2, {"generic": 2})
    assert (found["n_images"], found["n_images_missing"], found["n_texts"]) == (1, 0, 4)
    reason = "empty column 'second positive'"
    assert found["skipped"] == [{"file": "Generic_VISLA.tsv", "line": 4, "reason": reason}]
    assert found["files_missing"] == ["Spatial_VISLA.tsv"]
    assert "Spatial_VISLA.tsv is not in" in answer.err
    assert "generic: 2 items, where the original release has 973" in answer.err


def test_a_limit_says_nothing_about_counts(flipside, small):
    answer = flipside("import", "visla", "--data", small, "--limit", 1, "--subset", "generic")
    assert "1 item, 1 image (0 missing), 3 texts, 1 record skipped" in answer.out
    assert "original release" not in answer.err


def test_missing_images_are_named(flipside, tmp_path):
    rows = "".join(f"{k},p{k // 2}.jpg,a {k},b {k}\n" for k in range(10))
    (tmp_path / "t.csv").write_text(f"id,image,caption,negative\n{rows}")
    answer = flipside("import", "custom", "--data", tmp_path / "t.csv", "--as", "t")
    assert "  missing: p0.jpg (t/0), p1.jpg (t/2), p2.jpg (t/4) and 2 more\n" in answer.out
    found = flipside("import", "custom", "--data", tmp_path / "t.csv", "--as", "t", "--json").json
    assert found["n_images_missing"] == 5
    assert found["images_missing"][4] == {"image": "p4.jpg", "item": "t/8"}


@pytest.mark.long
def test_the_original_files(flipside, shared_data):
    answer = flipside("import", "visla", "--data", shared_data / "visla", "--json")
    found = answer.json
    assert found["subsets"] == {"generic": 973, "spatial": 640}
    assert (found["n_items"], found["n_images_missing"], len(found["skipped"])) == (1613, found["n_images"], 12)
    assert answer.err == ""
    spatial = flipside("import", "visla", "--data", shared_data / "visla", "--json", "--subset", "spatial").json
    assert (spatial["n_items"], spatial["n_images"], len(spatial["skipped"])) == (640, 548, 12)
    generic = flipside("import", "visla", "--data", shared_data / "visla", "--json", "--subset", "generic").json
    assert (generic["n_items"], generic["n_images"], generic["skipped"]) == (973, 643, [])


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["vilsa"], 2, "Did you mean visla"),
        (["visla"], 2, "needs --data DIR"),
        (
            ["visla", "--data", "{folder}/images"],
            2,
            "expected Generic_VISLA.tsv and Spatial_VISLA.tsv in it or below, found 1.jpg",
        ),
        (
            ["visla", "--data", "{folder}", "--subset", "swap_att"],
            2,
            "--subset swap_att: visla has no such part. Available: generic",
        ),
        (
            ["visla", "--data", "{folder}", "--split", "valid"],
            2,
            "--split valid: visla has no such part. Available: none",
        ),
        (["visla", "--data", "{folder}", "--limit", "0"], 2, "--limit 0: must be at least 1"),
    ],
)
def test_wrong_use(flipside, small, arguments, code, says):
    answer = flipside("import", *[argument.format(folder=small) for argument in arguments], "--json")
    assert answer.code == code
    assert says in answer.err
    assert answer.out == ""


def test_a_broken_file_fails_with_its_line_and_leaves_nothing(flipside, small):
    (small / "Generic_VISLA.tsv").write_bytes((GENERIC + "1.jpg\ta\tb\tc\r\n1.jpg\t\xff").encode("latin-1"))
    answer = flipside("import", "visla", "--data", small, "--json")
    assert answer.code == 1
    assert "Generic_VISLA.tsv, line 3: byte 7 is not UTF-8" in answer.err
    assert answer.out == ""
    assert [path for path in (cache_dir() / "benchmarks").rglob("*") if path.is_file()] == []


def test_items_and_skipped_records_are_kept(flipside, small):
    found = flipside("import", "visla", "--data", small, "--json").json
    folder = cache_dir() / "benchmarks" / found["hash"][:16]
    rows = parquet.read_table(folder / "items.parquet").to_pylist()
    assert [row["item_id"] for row in rows] == ["generic/1", "generic/2"]
    kept = [json.loads(line) for line in (folder / "skipped.jsonl").read_text().splitlines()]
    assert [(entry["file"], entry["line"]) for entry in kept] == [("Generic_VISLA.tsv", 4)]
    assert json.loads((folder / "benchmark.json").read_text())["skipped"] == 1


def test_a_sample_takes_from_every_subset_its_share(flipside, shared_data):
    ask = ["import", "visla", "--data", shared_data / "visla", "--json", "--sample", 100]
    found = flipside(*ask, "--seed", 1).json
    assert found["subsets"] == {"generic": 60, "spatial": 40}  # of 973 and 640
    assert flipside(*ask, "--seed", 1).json["n_images"] == found["n_images"]


def test_another_split_is_held_against_its_own_counts(flipside, tmp_path):
    valse.write(tmp_path)
    found = flipside("import", "valse", "--data", tmp_path, "--split", "all", "--json").json
    assert found["split"] == "all"
    assert found["unexpected_counts"]["existence"] == [found["subsets"]["existence"], 534]  # 505 of them are valid


def test_a_cell_that_may_be_rows_is_told_of_and_rows_that_a_quote_took_are_listed(flipside, tmp_path):
    """Failed before: one caption held two rows, and "0 records skipped" was said."""
    (tmp_path / "t.csv").write_text(
        'image,caption,negative\na.png,x,y\nb.png,"a red,one\nc.png,a man",a cat\nd.png,x,"a crowd\nof 1,000,000"\n'
    )
    answer = flipside("import", "custom", "--data", tmp_path / "t.csv", "--json")
    assert [each["line"] for each in answer.json["skipped"]] == [3, 4]
    assert (answer.json["n_items"], len(answer.json["doubted"])) == (2, 1)
    assert answer.json["doubted"][0].startswith("t.csv: ")
