"""Two runs of the same names with other pictures: what `run`, `report` and a bundle say of them."""

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from backend.store.exchange.write import write_bundle
from tests.store.forged import Forged

RUN = ("run", "--model", "fake:ok", "--benchmark", "custom", "--kinds", "itc", "--json", "--data")
REPORT = ("report", "--model", "fake:ok", "--benchmark", "custom", "--json")


@pytest.fixture
def two(tmp_path, flipside, monkeypatch):
    """(folder, answer) of a run on own data, and of one on a copy of it in which a pixel of 0.png differs."""
    moments = iter(f"2026-01-01T00:{n:02}:00+00:00" for n in range(60))
    monkeypatch.setattr("backend.engine.storage.record.timestamp", lambda: next(moments))
    own, copy = tmp_path / "own", tmp_path / "copy"
    (own / "pics").mkdir(parents=True)
    lines = ["image,positive,negative"]
    for k in range(4):
        Image.new("RGB", (8, 8), (k, 0, 0)).save(own / "pics" / f"{k}.png")
        lines.append(f"pics/{k}.png,a dog {k},no dog {k}")
    (own / "table.csv").write_text("\n".join(lines) + "\n")
    shutil.copytree(own, copy)
    Image.new("RGB", (8, 8), (0, 0, 1)).save(copy / "pics" / "0.png")
    return (own, flipside(*RUN, own)), (copy, flipside(*RUN, copy))


def test_the_copy_is_a_run_of_its_own_and_says_so(two):
    (_, first), (_, second) = two
    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert second.json["run"] != first.json["run"]
    assert second.json["scores"] == 2
    assert second.json["taken"] == {first.json["run"]: {"itc": 6}}
    assert f"1 of 4 picture is not the one that run {first.json['run']} scored (pics/0.png)" in second.err
    assert second.err.count("\n") == 1
    assert first.err == ""


def test_report_takes_the_latest_and_names_the_other(two, flipside):
    (own, first), (_, second) = two
    latest = flipside(*REPORT)
    assert latest.json["run"] == second.json["run"]
    (said,) = [note for note in latest.json["notes"] if "Other pictures" in note]
    assert first.json["run"] in said
    back = flipside(*RUN, own)
    assert (back.json["run"], back.json["scores"], back.err) == (first.json["run"], 0, "")
    assert flipside(*REPORT).json["run"] == first.json["run"]
    assert flipside(*REPORT, "--run", second.json["run"]).json["run"] == second.json["run"]


@pytest.fixture
def bundle(two, flipside_cache, tmp_path) -> Path:
    """A bundle of the run on the copy."""
    run = two[1][1].json["run"]
    record = json.loads((flipside_cache / "runs" / run / "run.json").read_text())
    write_bundle(run, record["benchmark"]["hash"][:16], tmp_path / "run.zip")
    return tmp_path / "run.zip"


def test_a_bundle_of_it_is_imported_elsewhere(two, bundle, flipside, monkeypatch, tmp_path):
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "elsewhere"))
    answer = flipside("import-results", bundle, "--json")
    assert answer.code == 0, answer.err
    assert (answer.json["run"], answer.json["new"]) == (two[1][1].json["run"], ["itc", "vectors:image", "vectors:text"])
    assert flipside(*REPORT).json["origin"] == "imported"


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda record: record.pop("pictures"), "its record is that of run"),
        (lambda record: record["pictures"].update(sha256="0" * 64), "its record is that of run"),
        (lambda record: record["pictures"].update(sha256=7), "pictures"),
        (lambda record: record.update(pictures=[1]), "pictures"),
    ],
    ids=["none", "another", "a number", "a list"],
)
def test_a_bundle_that_says_other_pictures_is_refused(bundle, flipside, monkeypatch, tmp_path, forge, said):
    forged = Forged(bundle)
    forged.change("run.json", forge)
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "elsewhere"))
    answer = flipside("import-results", forged.write(tmp_path / "forged.zip"))
    assert answer.code == 1
    assert "refused" in answer.err
    assert said in answer.err
