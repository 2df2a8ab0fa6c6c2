"""The ending of `--out` says what is written; `-` is standard output."""

import json

import pytest

from backend.errors import UsageError
from backend.verbs.shared import out

CLIP = ("--model", "bundled:clip", "--benchmark", "world", "--subset", "size")
ITEMS = ("export", *CLIP, "--what", "items")
TABLE = ("table", "--models", "bundled:clip", "--benchmarks", "world", "--subset", "size")


def test_the_ending_decides(flipside, shipped_imported, tmp_path):
    for name, begins in (
        ("a.csv", b"item_id,"),
        ("a.JSONL", b'{"item_id"'),
        ("a.parquet", b"PAR1"),
        ("a", b"item_id,"),
    ):
        done = flipside(*ITEMS, "--out", tmp_path / name)
        assert done.code == 0, done.err
        assert (tmp_path / name).read_bytes().startswith(begins), name
    for name, begins in (("t.tex", "% needs"), ("t.csv", "model,"), ("t.md", "|"), ("t.txt", "|")):
        flipside(*TABLE, "--out", tmp_path / name)
        assert (tmp_path / name).read_text().lstrip().startswith(begins), name


WRONG = [
    ((*ITEMS, "--format", "csv"), "y.parquet", "--format csv and --out y.parquet: the file's ending says parquet"),
    (ITEMS, "y.xlsx", "--out y.xlsx: its ending says xlsx, and what can be written is csv, jsonl, parquet"),
    (ITEMS, "y.csv.gz", "its ending says gz"),
    (("export", *CLIP, "--what", "bundle"), "y.parquet", "its ending says parquet, and what can be written is zip"),
    ((*TABLE, "--format", "md"), "t.tex", "--format md and --out t.tex: the file's ending says latex"),
    (TABLE, "t.parquet", "its ending says parquet, and what can be written is md, latex, csv"),
    ((*ITEMS, "--format", "parquet"), "-", "--out -: parquet is no text for standard output"),
    (("export", *CLIP, "--what", "bundle"), "-", "--out -: zip is no text for standard output"),
    (("world",), "-", "--out -: several files cannot go to standard output"),
]


@pytest.mark.parametrize(("words", "name", "said"), WRONG)
def test_what_cannot_be_meant_is_refused(flipside, shipped_imported, tmp_path, monkeypatch, words, name, said):
    monkeypatch.chdir(tmp_path)
    refused = flipside(*words, "--out", name)
    assert refused.code == 2
    assert said in refused.err
    assert not list(tmp_path.iterdir())


def test_standard_output(flipside, shipped_imported, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written = flipside(*ITEMS, "--format", "jsonl", "--out", "-")
    assert {json.loads(line)["subset"] for line in written.out.splitlines()} == {"size"}
    assert "rows of run" in written.err
    assert flipside(*TABLE, "--out", "-").out == flipside(*TABLE).out
    assert not list(tmp_path.iterdir())
    assert out.file("./-") == tmp_path / "-"


def test_a_folder_has_no_standard_output():
    with pytest.raises(UsageError, match="several files"):
        out.folder("-")
