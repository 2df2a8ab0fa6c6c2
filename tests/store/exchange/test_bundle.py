"""A stranger's bundle changes nothing that is here, and breaks no page: imported as the Runs page and people do."""

import errno
import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from backend import paths
from backend.engine.storage import shards
from backend.store.build import importer
from backend.store.build.reader import open_store
from backend.store.catalog import catalog
from backend.store.exchange import bundle
from backend.store.exchange.imported import locate
from backend.store.exchange.write import write_bundle
from tests.store import writer
from tests.store.forged import Forged, negated, put

SAMPLE = Path(__file__).parents[1] / "samples" / "bundle-of-format-1.zip"
#: What the command that made SAMPLE printed before this format's rules became stricter.
SAMPLE_RUN = "846603b583da443e"
PARTS = ["itc", "t2t", "gen", "prior@noise:3"]


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """(bundle, run folder) of an honest run elsewhere."""
    root = tmp_path_factory.mktemp("elsewhere")
    folder = writer.write_run(root, writer.items(4), "", PARTS)
    head = next((root / "benchmarks").iterdir()).name
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        write_bundle(folder.name, head, root / "run.zip")
    return root / "run.zip", folder


@pytest.fixture
def forged(origin):
    return Forged(origin[0])


def killed(*_: object) -> None:
    raise KeyboardInterrupt


def kept(cache):
    """Every file of results in a cache, with its bytes."""
    files = [path for root in ("runs", "benchmarks", "imported") for path in (cache / root).rglob("*")]
    return {path: path.read_bytes() for path in files if path.is_file() and path.name != "lock"}


def refused(flipside, bundle, *said):
    """The one sentence that refuses a bundle, which leaves everything as it was."""
    before = kept(paths.cache_dir())
    answer = flipside("import-results", bundle)
    assert answer.code == 1, answer.out
    assert answer.err.count("\n") == 1, answer.err
    assert all(words in answer.err for words in said), answer.err
    assert kept(paths.cache_dir()) == before
    return answer.err


@pytest.mark.slow
def test_a_bundle_of_an_earlier_version_is_imported(flipside, flipside_cache):
    answer = flipside("import-results", SAMPLE, "--json")
    assert answer.code == 0, answer.err
    assert (answer.json["run"], answer.json["new"]) == (SAMPLE_RUN, ["t2t"])
    report = flipside("report", "--model", "bundled:sentence", "--benchmark", "custom:plates", "--json")
    assert report.json["metrics"]["t2t_accuracy"]["n"] == 4
    assert report.json["origin"] == "imported"
    assert report.json["imported"]["file"] == SAMPLE.name
    assert flipside("import-results", SAMPLE, "--json").json["new"] == []
    assert not (flipside_cache / "runs").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.call("0123456789abcdef"), "its record is that of run"),
        (lambda f: f.change("run.json", lambda r: r["model"].update(weights_sha256="0" * 64)), "its record is that of"),
        (lambda f: f.change("run.json", lambda r: r["selection"].update(limit=3)), "its record is that of run"),
        (lambda f: f.items(lambda rows: rows[0].update(texts=["another", "caption"])), "holds other items"),
        (lambda f: f.items(lambda rows: rows.pop()), "items, benchmark.json says"),
        (lambda f: f.change("manifest.json", lambda m: m["parts"].update({"../../evil": m["parts"]["itc"]})), "evil"),
        (lambda f: f.change("manifest.json", lambda m: m["parts"].update(evil=m["parts"].pop("itc"))), "part 'evil'"),
        (lambda f: f.files.update({f"{f.run}/imported.json": b"{}"}), "imported.json"),
        (lambda f: f.files.update({f"{f.run}/errors.log": b"x"}), "errors.log"),
        (lambda f: f.files.update({f"{f.benchmark}/skipped.jsonl": b"x"}), "skipped.jsonl"),
    ],
    ids=["id", "weights", "selection", "items", "fewer items", "part", "other part", "marker", "log", "more files"],
)
def test_what_is_not_what_it_says_is_refused(flipside, forged, tmp_path, change, said):
    change(forged)
    refused(flipside, forged.write(tmp_path / "forged.zip"), said, "forged.zip")


