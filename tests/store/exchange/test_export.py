"""`flipside export` and `import-results`: columns that scripts depend on, bundles that travel, bad ones that do not."""

import json
import re
import zipfile

import duckdb
import pandas as pd
import pytest

from backend.cells import neutral, original
from backend.engine.storage import shards
from backend.store.build import generations
from backend.store.exchange.export import neutral_sql
from backend.store.exchange.write import write_bundle
from tests.store import writer
from tests.store.conftest import MODEL, ONE, fill

ARGS = ("--model", MODEL, "--benchmark", "toy")
COLUMNS = {
    "scores": "item_id, kind, image_index, text_index, text_index_b, sample, value, n_tokens",
    "outcomes": "item_id, subset, concept, perturbation, metric, correct, margin, ties, kind, alpha, cell, reason",
    "items": "item_id, subset, protocol, images, texts, truth, tags, source",
    "tokens": "item_id, kind, image_index, text_index, sample, position, token, logprob",
}


def read(path):
    if path.suffix == ".parquet":
        return duckdb.sql(f"SELECT * FROM '{path}'").df()
    return pd.read_csv(path) if path.suffix == ".csv" else pd.read_json(path, lines=True)


@pytest.fixture(scope="module")
def tokens_too(tmp_path_factory):
    """The toy runs, and the tokens of one item."""
    root = tmp_path_factory.mktemp("tokens")
    fill(root, writer.items())
    run_dir = root / "runs" / ONE
    manifest = shards.read_manifest(run_dir)
    for part, sample in (("tokens:gen", -1), ("tokens:prior@noise:3", 0)):
        columns = {
            "item_no": [36] * 3, "image_index": [0] * 3, "text_index": [0, 1, 2], "sample": [sample] * 3,
            "tokens": [["two", "stars"], ['a "b", c'], ["=two", "-"]], "logprobs": [[-1.5, -0.5], [-2.0], [-1.0, -3.0]],
        }  # fmt: skip
        manifest["parts"][part] = {"complete": True, "shards": [shards.write_shard(run_dir, part, 0, columns)]}
    shards.write_manifest(run_dir, manifest)
    return root


@pytest.fixture
def with_tokens(tokens_too, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tokens_too))


@pytest.mark.slow
@pytest.mark.usefixtures("with_tokens")
@pytest.mark.parametrize("what", COLUMNS)
def test_columns_in_every_format(flipside, tmp_path, what):
    counts = set()
    for form in ("csv", "jsonl", "parquet"):
        out = tmp_path / f"{what}.{form}"
        answer = flipside("export", *ARGS, "--what", what, "--format", form, "--out", out)
        assert answer.code == 0, answer.err
        table = read(out)
        if form != "jsonl" or what != "scores":
            assert list(table.columns) == COLUMNS[what].split(", ")
        counts.add(len(table))
    assert len(counts) == 1
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.slow
@pytest.mark.usefixtures("with_tokens")
def test_what_the_rows_say(flipside, tmp_path):
    for what in COLUMNS:
        assert flipside("export", *ARGS, "--what", what, "--out", tmp_path / f"{what}.csv").code == 0
    scores = read(tmp_path / "scores.csv")
    assert set(scores["kind"]) == {"itc", "itm", "gen", "t2t", "prior"}
    prior = scores[scores["kind"] == "prior"]
    assert set(prior["sample"]) == {0, 1}  # images:2, the default of two sources
    assert prior["image_index"].isna().all()
    t2t = scores[scores["kind"] == "t2t"]
    assert set(zip(t2t["text_index"], t2t["text_index_b"], strict=True)) == {(0, 1), (0, 2), (1, 2)}
    assert len(scores[scores["item_id"].str.startswith("retrieval")]) == 12 * 24
    items = read(tmp_path / "items.csv")
    assert json.loads(items["texts"][0]) == ["a red attribute 1", "a blue attribute 1"]
    assert json.loads(items["truth"][0]) == [[0, 0], [1, 1]]
    outcomes = read(tmp_path / "outcomes.csv")
    assert set(outcomes["kind"]) == {"itc", "itm", "gen", "t2t"}
    tokens = read(tmp_path / "tokens.csv")
    assert tokens[tokens["kind"] == "gen"]["token"].tolist() == ["two", "stars", 'a "b", c', "'=two", "'-"]
    assert tokens["position"].tolist()[:2] == [0, 1]


@pytest.mark.long
@pytest.mark.usefixtures("ready")
def test_options_of_an_export(flipside, tmp_path):
    out = tmp_path / "it's.csv"
    more = ("--kind", "gen", "--alpha", "1", "--prior", "noise:3", "--subset", "choice")
    assert flipside("export", *ARGS, "--what", "outcomes", "--out", out, *more).code == 0
    table = read(out)
    assert set(table["alpha"]) == {1.0}
    assert set(table["subset"]) == {"choice"}
    answer = flipside("export", *ARGS, "--what", "scores", "--out", out, "--prior", "noise:3")
    assert set(read(out).query("kind == 'prior'")["sample"]) == {0, 1, 2}
    for wrong in (("--what", "all"), ("--what", "scores", "--format", "xlsx"), ("--what", "scores", "--prior", "lm:x")):
        answer = flipside("export", *ARGS, *wrong, "--out", tmp_path / "x")
        assert answer.code == 2, wrong
    answer = flipside("export", *ARGS, "--what", "scores", "--out", tmp_path / "no" / "folder.csv")
    assert (answer.code, "there is no folder" in answer.err) == (2, True)


