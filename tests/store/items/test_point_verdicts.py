"""What runs make of points, stored or judged anew, against the items' own verdicts."""

import json

import numpy as np
import pandas as pd
import pytest

from backend.metrics.core import registry
from backend.store.items import embeddings, point_verdicts
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting
from tests.store import conftest


@pytest.fixture
def benchmark(asked):
    row = asked.cursor().execute("SELECT hash FROM benchmarks").fetchone()
    return str(row[0])


@pytest.mark.parametrize(("part", "metric"), [("attribute", "text_score"), ("choice", "accuracy")])
def test_points_get_their_items_verdict(asked, benchmark, part, metric):
    of = embeddings.points(asked, benchmark, part)
    found = point_verdicts.verdicts(asked, conftest.ONE, Setting("itc"), metric, of)
    frame = outcomes.compute(asked, conftest.ONE, Setting("itc"))
    by_item = frame[frame["metric"] == metric].set_index("item_id")
    assert found["correct"].tolist() == [by_item.loc[i, "correct"] for i in of.frame["item_id"]]
    np.testing.assert_allclose(found["margin"], [by_item.loc[i, "margin"] for i in of.frame["item_id"]])
    assert {True, False} == set(found["correct"])


def test_captions_of_a_pool_are_judged_as_queries(asked, benchmark):
    of = embeddings.points(asked, benchmark, "retrieval")
    found = point_verdicts.verdicts(asked, conftest.ONE, Setting("itc"), "recall_at_1", of)
    vectors = embeddings.stored_vectors(asked, conftest.ONE, of)
    assert vectors is not None
    images = (of.contents["modality"] == "image").to_numpy()
    own = {(int(i), int(t)) for i, t in of.frame["content"].to_numpy()[of.together]}
    scores = vectors[images] @ vectors[~images].T
    n_images = int(images.sum())
    for line, correct in zip(of.frame.itertuples(), found["correct"], strict=True):
        if line.modality == "image":
            best = (line.content, n_images + int(scores[line.content].argmax()))
        else:
            best = (int(scores[:, line.content - n_images].argmax()), line.content)
        assert correct == (best in own)


def test_what_can_be_asked_depends_on_the_part(asked):
    setting = Setting("itc")
    assert point_verdicts.metrics(asked, conftest.ONE, setting, ["attribute"])[0] == "group_score"
    assert point_verdicts.metrics(asked, conftest.ONE, setting, ["retrieval"])[0] == "recall_at_1"
    assert point_verdicts.metrics(asked, conftest.ONE, setting, ["attribute", "choice"])[0] == "headline"
    assert point_verdicts.metrics(asked, conftest.BLIND, setting, ["attribute"]) == []
    assert embeddings.parts({"c": "classify"}) == []


def test_judges_are_runs_with_verdicts_on_the_part(asked, benchmark):
    on_pool, on_triplets = (point_verdicts.judges(asked, benchmark, part) for part in ("retrieval", "triplet"))
    assert on_pool == {conftest.ONE: ["itc"], conftest.TWO: ["itc"]}
    assert on_triplets[conftest.ONE] == ["gen", "itc", "itm", "t2t"]


def judged_anew(frame, of, names):
    """The same as `point_verdicts.verdicts` from all outcomes, a dot at a time."""
    wanted = frame[frame["metric"].isin(names)]
    by_item, by_text = {}, {}
    for line in wanted[["item_no", "query", "correct", "margin", "reason"]].itertuples(index=False):
        known, key = (by_item, line.item_no) if line.query < 0 else (by_text, (line.item_no, line.query))
        known.setdefault(key, (line.correct, line.margin, line.reason))
    found = []
    for item, modality, query in zip(of.frame["item_no"], of.frame["modality"], of.frame["query"], strict=True):
        correct, margin, reason = by_item.get(item, (pd.NA, np.nan, ""))
        if modality == "text" and query >= 0 and by_text:
            correct, margin, _ = by_text.get((item, query), (pd.NA, np.nan, ""))
        found.append((correct, margin, reason))
    return found


def test_stored_verdicts_are_those_that_judging_anew_gives(asked, scored, patchy):
    """Of all runs, kinds and metrics on all parts, at default settings and under α, where nothing is stored."""
    compared = 0
    for store in (asked, scored[0], patchy):
        benchmark, protocols = store.cursor().execute("SELECT hash, protocols FROM benchmarks").fetchone()
        for part in embeddings.parts(json.loads(protocols)):
            of = embeddings.points(store, benchmark, part, most=40)
            subsets = sorted(embeddings.points(store, benchmark, part).frame["subset"].unique())
            for run, kinds in point_verdicts.judges(store, benchmark, part).items():
                alpha = [Setting("gen", 1.0)] if "gen" in kinds and store.run(run).default_prior else []
                for setting in [*map(Setting, kinds), *alpha]:
                    frame = outcomes.compute(store, run, setting)
                    here = frame.loc[frame["subset"].isin(subsets), "metric"].unique()
                    assert point_verdicts._of_subsets(store, run, setting, subsets) == here.tolist()
                    for metric in point_verdicts.metrics(store, run, setting, subsets):
                        names = point_verdicts._names(setting, metric)
                        assert metric != "headline" or set(names) >= set(registry.headlines(judged=True)) & set(here)
                        found = point_verdicts.verdicts(store, run, setting, metric, of)
                        assert found["correct"].dtype == "boolean"
                        for own, (correct, margin, reason) in zip(
                            found.itertuples(index=False), judged_anew(frame, of, names), strict=True
                        ):
                            assert own.reason == reason
                            assert (pd.isna(own.correct) and pd.isna(correct)) or own.correct == correct
                            assert own.margin == margin or (np.isnan(own.margin) and np.isnan(margin))
                        compared += len(found)
    assert compared > 1000


def test_at_a_default_setting_nothing_is_judged_anew(asked, benchmark, monkeypatch):
    of = embeddings.points(asked, benchmark, embeddings.ALL)
    monkeypatch.setattr(outcomes, "compute", lambda *_: pytest.fail("judged anew"))
    for metric in point_verdicts.metrics(asked, conftest.ONE, Setting("itm"), ["attribute", "choice"]):
        assert point_verdicts.verdicts(asked, conftest.ONE, Setting("itm"), metric, of)["correct"].notna().any()
    with pytest.raises(pytest.fail.Exception, match="judged anew"):
        point_verdicts.metrics(asked, conftest.ONE, Setting("gen", 0.37), ["attribute"])  # asked by no other test
