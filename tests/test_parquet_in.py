"""Parquet that explodes is refused before anybody unpacks it, through every door; honest files pass."""

import json
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend import parquet_in, parquet_look
from backend.benchmarks.custom import tables
from backend.benchmarks.reading import packed
from backend.errors import FlipsideError
from backend.parquet_in import SHARD, TABLE, Limits, ParquetError, look
from backend.store.exchange.bundle import read_bundle
from tests.store import writer
from tests.store.forged import Forged


def repeated(text, rows):
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))


def bomb(path, rows=3000, length=990_000):
    """Under a kilobyte, whose texts, unpacked, are gigabytes."""
    column = repeated("x" * length, rows)
    pq.write_table(
        pa.table({"image": repeated("a.png", rows), "caption": column, "foil": column}), path, compression="zstd",
        store_schema=False,
    )  # fmt: skip
    assert path.stat().st_size < 2000
    return path


def written(path, columns, **how):
    pq.write_table(pa.table(columns), path, **how)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("read", [tables.records, lambda path: packed.rows(path, ())], ids=["own table", "pictures"])
def test_a_table_that_explodes_is_refused_before_a_row_is_read(tmp_path, read):
    path = bomb(tmp_path / "boom.parquet")
    if read is not tables.records:
        path = written(tmp_path / "wide.parquet", {"a": repeated(b"x" * 300_000_000, 2)}, compression="zstd")
    with pytest.raises(FlipsideError, match=r"(unpacks to|value of) more than [0-9,]+ bytes|takes more memory"):
        next(iter(read(path)))