@pytest.fixture(scope="module")
def travelling(tmp_path_factory):
    """(root, folder) of a run with the id that the engine would give it, which alone may travel."""
    root = tmp_path_factory.mktemp("travelling")
    parts = ["itc", "itm", "gen", "t2t", "prior@noise:3", "prior@images:2"]
    return root, writer.write_run(root, writer.items(), "", parts)


@pytest.fixture
def bundle(travelling, monkeypatch, tmp_path):
    root, folder = travelling
    monkeypatch.setenv("FLIPSIDE_CACHE", str(root))
    benchmark = json.loads((folder / "run.json").read_text())["benchmark"]["hash"][:16]
    write_bundle(folder.name, benchmark, tmp_path / "run.zip")
    return tmp_path / "run.zip"


@pytest.fixture
def elsewhere(bundle, monkeypatch, tmp_path):
    """Another machine's cache, empty."""
    del bundle
    folder = tmp_path / "elsewhere"
    monkeypatch.setenv("FLIPSIDE_CACHE", str(folder))
    return folder


@pytest.mark.long
def test_a_bundle_travels(bundle, flipside, elsewhere, travelling):
    run_id = travelling[1].name
    here = flipside("report", *ARGS, "--run", run_id, "--json")
    assert here.code == 2  # another cache, nothing in it
    answer = flipside("import-results", bundle, "--json")
    assert answer.code == 0, answer.err
    assert answer.json["run"] == run_id
    assert {"itc", "gen", "prior@noise:3"} <= set(answer.json["new"])
    there = elsewhere / "imported"
    for name in ("itc", "t2t", "embeddings:text"):
        assert shards.read_part(there / "runs" / run_id, name) == shards.read_part(travelling[1], name)
    report = flipside("report", *ARGS, "--json").json
    assert report["metrics"]["group_score"]["n"] == 24
    again = flipside("import-results", bundle, "--json").json
    assert again["new"] == []
    (items,) = (there / "benchmarks").glob("*/items.parquet")
    assert "/pictures/" not in items.read_bytes().decode("latin1")
    assert [path for path in elsewhere.iterdir() if path.name.startswith(".import")] == []


