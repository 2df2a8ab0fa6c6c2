"""One file that cannot be taken in never stops the others: it is left out, named, and can be deleted."""

import errno
import hashlib

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend import paths
from backend.engine.storage import shards
from backend.errors import FlipsideError
from backend.store.build import generations, importer, left_out, loading
from backend.store.build.reader import open_store
from backend.store.catalog import catalog
from backend.store.exchange.imported import deletable
from backend.store.scores import outcomes
from tests.store import writer

BAD = "b" * 16


def exploding(root):
    """A run folder as an earlier version would have imported it: a shard of some kilobytes whose tokens, expanded, take
    more memory than the database has here."""
    folder = writer.write_run(root, writer.items(4), BAD, ["itc"], model="fake:bad")
    rows, tokens = 4, 400
    words = pa.DictionaryArray.from_arrays(pa.array([0] * rows * tokens, pa.int32()), pa.array(["x" * 500_000]))
    offsets = pa.array(range(0, rows * tokens + 1, tokens), pa.int32())
    small = {"item_no": pa.int32(), "image_index": pa.int16(), "text_index": pa.int32(), "sample": pa.int16()}
    columns = {name: pa.array(range(rows) if name == "item_no" else [0] * rows, kind) for name, kind in small.items()}
    columns["tokens"] = pa.ListArray.from_arrays(offsets, words)
    columns["logprobs"] = pa.ListArray.from_arrays(offsets, pa.array([-1.0] * rows * tokens, pa.float32()))
    pq.write_table(pa.table(columns), folder / "aside.parquet", compression="zstd")
    digest = hashlib.sha256((folder / "aside.parquet").read_bytes()).hexdigest()
    name = f"tokens_gen-0-{digest[:12]}.parquet"
    (folder / "aside.parquet").rename(folder / name)
    assert (folder / name).stat().st_size < 100_000
    manifest = shards.read_manifest(folder)
    entry = {"file": name, "sha256": digest, "rows": rows}
    manifest["parts"]["tokens:gen"] = {"complete": True, "shards": [entry]}
    shards.write_manifest(folder, manifest)
    return folder


@pytest.fixture
def good(flipside_cache):
    return writer.write_run(flipside_cache, writer.items(4), "a" * 16, ["itc", "t2t"]).name


def models(store):
    return set(catalog.runs(store)["model"])


@pytest.mark.parametrize("before", [False, True], ids=["first database", "next generation"])
def test_a_part_too_large_for_memory_is_left_out_and_named(good, flipside, monkeypatch, capsys, before):
    monkeypatch.setenv("FLIPSIDE_DB_MEMORY", "300MB")
    if before:
        assert "fake:ok" in models(open_store())
    folder = exploding(paths.imported_dir())
    store = open_store()
    assert {"fake:ok", "fake:bad"} <= models(store)
    found = catalog.problems(store)
    assert found["path"].tolist() == [str(folder)]
    assert (
        "its part tokens:gen cannot be read (it takes more memory than the database may use, 300MB)"
        in (found["reason"][0])
    )
    assert str(folder) in capsys.readouterr().err
    parts = store.cursor().execute("SELECT part FROM run_parts WHERE run_id = ?", [BAD]).fetchall()
    assert ("itc",) in parts
    assert ("tokens:gen",) not in parts
    assert deletable(folder) == folder
    answer = flipside("report", "--model", "fake:ok", "--benchmark", "toy", "--json")
    assert answer.code == 0, answer.err
    doctor = {check["name"]: check for check in flipside("doctor", "--json").json["checks"]}
    assert doctor["left out"]["status"] == "failed"
    assert str(folder) in doctor["left out"]["detail"]


def test_vectors_that_cannot_be_read_are_left_out(good, flipside_cache, monkeypatch):
    original = loading._vectors
    writer.write_run(paths.imported_dir(), writer.items(4), BAD, ["itc"], model="fake:bad")

    def vectors(path):
        if BAD in str(path):
            raise pa.ArrowMemoryError("malloc of size 4000000000 failed")
        return original(path)

    monkeypatch.setattr(loading, "_vectors", vectors)
    store = open_store()
    assert {"fake:ok", "fake:bad"} <= models(store)
    assert set(catalog.problems(store)["path"]) == {str(paths.imported_dir() / "runs" / BAD)}


@pytest.mark.parametrize(("module", "name"), [(outcomes, "judge"), (loading, "run_row")], ids=["judging", "its record"])
def test_a_run_that_cannot_be_judged_or_stored_is_left_out_whole(good, monkeypatch, module, name):
    folder = writer.write_run(paths.imported_dir(), writer.items(4), BAD, ["itc"], model="fake:bad")
    original = getattr(module, name)

    def broken(*given):
        if any(getattr(each, "run_id", each) == BAD for each in given):
            raise duckdb.ConversionException("Conversion Error: Could not convert string 'x' to INT32")
        return original(*given)

    monkeypatch.setattr(module, name, broken)
    store = open_store()
    assert models(store) == {"fake:ok"}
    assert catalog.problems(store)["path"].tolist() == [str(folder)]
    for table in ("runs", "run_parts", "scores", "embeddings", "outcomes"):
        assert store.cursor().execute(f"SELECT count(*) FROM {table} WHERE run_id = ?", [BAD]).fetchone() == (0,)


def test_a_full_disk_is_no_fault_of_a_file(good, monkeypatch):
    def full(*given):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(outcomes, "judge", full)
    with pytest.raises(FlipsideError, match="No space is left"):
        importer.refresh(wait=True)
    assert generations.current() is None


def test_why_is_a_few_words():
    assert left_out.why(ValueError("x" * 5000)) == "x" * 200
    assert left_out.why(KeyError()) == "KeyError"


def test_ctrl_c_while_duckdb_reads_from_python_is_not_a_fault_of_a_file():
    """DuckDB hands on whatever was raised there as an error of its own, whose message is Python's traceback."""

    def batches():
        yield pa.record_batch({"a": [1]})
        raise KeyboardInterrupt

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())  # noqa: F841 - by its name
    with duckdb.connect() as connection, pytest.raises(duckdb.Error) as raised:
        connection.execute("SELECT count(*) FROM reader")
    with pytest.raises(KeyboardInterrupt):
        left_out.why(raised.value)


def test_of_a_traceback_its_last_line_is_why():
    traceback = "Traceback (most recent call last):\n  File 'x', line 1, in f\nValueError: no such colour\n"
    assert left_out.why(duckdb.InvalidInputException(traceback)) == "ValueError: no such colour"