@pytest.mark.parametrize("name", ["itc-0-000000000000.parquet", "run.json", "x.parquet", "itc-0-{}.parquet.py", "lock"])
def test_a_shard_has_the_name_that_its_content_gives_it(flipside, forged, tmp_path, name):
    def rename(manifest):
        entry = manifest["parts"]["itc"]["shards"][0]
        new = name.format(entry["sha256"][:12])
        data = forged.files.pop(f"{forged.run}/{entry['file']}")
        if new != "run.json":
            forged.files[f"{forged.run}/{new}"] = data
        entry["file"] = new

    forged.change("manifest.json", rename)
    refused(flipside, forged.write(tmp_path / "forged.zip"), "is no name of a shard of part itc")


def twice(manifest):
    shards_ = manifest["parts"]["itc"]["shards"]
    shards_.append(shards_[0])


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("manifest.json", twice, "is listed twice in part itc of manifest.json"),
        ("run.json", lambda r: r.update(run="0123456789abcdef"), ", but run.json calls it run 0123456789abcdef"),
        ("manifest.json", lambda m: m.update(run="0123456789abcdef"), ", but manifest.json calls it run 0123456789abc"),
    ],
    ids=["shard", "record", "manifest"],
)
def test_what_is_said_twice_or_in_two_ways_is_named(flipside, forged, tmp_path, name, change, said):
    """A shard that was listed twice was “no name of a shard”, and an id stood beside itself."""
    forged.change(name, change)
    told = refused(flipside, forged.write(tmp_path / "forged.zip"), said)
    assert told.count(forged.listing["run"]) <= 1


def test_hashes_that_differ_further_on_are_named_whole(flipside, forged, tmp_path):
    of = json.loads(forged.files[f"{forged.benchmark}/benchmark.json"])["hash"]
    other = of[:-1] + ("0" if of[-1] != "0" else "1")
    forged.change("benchmark.json", lambda head: head.update(hash=other))
    refused(flipside, forged.write(tmp_path / "forged.zip"), f"is on the benchmark {of}, its items are of {other}")


RECORDS = {
    "priors": lambda r: r.update(priors=7),
    "a prior": lambda r: r.update(priors={"prior@noise:3": 7}),
    "another prior": lambda r: r.update(priors={"prior@evil": {}}),
    "sessions": lambda r: r.update(sessions=[7]),
    "versions": lambda r: r.update(sessions=[{"versions": [1]}]),
    "series": lambda r: r.update(series={"a": "b"}),
    "updated": lambda r: r.update(updated="tomorrow"),
    "updated before UTC's first year": lambda r: r.update(updated="0001-01-01T00:00:00+14:00"),
    "created after its last": lambda r: r.update(created="9999-12-31T23:59:59-14:00"),
    "a session's start": lambda r: r.update(sessions=[{"started": "0001-01-01T00:00:00+14:00"}]),
    "a session's end": lambda r: r.update(sessions=[{"finished": "tomorrow"}]),
    "limit": lambda r: r["selection"].update(limit=2**40),
    "seed": lambda r: r["selection"].update(seed="1"),
    "spec": lambda r: r["model"].update(spec="fake:\u202eko"),
    "no spec": lambda r: r["model"].update(spec=""),
    "long spec": lambda r: r["model"].update(spec="x" * 5000),
    "model": lambda r: r.update(model="fake:ok"),
    "name": lambda r: r["benchmark"].update(name="\x1b[31mtoy"),
    "benchmark": lambda r: r.update(benchmark=None),
    "scale": lambda r: r["model"].update(logit_scale=float("nan")),
    "size": lambda r: r.update(huge=10**30),
    "batching": lambda r: r.update(batching={"itc": {"n": "y", "difference": 0.1}}),
    "a difference": lambda r: r.update(batching={"itc": {"n": 1, "difference": "x"}}),
    "a list of batching": lambda r: r.update(batching=[1]),
    "incomplete": lambda r: r.update(incomplete={"itc": {"n": 1, "reason": "x", "items": 7}}),
    "other images": lambda r: r.update(counterfactual={"counterfactual:text": {"left_out": {"a": "b"}, "may_fit": 7}}),
}


