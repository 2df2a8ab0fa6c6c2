"""Which pictures stored items may show: what a bundle names is never opened, what imports here found is."""

import hashlib
import json
import os
import shutil
import stat
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend import recorded
from backend.benchmarks.custom.opening import opened
from backend.engine.inputs.selection import Selection
from backend.engine.storage import schema
from backend.intake import own_data
from backend.intake.survey import survey
from backend.items import Benchmark, ImageRef, Item, Protocol
from backend.recorded import file_of, known
from backend.store import queries
from backend.store.build import importer
from backend.store.build.reader import open_store
from backend.store.exchange.write import write_bundle
from backend.store.items.embeddings import points
from backend.store.items.pictures import pictures
from tests.benchmarks.samples.pictures import picture
from tests.store import writer
from tests.store.forged import Forged

TABLE = "image,caption,negative\n{},a red cube,a blue cube\n"


def uris(folder=None):
    """Every picture of every item in the database, or of the benchmark in a folder."""
    asked = "SELECT image_uris FROM items WHERE $1 IN ('', benchmark) ORDER BY benchmark, item_no"
    rows = open_store(follow=False).cursor().execute(asked, [folder.name if folder else ""]).fetchall()
    return [uri for (row,) in rows for uri in row]


def items(*refs, subset="all"):
    return [
        Item(f"{subset}/{n}", subset, Protocol.CHOICE, (ref,), (f"a {n}", f"b {n}"), ((0, 0),), source="x")
        for n, ref in enumerate(refs)
    ]


def from_elsewhere(root, made, name="theirs", **head):
    """A benchmark as a bundle brings it: written where it is, and recorded by nobody."""
    recorded.begin(root)
    digest = hashlib.sha256(b"".join(item.canonical().encode() + b"\n" for item in made)).hexdigest()
    folder = root / "benchmarks" / digest[:16]
    folder.mkdir(parents=True)
    rows = [
        {
            "item_no": n, "item_id": item.item_id, "subset": item.subset, "protocol": str(item.protocol),
            "texts": list(item.texts), "image_keys": [ref.key for ref in item.images],
            "image_uris": [ref.uri for ref in item.images], "truth": json.dumps(item.truth), "tags": "{}", "source": "",
        }
        for n, item in enumerate(made)
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows, schema=schema.ITEMS), folder / "items.parquet")
    (folder / "benchmark.json").write_text(json.dumps({"name": name, "hash": digest, "n_items": len(made)} | head))
    return folder


@pytest.fixture
def secret(tmp_path):
    """A picture of the owner's that no import has seen, and the same as an array."""
    home = tmp_path / "private"
    picture(home / "secret.png")
    np.save(home / "secret.npy", np.zeros((4, 4, 3), np.uint8))
    home.chmod(0o700)
    return home


def test_no_path_of_a_stranger_is_kept(flipside_cache, secret, capsys):
    one, array = secret / "secret.png", secret / "secret.npy"
    regions = [f"crop:0,0,2,2:{one}", f"crop:0,0,2,2:crop:0,0,4,4:{one}", f"crop:0,0,2,2:bgr:{array}"]
    schemes = [f"bgr:{array}", f"file://{one}", f"upload:{'a' * 64}", f"local:{one}"]
    odd = [f" {one}", f"BGR:{array}", f"CROP:0,0,2,2:{one}", f"World:{one}", "secret.png\0", ""]
    names = [str(one), f"/private/../{one}", f"../../private/{one.name}", one.name, *regions, *schemes, *odd]
    from_elsewhere(flipside_cache, items(*(ImageRef(f"{n}.png", uri) for n, uri in enumerate(names))))
    assert set(uris()) == {""}
    assert "name pictures by paths that no import here has recorded" in capsys.readouterr().err


def test_drawn_scenes_are_kept(flipside_cache):
    from_elsewhere(flipside_cache, items(ImageRef("world:3.crbpGW", "world:3.crbpGW"), ImageRef("x", "/x.png")))
    assert uris() == ["world:3.crbpGW", ""]


