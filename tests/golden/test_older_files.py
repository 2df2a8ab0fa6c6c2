"""Files of an earlier version, kept in tests/golden/written/, open as they did: nothing on people's disks is lost.

`cache.zip` is a cache folder without its database, `database.zip` that database, `bundle.zip` a results bundle of
another cache (write_samples.py made them; written.json says when). They were written below /tmp/flipside-sample, which
is nowhere now: what a cache does that was moved to another folder or machine is looked at, too.
"""

import json
import re
import shutil
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import backend.results
from backend import paths
from backend.benchmarks import load_benchmark
from backend.engine.storage import shards
from backend.images import open_stored
from backend.live.jobs import jobs
from backend.live.maps import maps
from backend.live.uploads import own_data, trash, uploads
from backend.store.failures import notes, selections
from tests.golden.kept import check_shape, check_value, shape_of

pytestmark = pytest.mark.long

WRITTEN = Path(__file__).resolve().parent / "written"
SAMPLE = "bccb0f14a28e4f04"
OK, CONSTANT, TRIED, EDITION = "7413ade622f273e9", "cad1c1c6bb7b6550", "5d181cbcac77b5c0", "83d10b45199b0347"
PREDICTED, BUNDLED, DELETED = "df0fb3c67f3a98ce", "b1e012dd05d3f212", "fake:constant on custom:sample"
KINDS = ("itc", "itm", "gen", "vqa", "verdict", "t2t")
EVERYTHING = ["--kinds", "itc,itm,gen,vqa,verdict,t2t,prior", "--prior", "noise:2", "--prior", "images:3"]


@pytest.fixture(autouse=True)
def nothing_shipped(monkeypatch, tmp_path):
    """The example that ships stays out, which saves seconds an import."""
    monkeypatch.setattr(paths, "BUNDLED", tmp_path / "nothing")


@pytest.fixture
def older(flipside_cache):
    """The cache of the earlier version, at another place than where it was written."""
    unpack("cache", flipside_cache)
    return flipside_cache


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """The same for tests that only read: its database is built once."""
    folder = tmp_path_factory.mktemp("older") / "cache"
    unpack("cache", folder)
    return folder


