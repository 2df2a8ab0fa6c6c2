"""`flipside add-predictions`: probabilities and ids from 0, from the file to the report."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backend.store.build.reader import open_store
from backend.store.catalog.default_run import choose_run
from tests.benchmarks.samples import valse, vsr

FILE = "zeroshot_test.jsonl"


def made_up(folder, n=240, seed=3):
    """A VSR of made-up statements, the labels, and log-odds that are right somewhat more often than not."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n).astype(bool)
    z = np.where(labels, 0.4, -0.2) + rng.normal(0, 1.2, n)
    first = {"relation": "on", "subj": "a", "obj": "b"}
    lines = [
        {"image": f"{k // 2:012d}.jpg", "caption": f"Statement {k}.", "label": int(label)} | first
        for k, label in enumerate(labels)
    ]
    (folder / FILE).write_text("\n".join(map(json.dumps, lines)) + "\n")
    return labels, z


def counted(labels, log_odds):
    """Accuracy, the bias to say yes, and AUROC over every pair, by hand."""
    yes = log_odds > 0
    above = np.sign(log_odds[labels][:, None] - log_odds[~labels][None, :])
    return {
        "answer_accuracy": float((yes == labels).mean()),
        "yes_bias": float(yes.mean() - labels.mean()),
        "answer_auroc": float((above / 2 + 0.5).mean()),
    }


def written(path, values, start=1, column="score"):
    path.write_text(
        "\n".join(json.dumps({"id": f"zeroshot/{k}", column: float(v)}) for k, v in enumerate(values, start))
    )
    return path


def folder_of(done):
    """The folder of the run that was made."""
    return Path(done.json["folder"])


@pytest.fixture
def add(flipside, tmp_path):
    def call(path, *options, name="sys", benchmark="vsr", code=0):
        done = flipside(
            "add-predictions", path, "--as", name, "--benchmark", benchmark, "--data", tmp_path, *options
        )  # fmt: skip
        assert done.code == code, done.err
        return done

    return call


@pytest.fixture
def values(flipside):
    def call(name="sys", benchmark="vsr"):
        found = flipside("report", "--model", f"predictions:{name}", "--benchmark", benchmark, "--json")
        return {key: entry["value"] for key, entry in found.json["metrics"].items()}

    return call


@pytest.mark.long
@pytest.mark.usefixtures("shipped_imported")
def test_probabilities_give_what_their_log_odds_give(add, values, tmp_path, flipside):
    labels, z = made_up(tmp_path)
    p = 1 / (1 + np.exp(-z))
    expected = counted(labels, z)
    assert expected["answer_accuracy"] != pytest.approx(labels.mean())  # which is what p > 0 would give
    given = {"log-odds": (z, "score", ()), "guessed": (p, "score", ()), "column": (p, "prob", ()),
             "said": (p, "score", ("--scale", "probability"))}  # fmt: skip
    for name, (numbers, column, options) in given.items():
        done = add(written(tmp_path / f"{name}.json.jsonl", numbers, column=column), "--kind", "itm", *options,
                   "--json", name=name)  # fmt: skip
        assert done.json["matched"] == len(labels)
        found = values(name)
        assert {key: found[key] for key in expected} == pytest.approx(expected)
        is_guessed = any("probabilities; their log-odds are kept" in said or "by the column" in said
                         for said in done.json["guessed"])  # fmt: skip
        assert is_guessed == (name in ("guessed", "column"))
        assert all(said in done.err for said in done.json["guessed"])
    taken = add(tmp_path / "guessed.json.jsonl", "--kind", "itm", "--scale", "log-odds", "--replace", "--json")
    assert values() == pytest.approx(counted(labels, p), rel=1e-6)
    assert "transformations" not in json.loads((folder_of(taken) / "run.json").read_text())["model"]
    said = flipside("report", "--model", "predictions:guessed", "--benchmark", "vsr").err
    assert "itm: the files' numbers were read as probabilities (a guess: all lie from 0 to 1)" in said


@pytest.mark.long
@pytest.mark.usefixtures("shipped_imported")
def test_an_export_of_log_odds_from_0_to_1_comes_back_as_it_was(add, values, tmp_path, flipside):
    _, z = made_up(tmp_path)
    z = np.abs(z) / 10
    add(written(tmp_path / "z.jsonl", z), "--kind", "vqa", "--scale", "log-odds")
    for form in ("csv", "jsonl", "parquet"):
        out = tmp_path / f"out.{form}"
        assert flipside("export", "--model", "predictions:sys", "--benchmark", "vsr", "--what", "scores", "--format",
                        form, "--out", out).code == 0  # fmt: skip
        done = add(out, "--json", name=form)
        assert "by the columns of `export --what scores`, though all lie from 0 to 1" in done.json["guessed"][0]
        again = tmp_path / "again.parquet"
        flipside("export", "--model", f"predictions:{form}", "--benchmark", "vsr", "--what", "scores", "--format",
                 "parquet", "--out", again)  # fmt: skip
        np.testing.assert_array_equal(pd.read_parquet(again)["value"], z.astype(np.float32))
        assert values(form) == values()