@pytest.mark.parametrize("claim", [{"data_dir": "/"}, {"about": {"from": "/", "parent": {"hash": "f" * 16}}}])
def test_a_claim_of_folders_is_none(flipside_cache, secret, claim):
    """What a bundle writes of itself names no folder to look in: keys are looked up where imports here were."""
    from_elsewhere(flipside_cache, items(ImageRef(str(secret / "secret.png").lstrip("/"), "")), **claim)
    assert uris() == [""]


def imported(root, folder, name="pics", full_paths=False, images=None):
    """A folder or table as `flipside import custom` takes it over."""
    with own_data.keeping(folder, name) as source:
        benchmark = opened(source, name, images=images, full_paths=full_paths)
        return own_data.keep(benchmark, Selection(), str(folder)).written.hash[:16]


@pytest.fixture
def data(tmp_path):
    """A data folder with one picture and a table."""
    folder = tmp_path / "data"
    picture(folder / "val" / "a.png")
    (folder / "t.csv").write_text(TABLE.format("val/a.png"))
    return folder


def test_ones_own_import_shows_its_pictures(flipside_cache, data):
    imported(flipside_cache, data)
    assert uris() == [str(data / "val" / "a.png")]


def test_an_absolute_path_in_ones_own_table_is_shown(flipside_cache, tmp_path, secret):
    table = tmp_path / "mine.csv"
    table.write_text(TABLE.format(secret / "secret.png"))
    benchmark = imported(flipside_cache, table, full_paths=True)
    assert uris() == [str(secret / "secret.png")]
    assert known(flipside_cache)[benchmark].pictures == (str(secret),)


def test_pictures_behind_a_link(flipside_cache, tmp_path, data, monkeypatch):
    """COCO on another disk: followed where the owner says so at the import, and shown without being told again."""
    shutil.move(data / "val", tmp_path / "disk")
    (data / "val").symlink_to(tmp_path / "disk")
    imported(flipside_cache, data, "unlinked")
    assert uris() == [""]
    monkeypatch.setenv("FLIPSIDE_FOLLOW_LINKS", "1")
    imported(flipside_cache, data, "linked")
    monkeypatch.delenv("FLIPSIDE_FOLLOW_LINKS")
    assert set(uris()) == {str(data / "val" / "a.png")}


def test_nested_regions_and_arrays_of_ones_own(flipside_cache, data):
    """As importers of ARO, CREPE and EqBen write them."""
    np.save(data / "f.npy", np.zeros((4, 4, 3), np.uint8))
    wanted = [f"crop:0,0,2,2:{data}/val/a.png", f"bgr:{data}/f.npy", f"crop:0,0,2,2:bgr:{data}/f.npy"]
    made = items(*(ImageRef(str(n), uri) for n, uri in enumerate(wanted)))
    survey(Benchmark("aro", lambda: iter(made), data_dir=str(data)), Selection(), flipside_cache)
    assert uris() == wanted
    assert next(iter(known(flipside_cache).values())).folders == (str(data),)


def test_pictures_are_found_by_key_in_folders_that_were_imported_here(flipside_cache, data, secret):
    """An edition that somebody made of data that is here, too: their paths are not used, their keys are."""
    parent = imported(flipside_cache, data)
    theirs = items(
        ImageRef("val/a.png", f"{secret}/secret.png"), ImageRef("val/a.png#1,1,2,2", ""), ImageRef("a.png", ""),
        ImageRef("../private/secret.png", ""), ImageRef(f"{secret}/secret.png", ""), ImageRef("b/a.png", ""),
    )  # fmt: skip
    folder = from_elsewhere(flipside_cache, theirs, "custom:pics~typo", about={"parent": {"hash": parent}})
    inside = f"{data}/val/a.png"
    assert uris(folder) == [inside, f"crop:1,1,2,2:{inside}", inside, "", "", ""]


