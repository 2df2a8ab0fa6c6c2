"""What `export --what items` writes of any benchmark, `custom` reads back as the same items."""

import pytest

from backend.benchmarks import load_benchmark
from backend.engine.runner import run
from tests.engine.samples import mixed


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_exported_items_come_back(tmp_path, flipside, form):
    benchmark = mixed(tmp_path)
    run("fake:ok", benchmark, ["itc"])
    out = tmp_path / f"items.{form}"
    done = flipside(
        "export", "--model", "fake:ok", "--benchmark", "mixed", "--what", "items", "--format", form, "--out", out
    )
    assert done.code == 0
    back = load_benchmark("custom", out)
    assert back.skipped() == []
    assert list(back) == list(benchmark)
    assert back.content_hash() == benchmark.content_hash()


@pytest.mark.slow
def test_names_like_formulas_come_back_through_csv(tmp_path, flipside):
    """A spreadsheet is shown `'=1`; this reader takes the apostrophe away again."""
    table = tmp_path / "mine.csv"
    table.write_text("id,p1,p2,negative\n=1+1,-a cat,a cat,@a dog\n'-2,+a cat,one cat,a dog\n", encoding="utf-8")
    assert flipside("import", "custom", "--data", table, "--as", "odd").code == 0
    assert flipside("run", "--model", "fake:ok", "--benchmark", "custom:odd", "--kinds", "t2t").code == 0
    out = tmp_path / "items.csv"
    what = ("--model", "fake:ok", "--benchmark", "custom:odd", "--what", "items", "--format", "csv", "--out", out)
    assert flipside("export", *what).code == 0
    back = list(load_benchmark("custom", out))
    assert [item.texts for item in back] == [("-a cat", "a cat", "@a dog"), ("+a cat", "one cat", "a dog")]
    assert list(load_benchmark("custom:odd")) == back


@pytest.mark.slow
def test_the_bundled_world_comes_back_with_its_scenes(tmp_path, flipside):
    flipside("run", "--model", "fake:ok", "--benchmark", "world", "--kinds", "t2t")
    out = tmp_path / "items.jsonl"
    done = flipside(
        "export", "--model", "fake:ok", "--benchmark", "world", "--what", "items", "--format", "jsonl", "--out", out
    )
    assert done.code == 0
    back, world = load_benchmark("custom", out), load_benchmark("world")
    assert back.content_hash() == world.content_hash()
    assert next(iter(back)).images == next(iter(world)).images


@pytest.mark.slow
def test_a_copy_renames_neither_the_benchmark_nor_its_runs(tmp_path, flipside):
    flipside("run", "--model", "fake:ok", "--benchmark", "world", "--kinds", "t2t")
    out = tmp_path / "copy.jsonl"
    what = ("--what", "items", "--format", "jsonl", "--out", out)
    flipside("export", "--model", "fake:ok", "--benchmark", "world", *what)
    assert flipside("import", "custom", "--data", out, "--as", "copy").code == 0
    assert flipside("run", "--model", "fake:ok/prior,t2t", "--benchmark", "custom:copy", "--kinds", "t2t").code == 0
    assert flipside("run", "--model", "fake:ok", "--benchmark", "custom:copy", "--kinds", "t2t").code == 0
    by_name = [
        flipside("report", "--model", "fake:ok", "--benchmark", name, "--json").json
        for name in ("world", "custom:copy")
    ]
    assert [found["benchmark"] for found in by_name] == ["world", "world"]
    assert by_name[0]["run"] == by_name[1]["run"]
    names = flipside("sql", "SELECT name FROM benchmarks").out
    assert "world" in names
    assert "copy" not in names


def test_a_kept_folder_comes_back_from_a_zip(tmp_path):
    import shutil
    import zipfile

    from PIL import Image

    from backend.benchmarks.items_folder.folder import own_folder
    from backend.intake.own_data import save
    from backend.live.uploads.own_data import save_item

    save_item("mine", "choice", [(Image.new("RGB", (4, 4), "red"), "")], ("a", "b"))
    before = load_benchmark("custom:mine").content_hash()
    folder = own_folder("custom:mine")
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as out:
        for file in folder.rglob("*"):
            if file.is_file():
                out.write(file, file.relative_to(folder.parent))
    shutil.rmtree(folder)
    save(tmp_path / "mine.zip", None, "again")
    again = load_benchmark("custom:again")
    assert again.content_hash() == before
    assert not next(iter(again)).images[0].missing


@pytest.mark.parametrize(
    ("cell", "value", "reason"),
    [
        ("protocol", "pairs", "'protocol' is 'pairs', expected triplet"),
        ("texts", "[1, 2]", "'texts' is no list of texts"),
        ("texts", "not json", "'texts' is no JSON"),
        ("truth", "[[0, 9]]", "names an image or a text that is not there"),
        ("truth", "3", "is no list of pairs"),
        ("tags", "[1]", "'tags' is no object"),
    ],
)
def test_a_damaged_export_says_what_is_wrong(tmp_path, cell, value, reason):
    good = {"item_id": "a/1", "subset": "a", "protocol": "choice", "images": '["a.png"]', "texts": '["x", "y"]',
            "truth": "[[0, 0]]", "tags": "{}", "source": "s"}  # fmt: skip
    import csv

    with (tmp_path / "t.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, good)
        writer.writeheader()
        writer.writerow(good | {cell: value})
        writer.writerow(good | {"item_id": "a/2"})
    benchmark = load_benchmark("custom", tmp_path / "t.csv")
    assert [item.item_id for item in benchmark] == ["a/2"]
    assert reason in benchmark.skipped()[0].reason