def rewrite(source, target, change):
    """Copy a zip, with its members changed by `change(name, data) -> (name, data) or None`."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            changed = change(name, old.read(name))
            if changed is not None:
                new.writestr(*changed)


def flip(name, data):
    return (name, data[:-9] + b"X" + data[-8:]) if "itc-0" in name else (name, data)


def escape(name, data):
    if name == "bundle.json":
        listing = json.loads(data)
        listing["files"]["runs/../../evil"] = {"sha256": "0" * 64, "size": 1}
        return name, json.dumps(listing)
    return name, data


def other_id(name, data):
    return (
        (name, re.sub(rb'"run": "[0-9a-f]{16}"', b'"run": "../../evil"', data))
        if name == "bundle.json"
        else (name, data)
    )


def bomb(name, data):
    return (name, b"\0" * 50_000_000) if "itc-0" in name else (name, data)


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (flip, "does not match its checksum"),
        (bomb, "unpacks to more than it says"),
        (escape, "outside its run and benchmark"),
        (other_id, "is no id"),
        (lambda name, data: None if name.endswith("manifest.json") else (name, data), "manifest.json"),
        (lambda name, data: None if name == "bundle.json" else (name, data), "holds no bundle.json, so it is no"),
        (lambda name, data: (name, b"{" if name == "bundle.json" else data), "Expecting"),
        (lambda name, data: (name, b'{"format": 9}' if name == "bundle.json" else data), "Update Flipside here"),
        (lambda name, data: (name, b"[]" if name == "bundle.json" else data), "refused"),
    ],
    ids=["flipped byte", "bomb", "traversal", "id", "no manifest", "no listing", "bad listing", "format", "a list"],
)
def test_a_bad_bundle_is_refused_whole(bundle, flipside, tmp_path, elsewhere, change, said):
    bad = tmp_path / "bad.zip"
    rewrite(bundle, bad, change)
    answer = flipside("import-results", bad)
    assert answer.code == 1
    assert said in answer.err
    assert answer.err.count("\n") == 1
    left = [path for path in elsewhere.rglob("*") if path.is_file() and path.name not in ("import.lock", "begun.json")]
    assert left == []
    assert not (tmp_path / "evil").exists()


def test_an_extra_file_is_refused(bundle, flipside, elsewhere):
    with zipfile.ZipFile(bundle, "a") as archive:
        archive.writestr("../evil.txt", "x")
    answer = flipside("import-results", bundle)
    assert (answer.code, "its listing does not name" in answer.err) == (1, True)
    assert not (elsewhere.parent / "evil.txt").exists()


def test_no_bundle_at_all(flipside, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    answer = flipside("import-results", tmp_path / "notes.txt")
    assert (answer.code, "is no results bundle" in answer.err) == (1, True)
    assert flipside("import-results", tmp_path / "nothing.zip").code == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        ["--alpha", "2"],
        ["--format", "parquet"],
        ["--format", "csv"],
        ["--norm", "sum", "--prior", "self"],
        ["--k", "8"],
    ],
)
def test_a_bundle_takes_no_option_of_tables(flipside, tmp_path, given):
    """They were taken in silence, and the whole run was written."""
    answer = flipside("export", *ARGS, "--what", "bundle", "--out", tmp_path / "b.zip", *given)
    assert answer.code == 2
    assert given[0] in answer.err
    assert "a bundle is the whole run as a zip" in answer.err
    assert not (tmp_path / "b.zip").exists()


def test_a_kind_chooses_the_run_of_a_bundle_which_is_said(travelling, flipside, monkeypatch, tmp_path):
    monkeypatch.setenv("FLIPSIDE_CACHE", str(travelling[0]))
    given = (*ARGS, "--kind", "itc", "--what", "bundle", "--format", "zip", "--out", tmp_path / "b.zip")
    answer = flipside("export", *given)
    assert answer.code == 0, answer.err
    assert "--kind itc chose the run; a bundle is all of it" in answer.err
    answer = flipside("export", *ARGS, "--kind", "itc", "--what", "scores", "--out", tmp_path / "s.csv")
    assert answer.code == 0, answer.err
    assert "--kind itc chose the run; its scores are of all its kinds." in answer.err


def test_a_damaged_run_makes_no_bundle(toy, flipside, tmp_path):
    shard = next((toy / "runs" / ONE).glob("itc-*.parquet"))
    flipside("report", *ARGS)
    shard.write_bytes(b"x")
    answer = flipside("export", *ARGS, "--what", "bundle", "--out", tmp_path / "b.zip")
    assert (answer.code, shard.name in answer.err) == (1, True)
    assert not (tmp_path / "b.zip").exists()
    assert generations.current() is not None


@pytest.mark.slow
@pytest.mark.usefixtures("with_tokens")
def test_items_are_of_no_run(flipside, tmp_path):
    """The items of an edition that nobody has scored could not be written, so no other system could be asked."""
    outs = tmp_path / "of-a-run.jsonl", tmp_path / "alone.jsonl"
    for words, out in zip((ARGS, ARGS[2:]), outs, strict=True):
        assert flipside("export", *words, "--what", "items", "--format", "jsonl", "--out", out).code == 0
    assert outs[0].read_text() == outs[1].read_text()
    for words, why in (
        (("--benchmark", "tow", "--what", "items"), "Did you mean toy"),
        (("--benchmark", "toy", "--what", "scores"), "--model is missing"),
        (("--benchmark", "toy", "--what", "items", "--subset", "nope"), "has no subset 'nope'"),
        (("--benchmark", "toy", "--what", "items", "--format", "xml"), "--format xml"),
    ):
        answer = flipside("export", *words, "--out", tmp_path / "no")
        assert (answer.code, why in answer.err) == (2, True), answer.err


@pytest.mark.long
@pytest.mark.usefixtures("ready")
def test_outcomes_name_prior_and_norm(flipside, tmp_path):
    args = ("export", "--model", MODEL, "--benchmark", "toy", "--what", "outcomes", "--out", str(tmp_path / "o.csv"))
    assert (
        "gen, α = 0.5, prior noise:3, norm sum"
        in flipside(*args, "--alpha", "0.5", "--prior", "noise:3", "--norm", "sum").err
    )
    assert "gen, α = 0, norm token" in flipside(*args).err


@pytest.mark.slow
@pytest.mark.usefixtures("with_tokens")
def test_no_cell_of_csv_is_a_formula(flipside, tmp_path):
    """Tokens may be anything; numbers below zero are still numbers, and other formats keep the texts."""
    found = {}
    for form in ("csv", "jsonl"):
        out = tmp_path / f"tokens.{form}"
        assert flipside("export", *ARGS, "--what", "tokens", "--format", form, "--out", out).code == 0
        found[form] = read(out)
    csv, plain = found["csv"], found["jsonl"]
    assert {"=two", "-"} <= set(plain["token"])
    assert list(csv["token"]) == [neutral(token) for token in plain["token"]]
    assert {"'=two", "'-"} <= set(csv["token"])
    assert (csv["logprob"] < 0).all()


@pytest.mark.parametrize("text", ["=1", "a", "'-x", "'q", "''=x", "-", "@a", "\tb", "\rc", "+5", "", "a=b", "\n=x"])
def test_sql_and_python_agree_on_what_is_dangerous(text):
    (row,) = duckdb.execute(f"SELECT {neutral_sql('$text')}", {"text": text}).fetchall()
    assert row[0] == neutral(text)
    assert original(neutral(text)) == text
