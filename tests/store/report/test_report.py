"""`flipside report`: the document that scripts depend on."""

import json
import re

import numpy as np
import pytest

from backend.items import Protocol
from tests.store import writer
from tests.store.conftest import MODEL, ONE

ARGS = ("--model", MODEL, "--benchmark", "toy")


@pytest.mark.long
@pytest.mark.usefixtures("ready")
def test_the_document(flipside):
    answer = flipside("report", *ARGS, "--json")
    assert answer.code == 0
    found = answer.json
    assert set(found) >= {"model", "benchmark", "run", "setting", "n_items", "metrics", "by"}
    assert (found["model"], found["benchmark"], found["run"]) == (MODEL, "toy", ONE)
    assert found["setting"] == {"kind": "itc", "alpha": 0.0, "prior": None, "prior_samples": None, "norm": None}
    assert found["n_items"] == 60
    assert set(found["metrics"]) >= {"group_score", "i2t_accuracy", "accuracy", "i2t_recall_at_1", "t2i_recall_at_5"}
    for entry in found["metrics"].values():
        assert set(entry) >= {"value", "n", "ties", "ci95", "chance", "published", "published_all"}
    assert found["metrics"]["threshold_accuracy"]["value"] is None
    assert found["metrics"]["threshold_accuracy"]["n"] == 0
    group = found["metrics"]["group_score"]
    assert 0 <= group["ci95"][0] <= group["value"] <= group["ci95"][1] <= 1
    assert set(found["by"]) == {"attribute", "relation", "triplet", "choice", "retrieval"}
    assert "Kind itc of itc, itm, gen, t2t" in answer.err
    assert "NaN" not in answer.out


@pytest.mark.slow
@pytest.mark.usefixtures("ready")
def test_by_and_subset_and_kind(flipside):
    found = flipside("report", *ARGS, "--kind", "t2t", "--by", "concept", "--json").json
    assert set(found["metrics"]) == {"t2t_accuracy", "p1_n_accuracy", "p2_n_accuracy"}
    assert set(found["by"]) == {"relation"}
    found = flipside("report", *ARGS, "--subset", "choice", "--json").json
    assert found["by"] == {}
    assert found["n_items"] == 12
    found = flipside("report", *ARGS, "--subset", "choice,relation", "--json").json
    assert set(found["by"]) == {"choice", "relation"}
    found = flipside("report", *ARGS, "--alpha", "0.5", "--json").json
    setting = {"kind": "gen", "alpha": 0.5, "prior": "lm:fake:blind", "norm": "token", "prior_samples": None}
    assert found["setting"] == setting  # one number a text from a blind model: no samples
    found = flipside("report", *ARGS, "--kind", "prior", "--prior", "noise:3", "--json").json
    assert found["setting"]["prior"] == "noise:3"
    assert "group_score" not in found["metrics"]


@pytest.mark.long
@pytest.mark.usefixtures("ready")
def test_the_table(flipside):
    answer = flipside("report", *ARGS)
    assert answer.code == 0
    assert "group_score" in answer.out
    assert "–" in answer.out
    assert re.search(r"\d %  +\[\d", answer.out)


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--model", "fake:okay"), "Did you mean fake:ok"),
        (("--benchmark", "winoground"), "has no run on benchmark 'winoground'. It has: toy"),
        (("--kind", "vqa"), "no scores of kind vqa; it has itc, itm, gen, t2t"),
        (("--kind", "nonsense"), "nonsense"),
        (("--subset", "chioce"), "Did you mean choice"),
        (("--run", "0000"), "is not of fake:ok on toy"),
        (
            ("--kind", "gen", "--alpha", "1", "--prior", "lm:gpt"),
            "has no prior 'lm:gpt'; it has lm:fake:blind, images:2, noise:3",
        ),
        (("--kind", "itc", "--alpha", "1"), "alpha applies to kind gen"),
        (("--kind", "itc", "--prior", "noise:3"), "apply to kinds gen and prior"),
        (("--norm", "mean"), "token, sum, paper-score"),
    ],
)
def test_wrong_use_is_one_sentence(flipside, more, said):
    given = {**dict(zip(ARGS[::2], ARGS[1::2], strict=True)), **dict(zip(more[::2], more[1::2], strict=True))}
    answer = flipside("report", *(part for option in given.items() for part in option))
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""
    assert len([line for line in answer.err.splitlines() if line.startswith("flipside:")]) == 1


def test_nothing_has_been_run(flipside):
    answer = flipside("report", *ARGS)
    assert answer.code == 2
    assert "Nothing has been scored here yet" in answer.err


@pytest.mark.long
def test_limited_and_incomplete_runs_only_by_their_id(flipside, flipside_cache, items):
    limited = {"split": None, "subset": None, "limit": 5, "sample": None, "seed": 0}
    writer.write_run(flipside_cache, items, "5" * 16, ["itc"], selection=limited)
    answer = flipside("report", *ARGS)
    assert answer.code == 1
    assert f"--run {'5' * 16} (--limit 5" in answer.err
    assert flipside("report", *ARGS, "--run", "5" * 16, "--json").json["run"] == "5" * 16
    writer.write_run(flipside_cache, items, "6" * 16, ["itc"], complete=False)
    assert flipside("report", *ARGS).code == 1