@pytest.fixture
def read(shelf, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_CACHE", str(shelf))
    return shelf


def unpack(name, folder):
    with zipfile.ZipFile(WRITTEN / f"{name}.zip") as archive:
        archive.extractall(folder)


def reported(flipside, model, benchmark, run, **setting):
    """What `report --json` says of a run: rates in one line each, and the rest of its keys as a shape."""
    given = [word for name, value in setting.items() for word in (f"--{name}", value)]
    answer = flipside("report", "--model", model, "--benchmark", benchmark, "--run", run, *given, "--json")
    assert answer.code == 0, answer.err
    found = answer.json
    lines = {name: line(said) for name, said in found["metrics"].items()}
    lines |= {f"{group} {name}": line(said) for group, of in found["by"].items() for name, said in of.items()}
    return {"origin": found["origin"], "setting": found["setting"], "n_items": found["n_items"], "rates": lines}


def line(said):
    value = said["value"]
    rate = "–" if value is None else f"{value:.6f}"
    low, high = (f"{end:.6f}" for end in said["ci95"]) if said["ci95"] else ("–", "–")
    return f"{rate} of {said['n']}, ties {said['ties']}, {low} to {high}"


def ran(flipside, model, benchmark, *options):
    """A run's JSON document, and how many scores it has added."""
    answer = flipside("run", "--model", model, "--benchmark", benchmark, *options, "--json")
    assert answer.code == 0, answer.err
    return answer.json, sum(entry["new_rows"] for entry in answer.json["parts"].values())


def test_the_samples_say_where_they_are_from_and_nothing_of_a_machine():
    said = json.loads((WRITTEN / "written.json").read_text())
    assert set(said) == {"date", "commit", "command"}
    for name in ("cache", "bundle", "database"):
        with zipfile.ZipFile(WRITTEN / f"{name}.zip") as archive:
            for member in archive.namelist():
                data = archive.read(member)
                for word in (b"/home/", b"/root/", b"/work/", b"site-packages", b"://"):
                    assert word not in data, f"{name}.zip: {member} holds {word!r}"
    assert sum(path.stat().st_size for path in WRITTEN.iterdir()) < 300_000


#: Files that runs write since: vectors of all that their cosines are made of.
SINCE = {"runs/*/vectors_image-0-*.parquet", "runs/*/vectors_text-0-*.parquet"}


def test_what_is_written_now_has_the_form_of_the_older(older, flipside, tmp_path, monkeypatch):
    """The same import and run into a new cache: the same files, keys and columns, and the same scores."""
    new = tmp_path / "new"
    monkeypatch.setenv("FLIPSIDE_CACHE", str(new))
    data = next((older / "own" / "custom:sample").glob("from-*"))
    assert flipside("import", "custom", "--data", data, "--as", "sample", "--json").code == 0
    ran(flipside, "fake:ok", "custom:sample", *EVERYTHING)
    shard = re.compile(rf"runs/{OK}/[^/]*\.parquet|benchmarks/{SAMPLE}/items\.parquet")
    found, before = (
        {name for path in cache.rglob("*") if shard.fullmatch(name := path.relative_to(cache).as_posix())}
        for cache in (new, older)
    )
    # Names of shards end in a digest, which the last bit of a score decides: other processors may give another.
    then_of = {starred(name): name for name in before}
    assert {starred(name) for name in found} - then_of.keys() == SINCE
    assert then_of.keys() <= {starred(name) for name in found}
    columns = {}
    for name in sorted(found):
        if starred(name) in SINCE:
            continue
        now, then = pq.read_table(new / name), pq.read_table(older / then_of[starred(name)])
        assert now.schema.names[: len(then.schema.names)] == then.schema.names
        if "/items" not in name:
            pd.testing.assert_frame_equal(now.select(then.schema.names).to_pandas(), then.to_pandas(), atol=1e-5)
        columns[starred(name)] = {field.name: str(field.type) for field in now.schema}
    check_shape("stored-columns", columns)
    forms = {}
    for name in (f"runs/{OK}/run.json", f"runs/{OK}/manifest.json", f"benchmarks/{SAMPLE}/benchmark.json",
                 f"recorded/{SAMPLE}.json", "own/custom:sample/benchmark.json"):  # fmt: skip
        forms[starred(name)] = shape_of(json.loads((new / name).read_text()), named=NAMED)
        assert set(json.loads((older / name).read_text())) <= set(json.loads((new / name).read_text()))
    item = json.loads((new / "own" / "custom:sample" / "items.jsonl").read_text().splitlines()[0])
    seen = (new / "runs" / OK / "images.jsonl").read_text().splitlines()
    assert sorted(seen) == sorted((older / "runs" / OK / "images.jsonl").read_text().splitlines())
    check_shape("stored-json", forms | {"own/custom:sample/items.jsonl": shape_of(item)})


#: Keys that are data: names of parts, runs, subsets.
NAMED = ["parts", "parts.*.left_out", "priors", "protocols", "taken", "batching"]


def starred(name):
    return re.sub(r"\b[0-9a-f]{12,64}\b|\d{8}T\d+-[0-9a-f]{6}|(?<=-)[0-9a-f]{12}(?=\.)", "*", name)


@pytest.mark.slow
def test_all_runs_are_there(read):
    """Runs, where each is from, what it holds: read from shards alone."""
    runs = backend.results.open().runs().set_index("run_id")
    said = runs[["model", "benchmark_name", "origin", "kinds", "priors", "complete", "whole", "edition_of"]]
    kept = {run: [v.tolist() if isinstance(v, np.ndarray) else v for v in row] for run, *row in said.itertuples()}
    check_value("older-runs", kept)
    assert set(runs.index) == {OK, CONSTANT, TRIED, EDITION, PREDICTED, BUNDLED}
    assert runs["origin"][BUNDLED] == "imported"
    assert not [problem for run in runs.index for problem in verified(read, run)]


def verified(cache, run):
    root = cache / "imported" if run == BUNDLED else cache
    return shards.verify(root / "runs" / run)


def test_frames_of_older_runs(read):
    results = backend.results.open()
    found = {}
    for run in (OK, CONSTANT, BUNDLED):
        frame = results.scores("fake:constant" if run == CONSTANT else "fake:ok", "custom:sample", run=run)
        for part, of in frame.groupby("part", sort=True):
            found[f"{run} {part}"] = [len(of), round(float(of["value"].sum()), 4), int(of["n_tokens"].fillna(0).sum())]
    items = results.items("fake:ok", "custom:sample", run=OK)
    found["items"] = items[["item_id", "subset", "protocol", "truth", "tags", "source"]].values.tolist()
    check_value("older-frames", found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_reports_of_older_runs(read, flipside, kind):
    found = {"computed": reported(flipside, "fake:ok", "custom:sample", OK, kind=kind)}
    if kind in ("itc", "gen"):
        found["constant"] = reported(flipside, "fake:constant", "custom:sample", CONSTANT, kind=kind)
        found["tried"] = reported(flipside, "fake:ok", "custom:tried", TRIED, kind=kind)
    if kind == "gen":
        found["debiased"] = reported(flipside, "fake:ok", "custom:sample", OK, kind=kind, alpha=1, prior="noise:2")
    if kind == "itc":
        found["edition"] = reported(flipside, "fake:ok", "custom:sample~character_swap", EDITION, kind=kind)
    if kind == "verdict":
        found["predictions"] = reported(flipside, "predictions:other", "custom:sample", PREDICTED)
    if kind not in ("vqa", "verdict"):
        found["imported"] = reported(flipside, "fake:ok", "custom:sample", BUNDLED, kind=kind)
    check_value(f"older-report-{kind}", found)


@pytest.mark.parametrize("how", ["scores", "outcomes", "items", "tokens"])
def test_exports_of_older_runs(read, flipside, tmp_path, how):
    out = tmp_path / "out.csv"
    answer = flipside("export", "--model", "fake:ok", "--benchmark", "custom:sample", "--run", OK, "--what", how,
                      "--format", "csv", "--out", out)  # fmt: skip
    assert answer.code == 0, answer.err
    lines = out.read_text(encoding="utf-8").splitlines()
    check_value(f"older-export-{how}", {"rows": len(lines) - 1, "header": lines[0], "first": sorted(lines[1:])[:3]})


def test_a_run_repeated_on_an_older_cache_takes_its_scores(older, flipside):
    """Nothing is scored anew, and the folder of the pictures may be elsewhere now."""
    before = digests(older / "runs")
    document, new = ran(flipside, "fake:ok", "custom:sample", *EVERYTHING)
    assert (document["run"], new, document["scores"]) == (OK, 0, 0)
    document, new = ran(flipside, "fake:ok", "custom:tried", "--kinds", "itc,gen,t2t")
    assert (document["run"], new, document["scores"]) == (TRIED, 0, 0)
    assert digests(older / "runs") == before


def digests(folder):
    """The shards and manifests, by their names and sizes: what a run that adds nothing leaves alone."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet")}


@pytest.mark.slow
def test_an_older_benchmark_imported_again_shows_its_pictures(older, flipside, tmp_path):
    """The same files from another folder are the same benchmark: runs stay, pictures open, nothing is scored anew."""
    data = tmp_path / "data"
    shutil.copytree(next((older / "own" / "custom:sample").glob("from-*")), data)
    answer = flipside("import", "custom", "--data", data, "--as", "sample", "--replace", "--json")
    assert answer.code == 0, answer.err
    assert answer.json["hash"].startswith(SAMPLE)
    assert answer.json["n_images_missing"] == 0
    document, new = ran(flipside, "fake:ok", "custom:sample", *EVERYTHING)
    assert (document["run"], new, document["scores"]) == (OK, 0, 0)
    results = backend.results.open()
    shown = {uri for uris in results.items("fake:ok", "custom:sample", run=OK)["image_uris"] for uri in uris}
    assert len(shown) == 12
    sizes = {open_stored(uri).size for uri in shown}
    assert sizes == {(12, 8)}
    # The imported run is of the same items: its pictures are found by their names.
    theirs = results.items("fake:ok", "custom:sample", run=BUNDLED)["image_uris"]
    assert {uri for uris in theirs for uri in uris} == shown


@pytest.mark.slow
def test_older_saved_items_show_their_pictures(older, flipside):
    """What Try it saved names its pictures within its folder, so it can be moved."""
    saved = {item.item_id: item for item in load_benchmark("custom:tried")}
    assert list(saved) == ["quad/1", "choice/1"]
    assert own_data.names() == ["tried"]
    for item in saved.values():
        for image in item.images:
            assert open_stored(image.uri, 96).size in ((64, 64), (96, 96), (12, 8)), image
    before = backend.results.open().items("fake:ok", "custom:tried", run=TRIED)["image_uris"]
    assert list(before[0]) == ["world:3.crbpGW", "world:5.hgbdJS.crssYC"]
    ran(flipside, "fake:ok", "custom:tried", "--kinds", "itc")
    after = backend.results.open().items("fake:ok", "custom:tried", run=TRIED)["image_uris"]
    assert open_stored(after[1][0]).size == (12, 8)


def test_benchmarks_of_ones_own(read):
    found = {}
    for name in ("custom:sample", "custom:tried", "custom:more", "custom:sample~character_swap"):
        kept = load_benchmark(name)
        found[name] = [kept.content_hash(), len(list(kept)), kept.name, dict(kept.about).get("parent")]
    check_value("older-benchmarks", found)
    assert found["custom:sample"][0].startswith(SAMPLE)


def test_predictions_given_again_are_the_same_run(older, flipside, tmp_path):
    answers = tmp_path / "answers.csv"
    rows = [f"choices/c{k},{'true' if k % 3 else 'false'}" for k in range(6)]
    answers.write_text("\n".join(["item_id,correct", *rows]) + "\n", encoding="utf-8")
    said = flipside("add-predictions", answers, "--as", "other", "--benchmark", "custom:sample", "--json")
    assert said.code == 0, said.err
    assert said.json["run"] == PREDICTED


@pytest.mark.slow
def test_an_older_database_is_read_or_built_anew(older, flipside):
    """A database of an earlier version is no trouble: what it says is what the shards say."""
    alone = reported(flipside, "fake:ok", "custom:sample", OK, kind="itm")
    shutil.rmtree(older / "db")
    unpack("database", older / "db")
    assert reported(flipside, "fake:ok", "custom:sample", OK, kind="itm") == alone
    assert set(backend.results.open().runs()["run_id"]) == {OK, CONSTANT, TRIED, EDITION, PREDICTED, BUNDLED}


def test_the_database_as_it_was_written(tmp_path):
    """Its tables are what `sql` offers to scripts that read the file themselves."""
    import duckdb

    unpack("database", tmp_path)
    current = (tmp_path / "CURRENT").read_text().strip()
    with duckdb.connect(str(tmp_path / current), read_only=True) as connection:
        rows = connection.execute("SELECT model, run_id FROM runs ORDER BY ALL").fetchall()
    assert len(rows) == 6


@pytest.mark.slow
def test_an_older_bundle_is_taken_over(flipside, flipside_cache):
    """Into an empty cache, kept apart from what is computed here; once."""
    said = flipside("import-results", WRITTEN / "bundle.zip", "--json")
    assert said.code == 0, said.err
    check_value("older-bundle", said.json)
    assert said.json["run"] == BUNDLED
    again = flipside("import-results", WRITTEN / "bundle.zip", "--json").json
    assert (again["new"], sorted(again["known"])) == ([], sorted(said.json["new"]))
    assert (flipside_cache / "imported" / "runs" / BUNDLED / "imported.json").is_file()
    assert not (flipside_cache / "runs" / BUNDLED).exists()
    rates = reported(flipside, "fake:ok", "custom:sample", BUNDLED, kind="itc")
    assert rates["origin"] == "imported"
    kept = json.loads((WRITTEN.parent / "values" / "older-report-itc.json").read_text())
    assert rates == kept["imported"]
    uris = backend.results.open().items("fake:ok", "custom:sample")["image_uris"]
    assert {uri for row in uris for uri in row} == {""}  # no bundle brings a path


@pytest.mark.slow
def test_an_older_bundle_gives_the_engine_nothing(flipside, flipside_cache, tmp_path):
    """Scores of a bundle are never taken over by a run of one's own."""
    flipside("import-results", WRITTEN / "bundle.zip", "--json")
    unpack("cache", tmp_path / "older")
    data = next((tmp_path / "older" / "own" / "custom:sample").glob("from-*"))
    answer = flipside("run", "--model", "fake:ok", "--benchmark", "custom", "--data", data, "--kinds", "itm",
                      "--seed", 1, "--json")  # fmt: skip
    assert answer.code == 0, answer.err
    assert answer.json["run"] == BUNDLED
    assert answer.json["scores"] > 0
    assert answer.json["taken"] == {}
    assert {BUNDLED, f"{BUNDLED}-imported"} <= set(backend.results.open().runs()["run_id"])


def test_older_notes_tags_and_sets(read):
    assert notes.tags(SAMPLE) == {"choices/c0": ["Farbe – größer", "look again"], "quads/q1": ["look again"]}
    assert notes.tag_names(SAMPLE) == {"look again": 2, "Farbe – größer": 1}
    assert notes.note(SAMPLE, "choices/c0") == "Two lines,\nthe second with “quotes” and 日本語."
    assert notes.note(SAMPLE, "pool/2") == "<b>no markup</b>"
    assert set(notes.notes(SAMPLE)["item_id"]) == {"choices/c0", "pool/2"}
    views = notes.views("failures")
    check_value("older-views", views)
    picked = selections.find(views["the picked ones"]["set"][0])
    assert picked is not None
    assert (picked.benchmark, picked.title) == (SAMPLE, "Picked by hand")
    assert picked.item_ids == ("choices/c1", "quads/q1", "choices/c0")
    # The same set picked today has the same name: addresses that hold it go on to open it.
    assert selections.keep(SAMPLE, ["choices/c1", "quads/q1", "choices/c0"], "Picked by hand").key == picked.key


def test_older_notes_can_be_added_to(older):
    notes.add_tag(SAMPLE, "quads/q2", "new")
    notes.set_note(SAMPLE, "pool/2", "")
    notes.save_view("failures", "wrong by colour", {"model": ["fake:ok"]})
    assert notes.tags(SAMPLE)["quads/q2"] == ["new"]
    assert notes.note(SAMPLE, "pool/2") == ""
    assert notes.views("failures")["wrong by colour"] == {"model": ["fake:ok"]}


def test_the_tables_of_notes(read):
    """People read this file with sqlite themselves, and copy it between machines."""
    with sqlite3.connect(read / "notes.sqlite") as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {n: [row[1] for row in connection.execute(f"PRAGMA table_info({n})")] for n in sorted(names)}
    check_value("older-notes-tables", {"version": version, "tables": columns})


def test_new_notes_have_the_tables_of_the_older(older, flipside_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "new"))
    notes.add_tag("b", "i", "t")
    found = []
    for cache in (older, tmp_path / "new"):
        with sqlite3.connect(cache / "notes.sqlite") as connection:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
            found.append({n: connection.execute(f"PRAGMA table_info({n})").fetchall() for (n,) in rows})
    for table, columns in found[0].items():
        assert found[1][table][: len(columns)] == columns


@pytest.mark.slow
def test_older_jobs_uploads_maps_and_deleted_runs(older):
    job = jobs.listing()[0]
    assert (job.verb, job.state, job.exit_code, job.title) == ("import", "done", 0, "Import more")
    assert json.loads((job.folder / "stdout").read_text())["name"] == "custom:more"
    check_shape("older-job", shape_of(json.loads((job.folder / "job.json").read_text())))
    key = next((older / "uploads").glob("*.png")).stem
    upload = uploads.load(f"upload:{key}")
    assert upload.image.size == (12, 8)
    assert uploads.content_key(upload.image) == key
    kept = maps.read_map("0123456789abcdef0123", 3)
    assert kept is not None
    wanted = maps.Wanted(OK, "fake:ok", "0" * 64, "float32", ("p0.png",), ("one", "two"))
    vectors = maps.read_vectors(wanted)
    assert vectors is not None
    np.testing.assert_array_equal(vectors[:, :2], kept)
    deleted = trash.listing()
    assert [(entry.what, entry.title) for entry in deleted] == [("run", DELETED)]
    trash.restore(deleted[0].key)
    back = [run for run in backend.results.open().runs()["run_id"] if run not in
            {OK, CONSTANT, TRIED, EDITION, PREDICTED, BUNDLED}]  # fmt: skip
    assert len(back) == 1
    assert not shards.verify(older / "runs" / back[0])


@pytest.mark.slow
def test_a_damaged_older_shard_is_left_out_and_named(older, capsys):
    shard = next((older / "runs" / OK).glob("itm-*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-1])
    assert any("damaged" in problem for problem in shards.verify(older / "runs" / OK))
    results = backend.results.open()
    assert f"Left out: {shard}" in capsys.readouterr().err
    assert not len(results.scores("fake:ok", "custom:sample", "itm", run=OK))
    assert len(results.rates("fake:ok", "custom:sample", kind="itc", run=OK))


@pytest.mark.slow
@pytest.mark.usefixtures("read")
@pytest.mark.parametrize("view", ["wrong by colour", "the picked ones", "über alles"])
def test_older_views_open(view):
    """The Failures page takes every value of the address that a view keeps, and leaves the address as it is."""
    import streamlit as st
    from streamlit.testing.v1 import AppTest
    from streamlit.util import calc_hash

    st.cache_resource.clear()
    st.cache_data.clear()
    address = notes.views("failures")[view]
    page = AppTest.from_file(str(WRITTEN.parents[2] / "app.py"), default_timeout=120)
    page._page_hash = calc_hash("failures")  # by its address: `switch_page` takes a file, and files move
    for key, value in address.items():
        page.query_params[key] = value
    page.run()
    assert not page.exception
    assert {
        key: list(value) if isinstance(value, list) else [value] for key, value in page.query_params.items()
    } == address
