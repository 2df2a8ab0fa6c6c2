"""Forced choices in the store: every outcome recomputed from the exported contests, and nothing they cannot say."""

import json

import pandas as pd
import pytest

from backend import results
from backend.engine.runner import run
from backend.errors import UsageError
from backend.store.build.reader import open_store
from backend.store.catalog.default_run import choose_run
from backend.store.exchange import export as export_
from backend.store.queries import FailureFilter, Setting, failures
from backend.store.report.report import report
from tests.engine.samples import mixed

MODEL = "fake:ok"


@pytest.fixture
def stored(flipside_cache, tmp_path):
    """A run with verdicts beside other kinds, on every protocol; its benchmark."""
    benchmark = mixed(tmp_path / "p", 12)
    assert run(MODEL, benchmark, ["itc", "verdict", "t2t"], root=flipside_cache).exit_code == 0
    return benchmark


def by_hand(benchmark, contests):
    """item id -> metric -> (correct, tie), from who was chosen in both orders."""
    won = {(c.item_id, c.image_index, c.text_index, c.text_index_b): c.value for c in contests.itertuples()}
    found = {}
    for it in benchmark:
        asked = {
            "triplet": [(0, 0, 2), (0, 1, 2)],
            "choice": [(0, 0, k) for k in range(1, len(it.texts))],
            "quad": [(0, 0, 1), (1, 0, 1)],
        }.get(it.protocol)
        if asked is None:
            continue
        shares = [won[it.item_id, *place] for place in asked]
        if it.protocol == "quad":
            shares[1] = 1 - shares[1]
        name = {"triplet": "i2t_accuracy", "choice": "accuracy", "quad": "text_score"}[it.protocol]
        found[it.item_id, name] = (all(share == 1 for share in shares), min(shares) == 0.5)
    return found


@pytest.mark.long
def test_outcomes_are_what_the_exported_contests_say(stored, tmp_path):
    store = open_store(follow=False)
    chosen = choose_run(store, MODEL, "mixed", "verdict")
    export_.export(store, chosen, "scores", "csv", tmp_path / "scores.csv")
    contests = pd.read_csv(tmp_path / "scores.csv").query("kind == 'verdict'")
    assert len(contests) == 12 * (2 + 3 + 2)
    want = by_hand(stored, contests)
    frame = results.open().outcomes({"kind": "verdict"}, model=MODEL, benchmark="mixed")
    assert set(frame["metric"]) == {
        "i2t_accuracy", "i2t_p1_n_accuracy", "i2t_p2_n_accuracy", "accuracy", "text_score"
    }  # fmt: skip
    assert not frame["correct"].isna().any()
    own = frame[~frame["metric"].str.contains("_n_")]
    assert {(r.item_id, r.metric): (bool(r.correct), bool(r.ties)) for r in own.itertuples()} == want
    assert len({right for right, _ in want.values()}) == len({tie for _, tie in want.values()}) == 2
    assert set(own["margin"]) == {-1.0, 0.0, 1.0}


@pytest.mark.slow
def test_the_report_says_what_verdicts_do_not_tell(stored):
    store = open_store(follow=False)
    found = report(store, MODEL, "mixed", kind="verdict", by="subset")
    assert found["setting"] == {"kind": "verdict", "alpha": 0.0, "prior": None, "norm": None, "prior_samples": None}
    assert found["metrics"]["text_score"]["n"] == 12
    assert found["metrics"]["accuracy"]["ties"] > 0
    for name in ("image_score", "group_score", "i2t_recall_at_1", "rsum", "i2t_similarity_relevance"):
        assert name not in found["metrics"]
    assert {"deviations", "close_pairs", "alpha_star", "monte_carlo"} & set(found) == set()
    assert found["undefined"]["group_score"] == "models are asked to choose between two texts, not between two images"
    assert "which fits better" in found["undefined"]["pc"]
    assert found["metrics"]["threshold_accuracy"]["value"] is None
    assert json.dumps(found)
    assert report(store, MODEL, "mixed")["setting"]["kind"] == "itc"


@pytest.mark.long
def test_deviations_alpha_and_thresholds_do_not_apply(stored):
    store = open_store(follow=False)
    mine = results.open()
    for refuse, says in (
        (lambda: mine.deviations(MODEL, "mixed", "verdict"), "deviations need scores of an image with a text"),
        (lambda: mine.close_pairs(MODEL, "mixed", "verdict"), "close pairs need scores of an image with a text"),
        (lambda: report(store, MODEL, "mixed", kind="verdict", alpha=0.5), "alpha applies to kind gen"),
        (lambda: report(store, MODEL, "mixed", kind="verdict", threshold=0.5), "applies to probabilities"),
        (lambda: report(store, MODEL, "mixed", kind="verdict", norm="sum"), "apply to kinds gen and prior"),
    ):
        with pytest.raises(UsageError, match=says):
            refuse()


@pytest.mark.long
def test_failures_rest_on_verdicts_too_without_cells(stored):
    store = open_store(follow=False)
    run_id = choose_run(store, MODEL, "mixed", "verdict").run_id
    page = failures(store, FailureFilter(run_id, Setting("verdict"), correct=None, limit=500))
    assert set(page.rows["metric"]) == {"i2t_accuracy", "accuracy", "text_score"}
    assert page.total == 36
    assert set(page.rows["reason"]) == set(page.rows["cell"]) == {""}
    assert page.facets["cell"] == page.facets["reason"] == {}
    for sort in ("margin", "-margin", "near", "item"):  # verdicts alone have no margins to be ordered by
        listed = failures(store, FailureFilter(run_id, Setting("verdict"), correct=None, limit=500, sort=sort)).rows
        assert list(listed["item_no"]) == sorted(listed["item_no"]), sort
    cells = store.cursor().execute("SELECT DISTINCT kind FROM cells WHERE run_id = ?", [run_id]).fetchall()
    assert "verdict" not in {kind for (kind,) in cells}


@pytest.mark.long
def test_a_model_of_one_letter_is_all_ties(flipside_cache, tmp_path):
    run("fake:constant", mixed(tmp_path / "p", 3), ["verdict"], root=flipside_cache)
    found = report(open_store(follow=False), "fake:constant", "mixed")
    assert found["setting"]["kind"] == "verdict"
    for name in ("i2t_accuracy", "accuracy", "text_score"):
        assert (found["metrics"][name]["value"], found["metrics"][name]["ties"]) == (0.0, 3)