LIMITS = {
    "rows": (Limits(rows=9), {"a": list(range(10))}, "10 rows, more than 9"),
    "columns": (Limits(columns=1), {"a": [1], "b": [1]}, "2 columns, more than 1"),
    "text": (Limits(text=5), {"a": ["short", "longer"]}, "a value of more than 5 bytes"),
    "text in a list": (Limits(text=5), {"a": [["short"], ["a", "longer"]]}, "a value of more than 5 bytes"),
    "text in a structure": (Limits(text=5), {"a": [{"b": "longer"}]}, "a value of more than 5 bytes"),
    "row": (Limits(row=50), {"a": [["1234567890"] * 5]}, "a row of more than 50 bytes"),
    "stride": (Limits(stride=20_000), {"a": ["1234567890"] * 3000}, "more than 20,000 bytes in 2,048 rows"),
    "total": (Limits(total=200_000), {"a": ["1234567890"] * 30_000}, "unpacks to more than 200,000 bytes"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("limits", "columns", "said"), LIMITS.values(), ids=LIMITS)
def test_each_limit_is_told(tmp_path, limits, columns, said):
    with pytest.raises(ParquetError, match=said):
        look([(written(tmp_path / "t.parquet", columns), limits)])
    assert look([(written(tmp_path / "t.parquet", columns), TABLE)])[0].rows == len(next(iter(columns.values())))


@pytest.mark.slow
def test_metadata_that_lies_is_not_believed(tmp_path):
    """The file says that its column takes a few bytes; its one page is 1.5 GB."""
    path = written(tmp_path / "lie.parquet", {"a": pa.array([b"\0" * 1_500_000_000])}, compression="zstd",
                   use_dictionary=False, write_statistics=False, store_schema=False)  # fmt: skip
    data = path.read_bytes()
    true = pq.read_metadata(path).row_group(0).total_byte_size
    said, lie = varint(true * 2), varint(200)
    foot = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    footer = data[foot:-8].replace(said, lie)
    assert footer != data[foot:-8]
    path.write_bytes(data[:foot] + footer + struct.pack("<I", len(footer)) + b"PAR1")
    assert pq.read_metadata(path).row_group(0).total_byte_size == 100
    with pytest.raises(ParquetError, match="more memory"):
        look([(path, TABLE)])


def varint(number):
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


@pytest.mark.long
def test_a_look_that_dies_is_a_refusal(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_look, "MEMORY", 0)
    with pytest.raises(ParquetError, match=r"t\.parquet takes more memory"):
        look([(written(tmp_path / "t.parquet", {"a": np.arange(10_000_000)}), TABLE)])


@pytest.mark.parametrize("raised", [MemoryError(), OSError("Couldn't deserialize thrift: std::bad_alloc")])
def test_memory_that_runs_out_anywhere_is_the_same_refusal(tmp_path, monkeypatch, raised):
    def out_of_memory(path):
        raise raised

    monkeypatch.setattr(parquet_look, "opened", out_of_memory)
    found = parquet_look.look(written(tmp_path / "t.parquet", {"a": [1]}), {})
    assert found == {"refused": "takes more memory to read than any honest file of its size"}


@pytest.mark.long
def test_honest_files_pass(tmp_path):
    several = written(tmp_path / "groups.parquet", {"t": [[f"w{i}", "x"] for i in range(5000)]}, row_group_size=700)
    classes = written(tmp_path / "classes.parquet", {"t": [[f"class {n}" for n in range(1000)]] * 3000})
    scores = written(tmp_path / "scores.parquet", {"item": np.arange(1_000_000), "value": np.ones(1_000_000)})
    nothing = written(tmp_path / "nothing.parquet", {"t": pa.array([], pa.list_(pa.string()))})
    empty = written(tmp_path / "empty.parquet", {"t": [None, []], "m": [None, None], "b": [True, None]})
    found = look([(path, TABLE) for path in (several, classes, scores, nothing, empty)])
    assert [one.rows for one in found] == [5000, 3000, 1_000_000, 0, 2]
    for path, one in zip((several, classes), found, strict=False):
        read = pa.Table.from_batches(list(parquet_in.batches(path, one)))
        assert read.equals(pq.read_table(path))
    assert found[1].longest == len("class 999")


@pytest.fixture(scope="module")
def forged(tmp_path_factory):
    from backend.store.exchange.write import write_bundle

    root = tmp_path_factory.mktemp("elsewhere")
    folder = writer.write_run(root, writer.items(4), "", ["gen"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        write_bundle(folder.name, next((root / "benchmarks").iterdir()).name, root / "run.zip")
    return Forged(root / "run.zip")


@pytest.mark.long
def test_a_bundle_whose_tokens_explode_is_refused(flipside, flipside_cache, tmp_path, forged):
    """Once: 0.7 MB that took 3.3 GB, and the database could not be built any more."""
    import hashlib

    rows, tokens = 3, 900
    offsets = pa.array(range(0, rows * tokens + 1, tokens), pa.int32())
    words = pa.ListArray.from_arrays(offsets, repeated("x" * 990_000, rows * tokens))
    small = {"item_no": pa.int32(), "image_index": pa.int16(), "text_index": pa.int32(), "sample": pa.int16()}
    columns = {name: pa.array(range(rows) if name == "item_no" else [0] * rows, kind) for name, kind in small.items()}
    logs = pa.ListArray.from_arrays(offsets, pa.array([-1.0] * rows * tokens, pa.float32()))
    path = written(tmp_path / "t.parquet", {**columns, "tokens": words, "logprobs": logs}, compression="zstd",
                   store_schema=False)  # fmt: skip
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    name = f"tokens_gen-0-{digest[:12]}.parquet"
    forged.files[f"{forged.run}/{name}"] = data
    entry = {"complete": True, "shards": [{"file": name, "sha256": digest, "rows": rows}]}
    forged.change("manifest.json", lambda manifest: manifest["parts"].update({"tokens:gen": entry}))
    answer = flipside("import-results", forged.write(tmp_path / "forged.zip"))
    assert answer.code == 1
    assert f"{name} holds a value of more than {SHARD.text:,} bytes" in answer.err
    assert not list((flipside_cache / "imported").glob("runs/*"))


LISTINGS = {
    "a list": ([], "bundle.json: the document: Input should be a valid dictionary"),
    "nothing": (None, "bundle.json: the document: Input should be a valid dictionary"),
    "files 7": ({"format": 1, "run": "a", "benchmark": "b", "files": 7}, "bundle.json: files:"),
    "no format": ({}, "bundle.json: format: is missing"),
    "a long run": ({"format": 1, "run": "a" * 5000, "benchmark": "b", "files": {}}, "bundle.json: run:"),
    "a long file": (
        {"format": 1, "run": "a", "benchmark": "b", "files": {"q" * 4000: {"size": 1, "sha256": "0" * 64}}},
        "bundle.json: files",
    ),
    "empty lists": ([[]] * 1_100_000, "lists more than 200,000 files"),
}


@pytest.mark.parametrize(("listing", "said"), LISTINGS.values(), ids=LISTINGS)
def test_a_listing_that_is_none_is_refused_in_a_short_sentence(tmp_path, listing, said):
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bundle.json", json.dumps(listing))
    with pytest.raises(FlipsideError) as refusal:
        read_bundle(path)
    assert said in str(refusal.value)
    assert len(str(refusal.value)) < len(str(path)) + 300


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_is_there_twice_is_refused(tmp_path):
    listing = {"format": 1, "run": "a", "benchmark": "b", "files": {}}
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("bundle.json", json.dumps(listing))
        archive.writestr("bundle.json", json.dumps(listing))
    with pytest.raises(FlipsideError, match=r"it holds 'bundle\.json' twice"):
        read_bundle(tmp_path / "b.zip")
