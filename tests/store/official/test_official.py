"""Scores as a benchmark's own evaluator forms them, in `report`: derived from the run's verdicts, partial ones said."""

import json
import re
from collections import defaultdict

import numpy as np
import pytest

from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.store.build.reader import open_store
from backend.store.official.inputs import judged
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting
from tests.benchmarks.samples import sugarcrepe, valse, vl_checklist, winoground

#: Metric -> (column that must be above, column below), of choices and of quads (image x 2 + text).
CONTESTS = {
    "accuracy": [(0, 1)],
    "text_score": [(0, 1), (3, 2)],
    "image_score": [(0, 2), (3, 1)],
    "group_score": [(0, 1), (3, 2), (0, 2), (3, 1)],
}
REPORT = ("report", "--model", "fake:ok", "--benchmark")


@pytest.fixture
def scored(tmp_path):
    """A function that writes a sample, its missing images too, and scores it with scripted scores."""

    def score(name, sample, kind="itc", **selection):
        sample.write(tmp_path)
        if sample is sugarcrepe:
            sugarcrepe.pictures(tmp_path / "images" / "val2017", sugarcrepe.IMAGES)
        return run("fake:ok", name, [kind], data_dir=tmp_path, selection=Selection(**selection)).run_dir.name

    return score


def own(flipside, name, *more):
    answer = flipside(*REPORT, name, *more, "--json")
    assert answer.code == 0, answer.err
    return {row["name"]: row for row in answer.json["official"]}


def shares(flipside, file):
    """Subset -> share of right items, from what `export` writes."""
    arguments = ("--benchmark", "sugarcrepe", "--what", "outcomes", "--format", "jsonl", "--out", file)
    assert flipside("export", "--model", "fake:ok", *arguments).code == 0
    right = defaultdict(list)
    for line in file.read_text().splitlines():
        row = json.loads(line)
        right[row["subset"]].append(bool(row["correct"]))
    return {subset: np.mean(found) for subset, found in right.items()}


@pytest.mark.long
def test_family_means_are_those_of_the_exported_verdicts(flipside, scored, tmp_path):
    scored("sugarcrepe", sugarcrepe)
    mean, found = shares(flipside, tmp_path / "outcomes.jsonl"), own(flipside, "sugarcrepe")
    assert len(mean) == 7
    for family in ("replace", "swap", "add"):
        parts = [value for subset, value in mean.items() if subset.startswith(family)]
        assert found[family]["value"] == pytest.approx(np.mean(parts))
        assert found[family]["metric"] == "accuracy"
        assert (found[family]["published"], found[family]["published_all"]) == (None, [])
    assert found["mean of the seven"]["value"] == pytest.approx(np.mean(list(mean.values())))
    assert found["mean of the seven"]["n"] == 15
    assert found["replace"]["how"].endswith("each with the same weight.")


@pytest.mark.long
def test_a_family_outside_the_subset_is_null_with_the_reason(flipside, scored):
    scored("sugarcrepe", sugarcrepe)
    found = own(flipside, "sugarcrepe", "--subset", "swap_att,swap_obj,add_att")
    assert found["swap"]["value"] is not None
    assert (found["add"]["value"], found["add"]["n"]) == (None, 0)
    assert "Undefined: no judged items of add_obj." in found["add"]["how"]


def test_a_limited_run_says_so_beside_each_score(flipside, scored):
    run_id = scored("sugarcrepe", sugarcrepe, limit=4)
    found = own(flipside, "sugarcrepe", "--run", run_id)
    assert found["add"]["how"].endswith("The run covers a part only (--limit 4).")
    assert found["replace"]["value"] is None


@pytest.mark.long
def test_items_without_image_are_counted(flipside, tmp_path):
    sugarcrepe.write(tmp_path)  # one of three pictures is missing
    run("fake:ok", "sugarcrepe", ["itc"], data_dir=tmp_path)
    said = own(flipside, "sugarcrepe")["replace"]["how"]
    lacking = r"\. The run has judged (\d+) of the (\d+) items of replace_att, replace_obj, replace_rel\.$"
    assert re.search(lacking, said), said  # it was of all seven files, of which three are in the score
    whole = own(flipside, "sugarcrepe")
    assert "The run has judged 14 of the 15 items of add_att, " in whole["mean of the seven"]["how"]
    assert sum("The run has judged" in score["how"] for score in whole.values()) == 2, "the rest lacks nothing"