@pytest.mark.parametrize("change", RECORDS.values(), ids=RECORDS)
def test_a_record_that_no_page_could_read_is_refused(flipside, forged, tmp_path, change):
    forged.change("run.json", change)
    refused(flipside, forged.write(tmp_path / "forged.zip"), "refused, nothing was imported")


MANIFESTS = {
    "no parts": (lambda m: m.update(parts={}), "it holds no scores"),
    "no shards": (lambda m: [entry.update(shards=[]) for entry in m["parts"].values()], "it holds no scores"),
    "format": (lambda m: m.update(format=2), "manifest.json has format 2, and this version reads 1"),
    "negative": (lambda m: m["parts"]["itc"].update(left_out={"missing": -3}), "left_out.missing"),
    "huge": (lambda m: m["parts"]["itc"].update(left_out={"missing": 2**40}), "left_out.missing"),
    "rows": (lambda m: m["parts"]["itc"]["shards"][0].update(rows=2**40), "shards.0.rows"),
    "failed": (lambda m: m["parts"]["itc"].update(failed=[7]), "failed"),
}


@pytest.mark.parametrize(("change", "said"), MANIFESTS.values(), ids=MANIFESTS)
def test_a_manifest_that_no_run_has_is_refused(flipside, forged, tmp_path, change, said):
    forged.change("manifest.json", change)
    named = {f"{forged.run}/{s['file']}" for s in shards_of(forged)}
    for name in [each for each in forged.files if each.endswith(".parquet") and each.startswith(forged.run)]:
        if name not in named:
            del forged.files[name]
    refused(flipside, forged.write(tmp_path / "forged.zip"), said)


def shards_of(forged):
    """The shards that a bundle's manifest names."""
    manifest = json.loads(forged.files[f"{forged.run}/manifest.json"])
    return [shard for entry in manifest["parts"].values() for shard in entry["shards"]]


@pytest.mark.parametrize("name", ["run.json", "manifest.json", "benchmark.json"])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"a": %d}' % 10**30, "more than 64 bits"),
        (b'{"a": %s}' % (b"9" * 5000), "more than 64 bits"),
        (b'{"a": "\xff"}', "not so from byte 7 on"),
        (b"{", "line 1 column 2"),
        (b"[]", "holds no JSON object"),
    ],
    ids=["size", "digits", "bytes", "cut", "list"],
)
def test_a_refusal_names_the_file_inside_the_bundle(flipside, forged, tmp_path, name, data, said):
    folder = forged.benchmark if name == "benchmark.json" else forged.run
    forged.files[f"{folder}/{name}"] = data
    answer = refused(flipside, forged.write(tmp_path / "forged.zip"), f"{folder}/{name}", said)
    assert "sys." not in answer


@pytest.mark.parametrize("data", [b"\xff", b'{"a": %s}' % (b"9" * 5000), b"{"], ids=["bytes", "digits", "cut"])
def test_a_refusal_names_the_listing(flipside, tmp_path, data):
    with zipfile.ZipFile(tmp_path / "forged.zip", "w") as archive:
        archive.writestr("bundle.json", data)
    assert "sys." not in refused(flipside, tmp_path / "forged.zip", "bundle.json is")


