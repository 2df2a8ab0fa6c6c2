import io
import json

import pytest
from PIL import Image

from backend.benchmarks import load_benchmark
from backend.engine.runner import run
from backend.errors import FlipsideError, UsageError
from backend.stores import mirror, opening
from tests.engine.samples import rows
from tests.stores.stores import memory_store, put, s3_server


def sugarcrepe(n: int = 5) -> dict[str, bytes]:
    """A small SugarCrepe, as its owner keeps it."""
    files, items = {}, {}
    for k in range(n):
        name = f"{k:012}.jpg"
        stream = io.BytesIO()
        Image.new("RGB", (8, 8), (40 * k, 90, 200 - 30 * k)).save(stream, "JPEG")
        files[f"val2017/{name}"] = stream.getvalue()
        items[str(k)] = {"filename": name, "caption": f"a red thing {k}", "negative_caption": f"a blue thing {k}"}
    return {**files, "swap_att.json": json.dumps(items).encode()}


def on_disk(folder, files):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def store():
    made = memory_store()
    put(made, sugarcrepe())
    return made


def test_a_benchmark_in_a_store_is_the_one_on_disk_but_for_where_its_pictures_are(store, tmp_path):
    there, here = load_benchmark("sugarcrepe", store), load_benchmark("sugarcrepe", on_disk(tmp_path, sugarcrepe()))
    assert there.content_hash() == here.content_hash()
    assert len(list(there)) == 5
    assert {image.uri for item in there for image in item.images} == {f"{store}/val2017/{k:012}.jpg" for k in range(5)}


def test_its_scores_are_those_of_the_one_on_disk(store, tmp_path):
    there = run("fake:ok", "sugarcrepe", ["itc", "itm"], data_dir=store, root=tmp_path / "there", reuse=False)
    folder = on_disk(tmp_path / "data", sugarcrepe())
    here = run("fake:ok", "sugarcrepe", ["itc", "itm"], data_dir=folder, root=tmp_path / "here", reuse=False)
    assert there.run_id == here.run_id
    assert rows(there.run_dir) == rows(here.run_dir)
    assert (there.run_dir / "images.jsonl").read_text() == (here.run_dir / "images.jsonl").read_text()


def test_pictures_stay_in_the_store(store):
    data = mirror.mirrored(store)
    sizes = {path.relative_to(data).as_posix(): path.stat().st_size for path in data.rglob("*") if path.is_file()}
    assert sizes.pop("swap_att.json") > 100
    assert set(sizes.values()) == {0}
    assert len(sizes) == 5


def test_only_what_has_changed_is_brought_again(store):
    told = []
    mirror.mirrored(store, told.append)
    mirror.mirrored(store, told.append)
    assert len(told) == 1
    put(store, {"swap_obj.json": b'{"0": {"filename": "000000000000.jpg", "caption": "a", "negative_caption": "b"}}'})
    opening.filesystem(store).rm(f"{store}/val2017/000000000004.jpg")
    data = mirror.mirrored(store, told.append)
    assert "bringing 1 files" in told[1]
    assert (data / "swap_obj.json").is_file()
    assert not (data / "val2017" / "000000000004.jpg").exists()


def test_a_picture_that_is_missing_in_the_store_is_missing(store):
    opening.filesystem(store).rm(f"{store}/val2017/000000000004.jpg")
    assert sum(image.missing for item in load_benchmark("sugarcrepe", store) for image in item.images) == 1


def test_the_folder_is_remembered_as_others_are(store, tmp_path, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "cache"))
    run("fake:ok", "sugarcrepe", ["itc"], data_dir=store)
    assert next(iter(load_benchmark("sugarcrepe"))).images[0].uri.startswith(store)


def test_an_empty_place_is_refused():
    with pytest.raises(UsageError, match="nothing lies there"):
        mirror.mirrored(memory_store())


@pytest.mark.parametrize("name", ["../evil.json", "a/../../evil.json", "/etc/evil", "a\0b"])
def test_names_that_lead_out_are_refused(store, name, monkeypatch, tmp_path):
    monkeypatch.setattr(opening, "listing", lambda _: {name: {"size": 1}})
    with pytest.raises(FlipsideError, match="no name of a file"):
        mirror.mirrored(store)


@pytest.mark.slow
def test_a_benchmark_behind_a_server(tmp_path, monkeypatch):
    with s3_server(monkeypatch) as bucket:
        put(f"{bucket}/data", sugarcrepe())
        there = run("fake:ok", "sugarcrepe", ["itc"], data_dir=f"{bucket}/data", root=tmp_path / "there", reuse=False)
    folder = on_disk(tmp_path / "data", sugarcrepe())
    here = run("fake:ok", "sugarcrepe", ["itc"], data_dir=folder, root=tmp_path / "here", reuse=False)
    assert (there.run_id, there.exit_code) == (here.run_id, 0)
    assert rows(there.run_dir) == rows(here.run_dir)