def test_another_s_data_of_the_same_name_shows_no_picture_of_mine(flipside_cache, data):
    imported(flipside_cache, data)
    from_elsewhere(flipside_cache, items(ImageRef("val/a.png", "")), "custom:pics")
    assert sorted(uris()) == ["", f"{data}/val/a.png"]


def test_a_link_that_leads_out_of_a_recorded_folder_is_not_followed(flipside_cache, data, secret):
    (data / "val" / "out.png").symlink_to(secret / "secret.png")
    parent = imported(flipside_cache, data)
    from_elsewhere(flipside_cache, items(ImageRef("val/out.png", "")), "x~y", about={"parent": {"hash": parent}})
    assert sorted(uris()) == ["", f"{data}/val/a.png"]


def test_an_import_afterwards_brings_the_pictures(flipside_cache, data):
    """The items of a bundle first, then the data: the next import of the database shows them."""
    benchmark = imported(flipside_cache, data)
    (flipside_cache / "recorded" / f"{benchmark}.json").unlink()
    assert uris() == [""]
    imported(flipside_cache, data)
    assert uris() == [f"{data}/val/a.png"]


def test_a_cache_of_an_earlier_version_still_shows_its_pictures(flipside_cache, data, secret):
    """It kept no such records. Imports wrote their items aside and renamed them; what came in bundles they wrote where
    it is. A stranger's items of then show nothing now."""
    survey(opened(data, "pics"), Selection(), flipside_cache)
    from_elsewhere(flipside_cache, items(ImageRef("s", f"{secret}/secret.png")))
    shutil.rmtree(flipside_cache / "recorded")
    found = sorted(uris())
    own = next(
        path for path in flipside_cache.glob("benchmarks/*") if "custom:pics" in (path / "benchmark.json").read_text()
    )
    written = (own / "items.parquet").stat()
    if written.st_ctime_ns == written.st_mtime_ns:
        pytest.skip("this file system keeps no time of a rename")
    assert found == ["", f"{data}/val/a.png"]


def test_data_folders_of_earlier_runs_count_where_they_were_computed_here(flipside_cache, tmp_path):
    for name, order in {"a": ("manifest.json", "run.json"), "b": ("run.json", "manifest.json")}.items():
        (tmp_path / name).mkdir()
        folder = flipside_cache / "runs" / name
        folder.mkdir(parents=True)
        told = {"benchmark": {"hash": "e" * 64, "data_dir": str(tmp_path / name)}}
        for n, file in enumerate(order):
            (folder / file).write_text(json.dumps(told))
            os.utime(folder / file, ns=(0, n * 10**9))
    assert recorded._data_of_runs(flipside_cache, "e" * 16) == (str(tmp_path / "a"),)


def test_the_folder_that_a_stranger_s_run_names_is_not_offered(flipside_cache, secret):
    writer.write_run(flipside_cache, writer.items(2), "1" * 16, ["itc"])
    path = flipside_cache / "runs" / ("1" * 16) / "run.json"
    record = json.loads(path.read_text())
    record["benchmark"]["data_dir"] = str(secret)
    path.write_text(json.dumps(record))
    store = open_store(follow=False)
    assert set(queries.benchmarks(store)["data_dir"]) == {""}


def test_what_an_import_here_read_from_is_offered(flipside_cache, data):
    made = items(ImageRef("a.png", f"{data}/val/a.png"))
    survey(Benchmark("aro", lambda: iter(made), data_dir=str(data)), Selection(), flipside_cache)
    assert queries.benchmarks(open_store(follow=False))["data_dir"].to_list() == [str(data)]


def test_what_is_kept_under_its_name_needs_no_folder(flipside_cache, data):
    imported(flipside_cache, data)
    assert queries.benchmarks(open_store(follow=False))["data_dir"].to_list() == [""]


