"""Every door that takes a zip has the same limits, and tells of a damaged one in a sentence."""

import hashlib
import json
import zipfile
import zlib
from pathlib import Path

import pytest

from backend import unpacking
from backend.benchmarks.fetching.trouble import FileError
from backend.benchmarks.fetching.unpack import unpack
from backend.benchmarks.items_folder.folder import own_folder, own_names
from backend.errors import FlipsideError
from backend.intake.own_data import save
from backend.live.uploads.own_uploads import stage
from backend.store.exchange.bundle import read_bundle

ROOT = Path(__file__).resolve().parent.parent
TABLE = "image,caption,negative\na.png,a red cube,a blue cube\n"
RUN, BENCHMARK = "a" * 16, "b" * 16


def zipped(path, entries, **how):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in entries.items():
            out.writestr(name, data, **how)
    return path


def bundle(path, files, **listed):
    """A bundle whose listing is right about its files, whatever they hold."""
    entries = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} | listed for name, data in files.items()
    }
    listing = {"format": 1, "run": RUN, "benchmark": BENCHMARK, "files": entries}
    return zipped(path, {"bundle.json": json.dumps(listing), **files})


def damaged(path):
    """The first entry's deflate stream begins with a block of an unknown type."""
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x03\x04") + 30 + int.from_bytes(data[26:28], "little")] = 0xFF
    path.write_bytes(bytes(data))
    return path


def taken_by(door, path):
    """What a door says of a zip."""
    with pytest.raises(FlipsideError) as said:
        door(path)
    return str(said.value)


def uploaded(path):
    return stage(path.read_bytes(), path.name)


def kept(path):
    return save(path, None, "mine")


DOORS = {"upload": uploaded, "own data": kept, "bundle": read_bundle, "fetch": unpack}


@pytest.fixture(params=DOORS)
def door(request):
    return DOORS[request.param]


def test_a_damaged_stream_is_told_in_a_sentence(door, tmp_path):
    path = damaged(zipped(tmp_path / "a.zip", {"t.csv": TABLE * 9, "bundle.json": "{}"}))
    with zipfile.ZipFile(path) as archive, pytest.raises(zlib.error):
        archive.read("t.csv")
    if door is read_bundle:
        path = damaged(bundle(tmp_path / "a.zip", {}))
    said = taken_by(door, path)
    assert "invalid block type" in said
    assert not own_folder("custom:mine").exists()


