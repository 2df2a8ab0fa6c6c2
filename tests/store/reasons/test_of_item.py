"""Explanations of stored items: their numbers are those computed anew, and the command that is named works."""

import shlex

import numpy as np
import pandas as pd
import pytest

from backend.items import Protocol
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.reasons import evidence, runs
from backend.store.reasons.not_measured import command
from backend.store.reasons.of_item import ItemOf, of_item, short_of
from backend.store.scores.judged import judged_scores
from backend.store.scores.setting import Setting

pytestmark = pytest.mark.long
MODEL = "fake:ok"
PROTOCOLS = (Protocol.QUAD, Protocol.CHOICE, Protocol.TRIPLET)


def explained(store, run_id, item_id, kind):
    benchmark = str(queries.benchmarks(store)["hash"].iloc[0])
    d = queries.item(store, benchmark, item_id)
    item = ItemOf(benchmark, d.item_no, item_id, d.subset, d.protocol, d.texts)
    (found,) = of_item(store, item, [(MODEL, run_id, kind)], {MODEL: "ok"})
    return d, found


def test_what_was_kept_at_import_is_what_the_scores_give(scored):
    store, run_id = scored
    for kind in ("itc", "gen"):
        for protocol in PROTOCOLS:
            stored = runs.of_run(store, run_id, Setting(kind), protocol)
            block, scores = judged_scores(store.run(run_id), Setting(kind), protocol)
            fresh = runs.table(store.run(run_id), Setting(kind), block, scores)
            assert len(stored) == 24
            for name in ("item_no", "item_id", "subset", *evidence.columns(protocol)):
                if name in fresh:
                    pd.testing.assert_series_equal(
                        stored[name], fresh[name], check_dtype=False, check_names=False, obj=name, rtol=1e-12
                    )
            lost = set(fresh) - set(stored)
            assert not lost, lost


def test_the_margins_that_are_drawn_are_those_under_other_images(scored):
    store, run_id = scored
    frame = runs.of_run(store, run_id, Setting("itc"), Protocol.CHOICE)
    for row in frame.itertuples():
        assert len(row.others) == row.n_other <= 32
        assert np.mean(row.others) == pytest.approx(row.b)
        assert list(row.others) == sorted(row.others)


def test_every_kind_of_verdict_says_something_of_its_own(scored):
    store, run_id = scored
    for item_id, kind, sign in (("quad/3", "itc", "γ"), ("choice/3", "gen", "m"), ("tri/3", "itc", "m")):
        detail, found = explained(store, run_id, item_id, kind)
        assert found.measured
        assert sign in {n.sign for n in found.said.numbers}
        row = detail.evidence[detail.evidence["kind"] == kind].iloc[0].to_dict()
        assert short_of(detail.protocol, row, detail.texts) == found.said.short
    assert "prior (from 6 noise images)" in explained(store, run_id, "choice/3", "gen")[1].said.text or (
        "Nothing is said of its prior: 6 noise images" in explained(store, run_id, "choice/3", "gen")[1].said.text
    )
    for item_id, kind, why in (
        ("tri/3", "t2t", "captions are compared without the image"),
        ("pool/1", "itc", "a retrieval item is judged against its whole pool"),
    ):
        _, found = explained(store, run_id, item_id, kind)
        assert not found.measured
        assert why in found.said.text
        assert not found.said.command


def test_the_command_names_what_the_run_was_asked_for(scored, monkeypatch):
    store, run_id = scored
    stored_run = store.run(run_id)
    assert (
        command(stored_run, "itc") == "flipside run --model fake:ok --benchmark mixed --kinds itc --counterfactual 18"
    )
    selection = {"split": None, "subset": "a b,c", "limit": 5, "sample": None, "seed": 2}
    changed = stored_run.record | {"selection": selection, "sessions": [{"dtype": "float16"}]}
    monkeypatch.setitem(stored_run.__dict__, "record", changed)
    assert shlex.split(command(stored_run, "gen"))[7:] == [
        "gen", "--subset", "a b,c", "--limit", "5", "--seed", "2", "--dtype", "float16", "--counterfactual", "18",
    ]  # fmt: skip
    monkeypatch.setitem(stored_run.__dict__, "record", changed | {"model": {"spec": "predictions:gpt"}})
    assert command(stored_run, "gen") == "", "nobody here can ask another system"


@pytest.mark.slow
def test_the_command_brings_the_reason(tmp_path, flipside_cache, flipside, monkeypatch):
    """It names the run's own selection, so the same run is extended, and the item is measured afterwards."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    asked = ("run", "--model", MODEL, "--benchmark", "world", "--kinds", "itm", "--subset", "choice", "--limit", "20")
    first = flipside(*asked, "--seed", "3", "--json")
    assert first.code == 0, first.err
    store = open_store()
    _, found = explained(store, first.json["run"], "choice/1", "itm")
    assert found.said.text == ("Reason not measured: the captions of this run have not been scored under other images.")
    assert found.said.command == command(store.run(first.json["run"]), "itm")
    words = shlex.split(found.said.command)
    assert words[0] == "flipside"
    second = flipside(*words[1:], "--json")
    assert second.code == 0, second.err
    assert second.json["run"] == first.json["run"]
    _, found = explained(open_store(), first.json["run"], "choice/1", "itm")
    assert found.measured