@pytest.mark.parametrize("name", ["", ".", "/dev/zero", "pipe", "gone.zip", "x" * 5000])
def test_only_a_file_is_a_bundle(flipside, tmp_path, monkeypatch, name):
    """A device was read without end."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    answer = flipside("import-results", name)
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert "Errno" not in answer.err
    assert "unexpected" not in answer.err


@pytest.mark.parametrize("name", ["run.json", "manifest.json", "benchmark.json"])
def test_json_nested_without_end_is_refused_in_a_sentence(flipside, forged, tmp_path, name):
    folder = forged.benchmark if name == "benchmark.json" else forged.run
    forged.files[f"{folder}/{name}"] = b'{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    refused(flipside, forged.write(tmp_path / "forged.zip"), "nested deeper")


ITEMS = {
    "truth": (lambda row: row.update(truth="[[0, 9]]"), "truth"),
    "deep truth": (lambda row: row.update(truth="[" * 5000), "nested deeper"),
    "tags": (lambda row: row.update(tags='{"concept": 7}'), "concept"),
    "tag": (lambda row: row.update(tags='{"concept": [7]}'), "concept"),
    "no tags": (lambda row: row.update(tags="[]"), "tags"),
    "change": (lambda row: row.update(tags='{"change": ["7"]}'), "change"),
    "place": (
        lambda row: row.update(tags='{"change": ["{\\"text\\": 0, \\"spans\\": [[9, 2]], \\"was\\": [\\"a\\"], '
                                    '\\"what\\": \\"b\\"}"]}'),
        "change",
    ),
    "protocol": (lambda row: row.update(protocol="guess"), "protocol"),
    "shape": (lambda row: row.update(texts=["one"], truth="[[0, 0]]"), "has 1 text, a"),
    "images": (lambda row: row.update(image_uris=[]), "image_uris"),
    "number": (lambda row: row.update(item_no=7), "its number is 7"),
    "huge text": (lambda row: row.update(texts=["x" * 2_000_000, "y"]), "a value of more than 1,000,000 bytes"),
    "no id": (lambda row: row.update(item_id=""), "item_id"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("change", "said"), ITEMS.values(), ids=ITEMS)
def test_an_item_that_is_none_is_refused(flipside, forged, tmp_path, change, said):
    forged.items(lambda rows: change(rows[0]))
    refused(flipside, forged.write(tmp_path / "forged.zip"), said)


@pytest.mark.long
def test_an_id_that_occurs_twice_is_refused(flipside, forged, tmp_path):
    forged.items(lambda rows: rows[1].update(item_id=rows[0]["item_id"]))
    refused(flipside, forged.write(tmp_path / "forged.zip"), "occurred before")


ROWS = {
    "nan": ("itc", lambda t: put(t, "value", float("nan")), "no finite number"),
    "inf": ("gen", lambda t: put(t, "value", float("inf")), "no finite number"),
    "item": ("itc", lambda t: put(t, "item_no", 999), "none of the benchmark's items"),
    "image": ("itc", lambda t: put(t, "image_index", 2), "no image of this number"),
    "text": ("itc", lambda t: put(t, "text_index", 5), "no text of this number"),
    "second": ("t2t", lambda t: put(t, "text_index_b", 7), "no second text"),
    "tokens": ("gen", lambda t: put(t, "n_tokens", -7), "fewer than no tokens"),
    "missing": ("itc", lambda t: put(t, "value", None), "missing values"),
    "twice": ("itc", lambda t: t.slice(0, 1).__class__.from_batches([*t.to_batches(), *t.slice(0, 1).to_batches()]),
              "two scores of one cell"),
    "columns": ("itc", lambda t: t.drop_columns(["sample"]), "no column sample"),
    "types": ("itc", lambda t: t.set_column(5, "value", t.column("value").cast("double")), "other types"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("part", "change", "said"), ROWS.values(), ids=ROWS)
def test_a_score_that_is_none_is_refused(flipside, forged, tmp_path, part, change, said):
    forged.rows(part, change)
    refused(flipside, forged.write(tmp_path / "forged.zip"), said)


@pytest.mark.long
def test_a_vector_that_is_none_is_refused(flipside, forged, tmp_path):
    forged.rows("embeddings:text", lambda t: put(t, "vector", [1.0]))
    refused(flipside, forged.write(tmp_path / "forged.zip"), "not all of one length")


@pytest.mark.slow
def test_what_ships_is_never_replaced(flipside, origin, monkeypatch, tmp_path):
    """Once: the shipped run's id with negated scores, and every page showed those as Flipside's own."""
    bundle, folder = origin
    shipped = tmp_path / "shipped"
    shutil.copytree(folder.parent.parent, shipped)
    monkeypatch.setattr("backend.paths.bundled_runs_dir", lambda: shipped)
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: shipped)
    same = flipside("import-results", bundle, "--json")
    assert (same.code, same.json["new"]) == (0, [])
    forged = Forged(bundle)
    forged.rows("t2t", negated)
    said = refused(flipside, forged.write(tmp_path / "evil.zip"), "evil.zip", "t2t: item", "other scores than the run")
    assert "the run that ships with Flipside" in said
    assert folder.name in said


@pytest.mark.long
def test_what_ships_counts_before_a_copy_in_the_cache(flipside, flipside_cache, origin, monkeypatch, tmp_path):
    """A cache in which an earlier version put another's scores under a shipped run's id shows the shipped ones, and
    doctor names the copy."""
    _, folder = origin
    shipped = tmp_path / "shipped"
    shutil.copytree(folder.parent.parent, shipped)
    monkeypatch.setattr("backend.paths.bundled_runs_dir", lambda: shipped)
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: shipped)
    writer.write_run(flipside_cache, writer.items(4), "", ["t2t", "vqa"], seed=9)
    store = open_store()
    roots = dict(store.cursor().execute("SELECT part, root FROM run_parts WHERE run_id = ?", [folder.name]).fetchall())
    assert roots["t2t"] == str(shipped)
    assert roots["vqa"] == str(flipside_cache)
    found = {check["name"]: check for check in flipside("doctor", "--json").json["checks"]}
    assert found["shipped results"]["status"] == "failed"
    assert folder.name in found["shipped results"]["detail"]


@pytest.mark.slow
def test_the_same_id_with_other_scores_is_refused(flipside, flipside_cache, origin, tmp_path):
    bundle, folder = origin
    run = writer.write_run(flipside_cache, writer.items(4), "", ["itc"], seed=3)
    assert run.name == folder.name
    said = refused(flipside, bundle, "other scores than the run computed here", "run.zip")
    assert "delete the other on the Runs page" in said
    shutil.rmtree(run)
    assert flipside("import-results", bundle).code == 0
    forged = Forged(bundle)
    forged.rows("gen", lambda table: put(table, "value", -30.0))
    refused(flipside, forged.write(tmp_path / "evil.zip"), "the run imported before from run.zip", "gen: item")


@pytest.mark.parametrize(("rows", "lacking"), [(0, 16), (4, 15)])
def test_a_part_that_lacks_items_is_not_complete(flipside, forged, tmp_path, rows, lacking):
    """It would stand here as a whole run, and the true one would be refused for having other scores."""
    forged.rows("itc", lambda table: table.slice(0, rows))
    bundle_ = forged.write(tmp_path / "hollow.zip")
    refused(flipside, bundle_, f"part itc says that it is complete, and has no scores of {lacking} items")
    forged.change("manifest.json", lambda m: m["parts"]["itc"].update(left_out={"missing": lacking}))
    assert flipside("import-results", forged.write(tmp_path / "said.zip")).code == 0


def test_a_full_disk_is_no_fault_of_the_bundle(flipside, origin, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(bundle, "_unpack", full)
    said = refused(flipside, origin[0], "nothing was imported", "No space is left")
    assert "fresh copy" not in said


def test_a_run_that_is_here_is_named_as_it_is_here(flipside, origin, forged, tmp_path):
    """The model's name is no part of a run's id, so a bundle may say another one of the same scores."""
    assert flipside("import-results", origin[0]).code == 0
    forged.change("run.json", lambda r: r["model"].update(spec="fake:evil"))
    answer = flipside("import-results", forged.write(tmp_path / "renamed.zip"))
    assert "is here already; nothing to do" in answer.out
    assert "evil" not in answer.out


@pytest.mark.slow
def test_two_bundles_are_never_joined(flipside, origin, tmp_path):
    bundle, _ = origin
    for name, left_out in (("one.zip", {"gen", "prior@noise:3"}), ("two.zip", {"itc", "embeddings:image"})):
        forged = Forged(bundle)

        def without(manifest, left_out=left_out, forged=forged):
            for part in left_out:
                for shard in manifest["parts"].pop(part)["shards"]:
                    del forged.files[f"{forged.run}/{shard['file']}"]

        forged.change("manifest.json", without)
        forged.write(tmp_path / name)
    assert set(flipside("import-results", tmp_path / "one.zip", "--json").json["new"]) >= {"itc", "t2t"}
    refused(flipside, tmp_path / "two.zip", "lacks parts of the run imported before from one.zip", "never joined")
    grown = flipside("import-results", bundle, "--json").json
    assert set(grown["new"]) == {"gen", "prior@noise:3"}
    assert "itc" in grown["known"]


@pytest.mark.slow
def test_a_run_computed_here_lives_beside_an_imported_one(flipside, flipside_cache, origin):
    """Nothing of the one is shown, continued or debiased with the other."""
    bundle, folder = origin
    assert flipside("import-results", bundle).code == 0
    assert not (flipside_cache / "runs").exists()  # where the engine would go on with it
    store = open_store()
    assert locate(folder.name) == ("imported", flipside_cache / "imported" / "runs" / folder.name)
    assert set(catalog.runs(store)["origin"]) == {"imported"}
    writer.write_run(flipside_cache, writer.items(4), "", ["itc"])
    importer.refresh(wait=True)
    store = open_store()
    rows = (
        store.cursor()
        .execute("SELECT run_id, origin, list(part ORDER BY part) FROM runs JOIN run_parts USING (run_id) GROUP BY ALL")
        .fetchall()
    )
    parts = {run_id: (origin, set(parts)) for run_id, origin, parts in rows}
    assert parts[folder.name] == ("computed", {"itc", "embeddings:image", "embeddings:text"})
    assert parts[f"{folder.name}-imported"][0] == "imported"
    assert {"gen", "prior@noise:3"} <= parts[f"{folder.name}-imported"][1]
    other = store.cursor().execute("SELECT count(*) FROM scores WHERE run_id = ? AND part = 'gen'", [folder.name])
    assert other.fetchall() == [(0,)]
    models = catalog.models(store, json.loads((folder / "run.json").read_text())["benchmark"]["hash"][:16])
    assert models["run_id"].tolist() == [folder.name]  # the one computed here is the default
    shutil.rmtree(flipside_cache / "runs" / folder.name)
    store = open_store()
    assert catalog.runs(store)["run_id"].tolist() == [folder.name]


@pytest.mark.long
def test_a_blind_model_s_imported_scores_debias_nothing_of_ours(flipside, flipside_cache, tmp_path, monkeypatch):
    root = tmp_path / "elsewhere"
    folder = writer.write_run(root, writer.items(4), "", ["prior@self"], model="fake:blind")
    with monkeypatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        write_bundle(folder.name, next((root / "benchmarks").iterdir()).name, tmp_path / "blind.zip")
    run = writer.write_run(flipside_cache, writer.items(4), "", ["gen", "prior@noise:3"])
    assert flipside("import-results", tmp_path / "blind.zip").code == 0
    assert catalog.settings(open_store(), run.name).priors == ["noise:3"]


@pytest.mark.long
def test_a_stored_record_that_cannot_be_drawn_is_left_out_and_named(flipside_cache, flipside):
    """Imported by an earlier version, say: it is named, and the others are shown."""
    good = writer.write_run(flipside_cache, writer.items(4), "", ["itc"])
    bad = writer.write_run(flipside_cache, writer.items(4), "", ["itc"], model="fake:bad")
    record = json.loads((bad / "run.json").read_text())
    for wrong in ({"priors": 7}, {"selection": {"limit": 10**12}}, {"model": {"logit_scale": float("nan")}}):
        (bad / "run.json").write_text(json.dumps(record | wrong))
        store = open_store()
        assert catalog.runs(store)["run_id"].tolist() == [good.name]
        assert bad.name in catalog.problems(store)["path"].item()
    (bad / "run.json").write_text("[" * 100_000)
    assert "nested deeper" in catalog.problems(open_store())["reason"].item()
    assert flipside("sql", "SELECT count(*) AS n FROM runs", "--json").json == [{"n": 1}]


@pytest.mark.slow
def test_the_manifest_is_replaced_last(origin, flipside, flipside_cache, monkeypatch):
    """Killed between two files: nothing of it is shown, and the same command brings it to its end."""
    bundle, folder = origin

    with monkeypatch.context() as patch:
        patch.setattr("backend.engine.storage.shards.write_manifest", killed)
        assert flipside("import-results", bundle).code != 0
    assert len(catalog.runs(open_store())) == 0
    assert flipside("import-results", bundle, "--json").json["new"]
    assert shards.verify(flipside_cache / "imported" / "runs" / folder.name) == []


def test_a_killed_import_never_leaves_a_run_without_its_items(origin, flipside, flipside_cache, monkeypatch):
    """Killed between the two, in this order: then there is no run yet."""
    with monkeypatch.context() as patch:
        patch.setattr("backend.engine.storage.shards.replace_json", killed)
        assert flipside("import-results", origin[0]).code != 0
    assert (flipside_cache / "imported" / "benchmarks").is_dir()
    assert len(catalog.runs(open_store())) == 0
    assert flipside("import-results", origin[0], "--json").json["new"]
    assert len(catalog.problems(open_store())) == 0


def lost(folder):
    shutil.rmtree(folder)


def emptied(folder):
    (folder / "items.parquet").unlink()


def cut(folder):
    os.truncate(folder / "items.parquet", 99)


def headless(folder):
    (folder / "benchmark.json").write_text("{")


@pytest.mark.parametrize("harm", [lost, emptied, cut, headless])
def test_a_run_without_its_items_is_named_and_the_same_bundle_heals_it(flipside, flipside_cache, origin, harm):
    assert flipside("import-results", origin[0]).code == 0
    (folder,) = (flipside_cache / "imported" / "benchmarks").iterdir()
    harm(folder)
    doctor = {check["name"]: check for check in flipside("doctor", "--json").json["checks"]}
    assert doctor["imported runs"]["status"] == "failed"
    assert f"the items of run {origin[1].name}" in doctor["imported runs"]["detail"]
    named = catalog.problems(open_store())
    assert len(named) == (harm in (lost, headless))  # the database has the others' items still
    if harm is lost:
        assert named["path"].item() == str(flipside_cache / "imported" / "runs" / origin[1].name)
        assert "its items are not here" in named["reason"].item()
        assert "import its bundle again (run.zip)" in named["reason"].item()
        left = next(c for c in flipside("doctor", "--json").json["checks"] if c["name"] == "left out")
        assert (left["status"], "its items are not here" in left["detail"]) == ("failed", True)
    healed = flipside("import-results", origin[0])
    assert (healed.code, "imported its items anew" in healed.out) == (0, True)
    assert len(catalog.problems(open_store())) == 0
    assert catalog.runs(open_store())["n_items"].tolist() == [20]
    assert "nothing to do" in flipside("import-results", origin[0]).out


@pytest.mark.slow
def test_runs_that_ship_travel_too(flipside, tmp_path):
    """Exported as bundles and imported again, they leave nothing to do; nothing is put into the cache."""
    for number, folder in enumerate(shards.run_dirs(paths.bundled_runs_dir())):
        benchmark = json.loads((folder / "run.json").read_text())["benchmark"]["hash"][:16]
        out = tmp_path / f"{number}.zip"
        write_bundle(folder.name, benchmark, out)
        answer = flipside("import-results", out, "--json")
        assert (answer.code, answer.json["new"]) == (0, []), answer.err
    assert not (paths.cache_dir() / "imported").exists()