@pytest.mark.long
@pytest.mark.usefixtures("shipped_imported")
def test_the_record_keeps_what_was_turned_as_long_as_a_row_of_it_stays(add, tmp_path):
    _, z = made_up(tmp_path, 6)
    p = 1 / (1 + np.exp(-z))
    said = {"kind": "itm", "read_as": "probability", "stored_as": "log-odds", "by": "--scale probability"}

    def told(done):
        return json.loads((folder_of(done) / "run.json").read_text())["model"].get("transformations")

    first = add(written(tmp_path / "a.jsonl", p[:4]), "--kind", "itm", "--scale", "probability", "--json")
    assert told(first) == [said]
    more = add(written(tmp_path / "b.jsonl", z[4:], 5), "--kind", "itm", "--scale", "log-odds", "--json")
    assert (more.json["extends"], told(more)) == (first.json["run"], [said])
    anew = add(written(tmp_path / "c.jsonl", z), "--kind", "itm", "--scale", "log-odds", "--json")
    assert (anew.json["replaced"], told(anew)) == (6, None)
    chosen = choose_run(open_store(follow=False), "predictions:sys", "vsr")
    assert not [note for note in chosen.notes if "probabilities" in note]


@pytest.mark.long
@pytest.mark.usefixtures("shipped_imported")
def test_valses_threshold_is_at_one_half_of_the_files_probabilities(add, values, tmp_path):
    valse.write(tmp_path)
    rows = [("existence_visual7w_0", 0.75, 0.25), ("existence_visual7w_2", 0.625, 0.5)]
    (tmp_path / "p.csv").write_text(
        "item_id,score_0,score_1\n" + "".join(f"existence/{i},{a},{b}\n" for i, a, b in rows)
    )
    add(tmp_path / "p.csv", "--kind", "itm", benchmark="valse")
    found = values(benchmark="valse")
    assert (found["accuracy"], found["threshold_accuracy"], found["min_pc_pf"]) == (1.0, 1.0, 1.0)


@pytest.mark.usefixtures("shipped_imported")
def test_what_is_refused_leaves_no_run(add, tmp_path, flipside_cache):
    vsr.write(tmp_path)
    path = written(tmp_path / "a.jsonl", [0.5, 1.5, 0.2])
    refused = add(path, "--kind", "itm", "--scale", "probability", code=2).err
    assert "a.jsonl:2: 1.5 is no probability" in refused
    assert "(1 of the 3 numbers of itm lie outside)" in refused
    assert "expected probability or log-odds" in add(path, "--kind", "itm", "--scale", "odds", code=2).err
    assert "there are none" in add(path, "--scale", "probability", code=2).err
    shifted = add(written(tmp_path / "b.jsonl", [0.5, 0.6, 0.2], 0), "--kind", "itm", code=1).err
    assert "nothing was added to vsr. The ids seem to count from 0 ('zeroshot/0' is among them" in shifted
    assert "Ids of these items look like 'zeroshot/1' and 'zeroshot/3'." in shifted
    assert not list(flipside_cache.glob("runs/*/run.json"))


@pytest.mark.usefixtures("shipped_imported")
def test_where_nothing_belongs_every_sort_of_reason_is_counted(add, tmp_path):
    vsr.write(tmp_path)
    rows = [("7", "x", "1"), ("8", "x", "1"), ("zeroshot/1", "no such caption", "1"), ("zeroshot/2", "", "high")]
    (tmp_path / "a.csv").write_text("id,caption,score\n" + "".join(",".join(row) + "\n" for row in rows))
    said = add(tmp_path / "a.csv", code=1).err
    assert (
        "2 × such as: there is no item '7' (a.csv:2); 1 × the item has no caption 'no such caption' (a.csv:4); 1 × "
        "'score' " in said
    )
    assert "Ids of these items look like 'zeroshot/1' and 'zeroshot/3'." in said


@pytest.mark.long
@pytest.mark.usefixtures("shipped_imported")
def test_on_the_original_statements(add, values, tmp_path, shared_data):
    """731 made-up P(yes) on the real split."""
    original = shared_data / "vsr" / FILE
    (tmp_path / FILE).write_bytes(original.read_bytes())
    labels = np.array([json.loads(line)["label"] for line in original.read_text().splitlines()], bool)
    z = np.where(labels, 0.5, -0.5) + np.random.default_rng(0).normal(0, 1.3, len(labels))
    add(written(tmp_path / "p.jsonl", 1 / (1 + np.exp(-z))), "--kind", "itm")
    found = values()
    expected = counted(labels, z)
    assert {key: found[key] for key in expected} == pytest.approx(expected)
    assert 0.6 < found["answer_accuracy"] < 0.7