@pytest.mark.long
def test_items_that_have_no_scores_are_named_with_the_reason(flipside, flipside_cache, items):
    writer.write_run(flipside_cache, items, "5" * 16, ["itc"])
    path = flipside_cache / "runs" / ("5" * 16) / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["parts"]["itc"]["left_out"] = {"image cannot be read": 2}
    path.write_text(json.dumps(manifest))
    notes = flipside("report", *ARGS, "--run", "5" * 16, "--json").json["notes"]
    (said,) = [note for note in notes if "image cannot be read" in note]
    assert said.startswith("Without scores of kind itc, and so in no rate: 2")


@pytest.mark.long
def test_the_latest_run_that_covers_what_is_asked(flipside, flipside_cache, items):
    part = {"split": None, "subset": "choice", "limit": None, "sample": None, "seed": 0}
    write = writer.write_run
    write(flipside_cache, items, "5" * 16, ["itc"], updated="2026-01-01T00:00:00+00:00")
    write(flipside_cache, items, "6" * 16, ["itc"], updated="2026-02-01T00:00:00+00:00", seed=3)
    write(flipside_cache, items, "7" * 16, ["itc"], updated="2026-03-01T00:00:00+00:00", selection=part)
    assert flipside("report", *ARGS, "--json").json["run"] == "6" * 16
    assert flipside("report", *ARGS, "--subset", "choice", "--json").json["run"] == "7" * 16


@pytest.mark.slow
def test_other_items_are_another_benchmark(flipside, toy, items):
    writer.write_run(toy, items[:30], "5" * 16, ["itc"], updated="2027-01-01T00:00:00+00:00")
    answer = flipside("report", *ARGS, "--json")
    assert answer.json["n_items"] == 30
    assert "2 versions" in answer.err


@pytest.mark.slow
def test_a_kind_that_no_item_had_an_image_for_is_not_the_default(flipside, tmp_path):
    path = tmp_path / "set.csv"
    path.write_text("image,caption,paraphrase,negative\nx.png,a red cube,a cube that is red,a blue cube\n")
    flipside("import", "custom", "--data", path, "--as", "set")
    flipside("run", "--model", "bundled:clip", "--benchmark", "custom:set", "--kinds", "itc,t2t")
    answer = flipside("report", "--model", "bundled:clip", "--benchmark", "custom:set", "--json")
    assert (answer.code, answer.json["setting"]["kind"], answer.json["n_items"]) == (0, "t2t", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("ready")
def test_what_is_undefined_is_said_once_and_stays_null_in_json(flipside):
    """Five empty rows stood in every report of cosines, and vanished under --by."""
    for more in ([], ["--by", "concept"]):
        text = flipside("report", *ARGS, *more).out
        assert text.count("auroc") == 1
        assert "auroc are undefined for itc: a cosine is no probability" in text
        found = flipside("report", *ARGS, *more, "--json").json
        assert found["metrics"]["auroc"]["value"] is None
        assert any("auroc" in entries for entries in found["by"].values())


@pytest.mark.long
@pytest.mark.usefixtures("ready")
def test_every_rate_of_verdicts_says_what_batching_can_change(flipside):
    found = flipside("report", *ARGS, "--json").json["metrics"]
    entry = found["group_score"]
    assert isinstance(entry["within_noise"], int)
    assert entry["noise"]["lowest"] <= entry["value"] <= entry["noise"]["highest"]
    assert "assumed for" in entry["noise"]["source"]
    assert found["auroc"]["within_noise"] is None


@pytest.mark.long
def test_the_heading_says_of_how_many_items_a_part_is(flipside, flipside_cache, items):
    """Failed before: only standard error had a word of it, which a file of the output lacks."""
    whole = writer.write_run(flipside_cache, items, "5" * 16, ["itc"])
    writer.add_part(whole, "itc", [row for row in _scores(items) if row[0] < 12])
    n = sum(item.protocol == Protocol.QUAD for item in items)
    found = flipside("report", *ARGS, "--run", "5" * 16, "--json").json
    assert found["covered"] == f"12 of the {n} quads"
    assert f": 12 of the {n} quads only\n" in flipside("report", *ARGS, "--run", "5" * 16).out
    (row,) = [row for row in flipside("runs", "--json").json if row["run"] == "5" * 16]
    assert row["which"] == found["covered"]
    writer.write_run(flipside_cache, items, "6" * 16, ["itc"])
    assert flipside("report", *ARGS, "--run", "6" * 16, "--json").json["covered"] == ""


def _scores(items):
    luck = np.random.default_rng(0)
    return [row for number, item in enumerate(items) for row in writer.score_rows("itc", number, item, luck, 1.0)]