def test_a_record_is_no_place_that_a_bundle_writes(flipside_cache, data):
    imported(flipside_cache, data)
    (folder,) = (flipside_cache / "benchmarks").iterdir()
    assert not list(folder.glob("recorded*"))
    assert "recorded" not in (folder / "benchmark.json").read_text()
    assert importer.refresh(wait=True)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"hash": 7}', "[" * 100_000])
def test_a_damaged_record_is_none(flipside_cache, data, text):
    benchmark = imported(flipside_cache, data)
    (flipside_cache / "recorded" / f"{benchmark}.json").write_text(text)
    assert known(flipside_cache) == {}
    assert uris() == [""]


def test_the_file_of_a_uri():
    assert file_of("crop:0,0,1,1:crop:2,2,3,3:bgr:/a:b.npy") == "/a:b.npy"
    assert [file_of(uri) for uri in ("", "world:x", "crop:0,0,1,1", "a.png", "upload:aa")] == [""] * 5
    assert Path(file_of("bgr:/x/y.npy")).parent == Path("/x")


def test_a_hostile_bundle_shows_no_picture_anywhere(flipside_cache, flipside, tmp_path, secret, monkeypatch):
    """Made and imported as a stranger would have it done; asked in every way that reads stored items."""
    elsewhere = tmp_path / "elsewhere"
    run = writer.write_run(elsewhere, writer.items(4), "", ["itc"])
    with monkeypatch.context() as there:
        there.setenv("FLIPSIDE_CACHE", str(elsewhere))
        write_bundle(run.name, next((elsewhere / "benchmarks").iterdir()).name, tmp_path / "run.zip")
    one, array = f"{secret}/secret.png", f"{secret}/secret.npy"
    wanted = [one, f"crop:0,0,4,4:{one}", f"bgr:{array}", f"crop:0,0,2,2:bgr:{array}", f"..{one}"]
    forged = Forged(tmp_path / "run.zip")

    def name(rows):
        for n, row in enumerate(rows):
            row["image_uris"] = [wanted[(n + k) % len(wanted)] for k in range(len(row["image_uris"]))]

    forged.items(name)
    forged.change("run.json", lambda record: record["benchmark"].update(data_dir=str(secret)))
    forged.change("benchmark.json", lambda head: head.update(about={"from": str(secret), "data_dir": str(secret)}))
    answer = flipside("import-results", forged.write(tmp_path / "forged.zip"))
    if answer.code:  # refused whole is as good
        assert uris() == []
        return
    store = open_store(follow=False)
    (line,) = queries.benchmarks(store).itertuples()
    assert line.data_dir == ""
    assert set(uris()) == {""}
    assert set(points(store, line.hash, "all").contents["uri"]) == {""}
    assert {uri for _, uri in pictures(store, line.hash, 9)} == {""}
    first = store.cursor().execute("SELECT item_id FROM items ORDER BY item_no").fetchone()[0]
    assert set(queries.item(store, line.hash, first).image_uris) == {""}
    assert str(secret) not in flipside("sql", "SELECT * FROM items", "--json").out


def test_a_link_in_a_bundle_is_a_file_that_nobody_opens(flipside_cache, flipside, tmp_path, secret, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    run = writer.write_run(elsewhere, writer.items(4), "", ["itc"])
    with monkeypatch.context() as there:
        there.setenv("FLIPSIDE_CACHE", str(elsewhere))
        write_bundle(run.name, next((elsewhere / "benchmarks").iterdir()).name, tmp_path / "run.zip")
    link = zipfile.ZipInfo(f"benchmarks/{next((elsewhere / 'benchmarks').iterdir()).name}/link.png")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "run.zip", "a") as bundle:
        bundle.writestr(link, str(secret / "secret.png"))
    answer = flipside("import-results", tmp_path / "run.zip")
    assert answer.code == 1
    assert "which its listing does not name" in answer.err
    assert not [path for path in flipside_cache.rglob("*") if path.is_symlink()]