@pytest.mark.slow
def test_thresholded_means_over_pieces_exist_where_scores_are_probabilities(flipside, scored, tmp_path):
    sugarcrepe.pictures(tmp_path / "all", tuple(
        record["image_file"] for piece in valse.PIECES for record in valse.records(piece).values()
    ))  # fmt: skip
    scored("valse", valse, "itc")
    assert list(own(flipside, "valse", "--kind", "itc")) == ["acc_r"]
    scored("valse", valse, "itm")
    document = flipside(*REPORT, "valse", "--kind", "itm", "--json").json
    found = {row["name"]: row["value"] for row in document["official"]}
    assert list(found) == ["acc_r", "pc", "pf", "acc", "min(pc, pf)"]
    for name, metric in (("pc", "pc"), ("acc", "threshold_accuracy"), ("min(pc, pf)", "min_pc_pf")):
        pieces = [table[metric]["value"] for table in document["by"].values()]
        assert len(pieces) == 11
        assert found[name] == pytest.approx(np.mean(pieces))


@pytest.mark.long
def test_types_whose_files_are_missing_are_named(flipside, scored):
    scored("vl_checklist", vl_checklist)
    found = own(flipside, "vl_checklist")
    assert len(found) == 16
    assert found["Attribute/color"]["value"] is not None
    assert "no judged items of Attribute/vaw/action" in found["Attribute/action"]["how"]
    assert found["Relation"]["value"] is None


@pytest.mark.parametrize(("name", "sample"), [("sugarcrepe", sugarcrepe), ("winoground", winoground)])
def test_scores_stand_beside_the_verdicts_that_they_decide(scored, name, sample):
    run_id = scored(name, sample)
    store, setting = open_store(), Setting("itc")
    frame = outcomes.compute(store, run_id, setting)
    compared = 0
    for verdicts, part in judged(store, run_id, setting, None, 0.5, frame):
        assert verdicts.item_id == part["item_id"].tolist()
        pairs = CONTESTS.get(verdicts.metric)
        if pairs is not None:
            compared += len(part)
            right = np.all([verdicts.scores[:, ours] > verdicts.scores[:, other] for ours, other in pairs], axis=0)
            assert right.tolist() == verdicts.correct.astype(bool).tolist()
    assert compared


@pytest.mark.usefixtures("ready")
def test_a_pool_is_handed_over_whole_with_its_relevance():
    from tests.store.conftest import ONE

    store, setting = open_store(), Setting("itc")
    frame = outcomes.compute(store, ONE, setting)
    found = {verdicts.metric: verdicts for verdicts, _ in judged(store, ONE, setting, None, 0.5, frame)}
    one = found["i2t_recall_at_1"]
    scores, relevance = one.pool("retrieval")
    assert scores.shape == relevance.shape == (12, 24)
    best = np.where(relevance, -np.inf, scores).max(axis=1) < np.where(relevance, scores, -np.inf).max(axis=1)
    assert best.tolist() == one.correct.astype(bool).tolist()
    assert one.scores is None
    assert one.pool("choice") is None
    assert one.rates["retrieval"]["i2t_recall_at_1"] == (pytest.approx(best.mean()), 12)
    assert one.rates["choice"]["pc"] == (None, 0)


@pytest.mark.long
def test_people_get_a_table_of_their_own_and_each_rule_once(flipside, scored):
    scored("vl_checklist", vl_checklist)
    out = flipside(*REPORT, "vl_checklist").out
    place = out.index("Scores as vl_checklist's own evaluator or its papers form them")
    table = out[place:].splitlines()
    assert table[1].split() == ["metric", "score", "value", "n", "rule", "published"]
    assert table[2].split()[:2] == ["accuracy", "Object/large"]
    rules = [line for line in table if line.startswith("[")]
    assert [line.split()[0] for line in rules] == [f"[{n}]" for n in range(1, len(rules) + 1)]
    assert len(rules) == len({line.partition(" ")[2] for line in rules})


@pytest.mark.long
@pytest.mark.usefixtures("ready")
def test_a_benchmark_without_scores_of_its_own_has_none(flipside):
    from tests.store.conftest import MODEL

    assert flipside("report", "--model", MODEL, "--benchmark", "toy", "--json").json["official"] == []