def test_one_limit_of_entries(door, tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_ENTRIES", 3)
    few = {f"pics/{n}.txt": "x" for n in range(3)} | {"t.csv": TABLE}
    assert "has more than 3 entries" in taken_by(door, zipped(tmp_path / "a.zip", few))
    assert own_names() == []


def test_too_many_entries_are_not_all_listed_first(tmp_path, monkeypatch):
    """The number at the end of a zip may be a lie; zipfile believes the directory, and so do we."""
    monkeypatch.setattr(unpacking, "MOST_ENTRIES", 3)
    path = zipped(tmp_path / "a.zip", {f"{n}": "x" for n in range(9)})
    data = bytearray(path.read_bytes())
    end = data.rindex(b"PK\x05\x06")
    data[end + 8 : end + 12] = bytes([1, 0, 1, 0])
    path.write_bytes(bytes(data))
    with pytest.raises(FileError, match="has more than 3 entries"):
        unpack(path)


def test_one_ratio(door, tmp_path, monkeypatch):
    """A bundle of 2 MB that unpacks to 3 GB was read into memory, entry by entry."""
    monkeypatch.setattr(unpacking, "AT_LEAST", 1 << 20)
    big = {"t.csv": TABLE.encode(), f"runs/{RUN}/x.parquet": bytes(4 << 20)}
    path = bundle(tmp_path / "a.zip", big) if door is read_bundle else zipped(tmp_path / "a.zip", big)
    if door is read_bundle:
        path = bundle(path, {f"runs/{RUN}/x.parquet": bytes(4 << 20)})
    assert "unpacks to more than 1,048,576 bytes, which no honest archive of its size does" in taken_by(door, path)
    assert own_names() == []


def test_a_bundle_s_file_is_never_longer_than_its_listing_says(tmp_path):
    path = bundle(tmp_path / "a.zip", {f"runs/{RUN}/x.parquet": bytes(4 << 20)}, size=10)
    assert "unpacks to more than it says" in taken_by(read_bundle, path)


@pytest.mark.parametrize("size", [-1, 1 << 70, "many", None, [], float("inf")])
def test_sizes_that_are_none(tmp_path, size):
    path = bundle(tmp_path / "a.zip", {f"runs/{RUN}/x.parquet": b"x"}, size=size)
    assert "refused, nothing was imported" in taken_by(read_bundle, path)


def test_long_json_in_a_bundle(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_JSON", 1000)
    many = json.dumps({"format": 1, "files": {}, "run": "x" * 2000})
    assert "bundle.json is longer than" in taken_by(read_bundle, zipped(tmp_path / "a.zip", {"bundle.json": many}))
    path = bundle(tmp_path / "a.zip", {f"runs/{RUN}/run.json": b" " * 2000})
    assert "run.json is longer than" in taken_by(read_bundle, path)


DEEP = "[" * 200_000


def test_deep_json_in_a_bundle(tmp_path):
    said = taken_by(read_bundle, zipped(tmp_path / "a.zip", {"bundle.json": DEEP}))
    assert "nested deeper than" in said


@pytest.mark.parametrize("name", ["run.json", "manifest.json", "benchmark.json"])
def test_deep_json_in_a_file_of_a_bundle(tmp_path, name):
    files = {
        f"runs/{RUN}/run.json": b'{"run": "%s"}' % RUN.encode(),
        f"runs/{RUN}/manifest.json": b'{"format": 1, "parts": {}}',
        f"benchmarks/{BENCHMARK}/benchmark.json": b"{}",
        f"benchmarks/{BENCHMARK}/items.parquet": b"",
    }
    folder = f"benchmarks/{BENCHMARK}" if name == "benchmark.json" else f"runs/{RUN}"
    files[f"{folder}/{name}"] = DEEP.encode()
    said = taken_by(read_bundle, bundle(tmp_path / "a.zip", files))
    assert "refused, nothing was imported" in said
    assert name != "run.json" or "nested deeper than" in said


@pytest.mark.parametrize("door", [uploaded, kept])
@pytest.mark.parametrize(
    ("name", "others", "why"),
    [
        ("mapping.json", {"t.csv": TABLE}, "nested deeper than"),
        ("benchmark.json", {"items.jsonl": "{}"}, "nested deeper than"),
        ("t.json", {}, "nested deeper than"),
        ("t.jsonl", {}, "holds no record"),
    ],
)
def test_deep_json_in_own_data(tmp_path, name, others, why, door):
    path = zipped(tmp_path / "a.zip", {name: DEEP, **others})
    if door is uploaded:  # lays it aside; what is in it is asked afterwards
        staged = uploaded(path)
        path = staged.images
    assert why in taken_by(kept, path)
    assert own_names() == []


def test_deep_json_in_a_cell(tmp_path):
    """A row of an exported table: left out with the reason, as any other row that is no item."""
    header = "item_id,subset,protocol,images,texts,truth"
    rows = [f'a/1,a,choice,"[]","{DEEP}","[[0,0]]"', 'a/2,a,choice,"[]","[""x"",""y""]","[[0,0]]"']
    (tmp_path / "t.csv").write_text("\n".join([header, *rows]) + "\n")
    found = save(tmp_path / "t.csv", None, "mine")
    assert found.written.n_items == 1
    assert "is no JSON" in found.found.skipped[0].reason


def test_the_documents_say_what_the_code_allows():
    said = (ROOT / "docs" / "own-data.md").read_text(encoding="utf-8")
    assert f"{unpacking.MOST_ENTRIES:,}" in said
    assert f"{unpacking.MOST_TIMES} times its size" in said
    assert f"{unpacking.AT_LEAST >> 20} MiB" in said
