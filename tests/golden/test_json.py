"""`--json` of every verb but `report`: one document each, its keys and types; and names that scripts spell out."""

import os
from typing import Any

import pytest

from backend.published import PAPERS
from tests.benchmarks.fetching.server import Served, serving
from tests.benchmarks.samples import coco, coco_fg, custom, imagenet, sugarcrepe, video_grounding, visla, winoground
from tests.golden.calls import call, check_document
from tests.golden.conftest import MODEL, ORDERS, OWN
from tests.golden.kept import check_columns, check_shape
from tests.store import writer

#: Each imports as one protocol, or as several.
IMPORTED = {
    "triplet": ("visla", visla), "choice": ("sugarcrepe", sugarcrepe), "quad": ("winoground", winoground),
    "retrieval": ("coco", coco), "finegrained": ("coco_fg", coco_fg), "classify": ("imagenet", imagenet),
    "grounding": ("video_grounding", video_grounding), "custom": ("custom", custom),
}  # fmt: skip
#: Tables that `flipside sql` offers by name.
TABLES = ("benchmarks", "items", "runs", "run_parts", "scores", "tokens", "outcomes", "cells")

#: verb/case -> (mappings whose keys are data, objects and lists that may be null).
CASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "models/all": ((), ()),
    "benchmarks/all": (
        (*(f"benchmarks.[].{name}" for name in ("protocols", "files", "splits", "expected")), "kept.[].protocols"),
        (),
    ),
    **{
        f"import/{case}": (("subsets", "protocols", "unexpected_counts"), ())
        for case in (*IMPORTED, "mixed", "skipped")
    },
    "fetch/list": ((), ()),
    "fetch/fetched": ((), ()),
    "perturb/list": ((), ()),
    "perturb/made": (
        ("editions.[].subsets", "editions.[].coverage.items_left_out", "editions.[].coverage.changes"), ()
    ),
    "granularity/two": (("sets.[].features", "comparisons.[].features"), ()),
    "run/done": (("parts", "skipped", "asked", "taken", "taken.*", "unreadable"), ()),
    "run/failed": (("parts", "skipped", "asked", "taken", "taken.*"), ()),
    "run/several": (("runs.[].parts", "runs.[].skipped", "runs.[].asked", "runs.[].taken", "runs.[].taken.*"), ()),
    "published/all": (("papers",), ()),
    "add-predictions/verdicts": (("parts", "incomplete"), ()),
    "add-predictions/scores": (("parts", "incomplete"), ()),
    "import-results/new": ((), ()),
    "sql/rows": ((), ()),
    "study/dry": ((), ("cells.[].seconds",)),
    "study/filled": ((), ("cells.[].seconds", "cells.[].run")),
    "teach/generated": (("left_out",), ()),
    "teach/dry": (("skipped",), ()),
    "teach/taught": (("skipped",), ()),
    "runs/list": ((), ()),
    "runs/one": (("parts",), ()),
    "failures/two": ((), ("setting.prior",)),
    "compare/by-subset": (("by",), ("subset", "a.setting.prior", "b.setting.prior")),
    "publish/written": ((), ()),
    "world/written": (("subsets",), ()),
    "doctor/all": ((), ()),
    "doctor/model": ((), ()),
}  # fmt: skip


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """Without what ships, which takes seconds to read and differs from release to release."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "nothing")
    monkeypatch.setattr(os, "fsync", lambda _: None)


def kept(case: str, document: Any) -> None:
    named, nullable = CASES[case]
    check_document(f"json/{case}", document, named, nullable)


def asked(*arguments: object, code: int = 0) -> Any:
    answer = call(*arguments, "--json")
    assert answer.code == code, answer.err
    return answer.json


def own_table(folder, name="set.csv"):
    (folder / name).write_text(OWN)
    return folder / name


def test_models(tmp_path):
    said = tmp_path / "v.csv"
    said.write_text("item_id,correct\n1,1\n")
    asked("add-predictions", said, "--as", "sys", "--benchmark", "custom", "--data", own_table(tmp_path))
    found = asked("models")
    kept("models/all", found)
    assert found["predictions"] == ["predictions:sys"]
    families = {each["name"]: "|".join(sorted(each["kinds"])) for each in found["families"]}
    check_shape("names/families", {name: dict.fromkeys(kinds.split("|"), "kind") for name, kinds in families.items()})
    check_shape("names/bundled", dict.fromkeys(found["bundled"], "model"))


@pytest.mark.long
def test_benchmarks():
    asked("perturb", "--benchmark", "world", "--limit", 3, "--kinds", "nearby_key")
    found = asked("benchmarks")
    kept("benchmarks/all", found)
    check_shape("names/subsets", {each["name"]: each["protocols"] for each in found["benchmarks"]})
    check_shape("names/splits", {each["name"]: dict.fromkeys(each["splits"], "split") for each in found["benchmarks"]})


@pytest.mark.parametrize("protocol", IMPORTED)
def test_import(tmp_path, protocol):
    name, sample = IMPORTED[protocol]
    (tmp_path / "data").mkdir()
    sample.write(tmp_path / "data")
    kept(f"import/{protocol}", asked("import", name, "--data", tmp_path / "data"))


def test_import_of_several_protocols():
    kept("import/mixed", asked("import", "world", "--limit", 30))


def test_import_says_what_was_skipped(tmp_path):
    """By line in a table, by item elsewhere."""
    table = own_table(tmp_path)
    table.write_text(OWN + "4,d.png,,x\n")
    lines = asked("import", "custom", "--data", table, "--as", "mine")
    (tmp_path / "data").mkdir()
    video_grounding.write(tmp_path / "data")
    items = asked("import", "video_grounding", "--data", tmp_path / "data")
    kept("import/skipped", {**lines, "skipped": [*lines["skipped"], *items["skipped"]]})
    assert {"line", "item"} <= {key for entry in (*lines["skipped"], *items["skipped"]) for key in entry}


def test_fetch(tmp_path, monkeypatch):
    monkeypatch.setattr("backend.benchmarks.fetching.transfer.ROOM", 0)
    listed = [asked("fetch", name, "--list") for name in ("valse", "winoground", "eqben")]
    check = {**listed[0], "files": [file for each in listed for file in each["files"]]}
    check["gated"] = listed[1]["gated"]
    kept("fetch/list", check)
    with serving() as files:
        files.files["/valse/plurals.json"] = Served(b'{"1": {}}')
        files.files["/valse/relations.json"] = Served(b"no JSON of that size", statuses=[404] * 9)
        got = ("--file", "plurals.json", "--file", "relations.json")
        found = asked("fetch", "valse", "--to", tmp_path / "valse", *got, "--mirror", files.base, code=1)
    kept("fetch/fetched", found)
    check_shape("names/fetch", {each["state"]: "state" for each in found["files"]})


def test_perturb():
    found = asked("perturb")
    kept("perturb/list", found)
    check_shape("names/perturbations", {each["name"]: each["effect"] for each in found["perturbations"]})
    kinds = "nearby_key,swap_attributes,negative_material"
    kept("perturb/made", asked("perturb", "--benchmark", "world", "--limit", 12, "--kinds", kinds, code=1))


def test_granularity(tmp_path):
    visla.write(tmp_path)
    sugarcrepe.write(tmp_path)
    found = asked("granularity", "visla", "--data", tmp_path, "--against", "sugarcrepe")
    kept("granularity/two", found)
    check_shape("names/granularity", dict.fromkeys(found["sets"][0]["features"], "feature"))


def test_run(tmp_path):
    """With pictures and without, with what was taken from another run, and with a part that fails."""
    visla.write(tmp_path)
    (tmp_path / "images" / "val2017" / "000000000001.jpg").write_bytes(b"no picture")
    given = ("--benchmark", "visla", "--data", tmp_path, "--kinds", "itc,t2t,gen,prior", "--prior", "noise:1")
    asked("run", "--model", MODEL, *given, "--limit", 2, code=1)
    kept("run/done", asked("run", "--model", MODEL, *given, code=1))
    kept("run/failed", asked("run", "--model", "fake:nan", *given[:4], "--kinds", "t2t", code=1))


def test_run_of_several():
    asked("perturb", "--benchmark", "world", "--limit", 3, "--kinds", "nearby_key", "--seeds", 2)
    kept("run/several", asked("run", "--model", MODEL, "--benchmark", "world~*", "--kinds", "itc,t2t"))


def test_published():
    found = asked("published")
    kept("published/all", found)
    check_shape("names/papers", dict.fromkeys(PAPERS, "paper"))
    assert set(found["papers"]) <= set(PAPERS)


def test_add_predictions(tmp_path):
    """Verdicts in two orders with what belongs to nothing, then more; and scores that lack a text."""
    data = ("--benchmark", "custom", "--data", own_table(tmp_path))
    said, more, scores = (tmp_path / name for name in ("v.csv", "w.csv", "s.csv"))
    said.write_text("item_id,correct,order\n" + "".join(f"{r},a\n" for r in ORDERS["first"].splitlines()) + "9,1,a\n")
    first = asked("add-predictions", said, "--as", "sys", *data, code=1)  # item 9 is not there
    more.write_text("item_id,correct,order\n1,0,a\n2,1,b\n")
    second = asked("add-predictions", more, "--as", "sys", *data)
    assert second["extends"] == first["run"]
    kept("add-predictions/verdicts", {**second, "unmatched": first["unmatched"]})
    scores.write_text("item_id,caption,score\n1,a red cube,0.9\n1,a blue cube,0.1\n2,two cups,0.8\n")
    kept("add-predictions/scores", asked("add-predictions", scores, "--as", "other", *data, code=1))


@pytest.mark.slow
def test_import_results(tmp_path, monkeypatch, flipside_cache):
    folder = writer.write_run(flipside_cache, writer.items(2), "", ["itc", "t2t"])
    out = tmp_path / "run.zip"
    made = call("export", "--model", MODEL, "--benchmark", "toy", "--what", "bundle", "--out", out)
    assert made.code == 0, made.err
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "elsewhere"))
    first, again = asked("import-results", out), asked("import-results", out)
    assert (first["run"], again["new"]) == (folder.name, [])
    kept("import-results/new", {**first, "known": again["known"]})


GRID = """
title = "Two"
kinds = ["itc", "t2t"]
[settings]
counterfactual = 0
[[models]]
spec = "fake:ok"
name = "One"
[[models]]
spec = "fake:constant"
[[models]]
spec = "fake:nothing-of-that-name"
[[benchmarks]]
name = "visla"
data = "."
"""


@pytest.mark.long
def test_teach(tmp_path):
    pytest.importorskip("peft", reason="the extra flipside[teach] is not installed")
    kept("teach/generated", asked("teach", "--fresh", 4, "--ways", "negative_colour", "--generate", tmp_path / "made"))
    words = ("teach", "--model", "bundled:clip", "--recipe", "eqsim", "--fresh", 4, "--batch", 4, "--steps", 1)
    words += ("--device", "cpu", "--out", tmp_path / "mine")
    kept("teach/dry", asked(*words, "--dry-run"))
    kept("teach/taught", asked(*words))


@pytest.mark.long
def test_study_and_what_reads_its_runs(tmp_path):
    visla.write(tmp_path)
    grid = tmp_path / "grid.toml"
    grid.write_text(GRID)
    kept("study/dry", asked("study", grid, "--dry-run", code=1))
    kept("study/filled", asked("study", grid, code=1))
    listed = asked("runs")
    kept("runs/list", listed)
    one = asked("runs", listed[0]["run"])
    assert one.pop("record")["model"]["spec"] == listed[0]["model"]  # the record's own shape is pinned elsewhere
    kept("runs/one", one)
    kept("failures/two", asked("failures", "--model", "fake:constant", "--benchmark", "visla", "--kind", "t2t"))
    both = ("One", "fake:constant", "--benchmark", "visla", "--kind", "itc")
    kept("compare/by-subset", asked("compare", *both, "--by", "subset"))
    kept("publish/written", asked("publish", "--out", tmp_path / "site", "--benchmark", "visla"))


@pytest.mark.long
@pytest.mark.usefixtures("stored")
def test_sql():
    kept("sql/rows", asked("sql", "SELECT run_id, model, whole, 0.5::DOUBLE AS rate, NULL AS nothing FROM runs"))
    for table in TABLES:
        columns = asked("sql", f"SELECT column_name, column_type FROM (DESCRIBE {table})")
        check_columns(f"sql/{table}", [f"{each['column_name']} {each['column_type']}" for each in columns])


@pytest.mark.long
def test_world(tmp_path):
    found = asked("world", "--items", 60, "--out", tmp_path / "w")
    kept("world/written", found)
    check_shape("names/world", dict.fromkeys(found["subsets"], "subset"))


def test_doctor():
    """The names of its checks; what they find is of this machine, and so is the exit code."""
    answer = call("doctor", "--json")
    found = answer.json
    assert answer.code == int(not found["ok"])
    kept("doctor/all", found)
    check_shape("names/checks", {check["name"]: "check" for check in found["checks"]})


def test_doctor_on_a_model():
    found = asked("doctor", "--model", MODEL)
    kept("doctor/model", found)
    check_shape("names/checks-of-a-model", {check["name"]: "check" for check in found["checks"]})
