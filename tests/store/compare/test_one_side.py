"""One side's verdicts as columns: the same words and numbers as verdicts that are judged anew."""

import numpy as np
import pandas as pd
import pytest

from backend.store import queries as q
from backend.store.compare import one_side
from backend.store.failures.columns import Words
from backend.store.scores import outcomes
from tests.store.conftest import ONE, TWO

METRICS = ("group_score", "accuracy", "i2t_accuracy", "i2t_recall_at_1", "t2i_recall_at_1")


SETTINGS = [
    (ONE, q.Setting("itc")), (ONE, q.Setting("gen")), (ONE, q.Setting("itm")), (TWO, q.Setting("itc")),
    (ONE, q.Setting("t2t")), (ONE, q.Setting("prior")), (ONE, q.Setting("gen", 0.5)),
    (ONE, q.Setting("gen", 1.0, "noise:3", "sum")),
]  # fmt: skip


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("metrics", [METRICS, ("group_score",), ("text_score", "accuracy", "group_match")])
@pytest.mark.parametrize(("run", "setting"), SETTINGS)
def test_verdicts_are_those_of_outcomes(asked, run, setting, metrics, anew, monkeypatch):
    """Read and judged anew alike, under settings that are stored and others: every word and number, row by row."""
    if anew:
        monkeypatch.setattr(one_side, "stored", lambda *_: None)
    every = outcomes.compute(asked, run, setting)
    every = every[every["metric"].isin(metrics)]
    expected = every[every["correct"].notna()].reset_index(drop=True)
    found = one_side.verdicts(asked, run, setting, metrics)
    assert len(found) == len(expected)
    for name in ("item_no", "query", "item_id", *one_side.CATEGORIES, "correct", "margin"):
        assert found[name].tolist() == expected[name].tolist(), name
    assert (pd.factorize(expected["cluster"])[0] == pd.factorize(found["cluster"])[0]).all()
    assert all(isinstance(found[name].dtype, pd.CategoricalDtype) for name in one_side.CATEGORIES)
    said = one_side.said(asked, run, setting, metrics)
    for name in ("item_no", "query", "ties"):
        assert getattr(said, name).tolist() == every[name].tolist(), name
    for name in ("metric", "cell", "reason"):
        assert one_side.categories(getattr(said, name)).tolist() == every[name].tolist(), name


def test_a_part_of_a_pool_is_named_at_its_recalls_alone(asked, monkeypatch):
    part = "3 images x 9 texts"
    monkeypatch.setattr(one_side, "_sizes", lambda *_: {"retrieval": part})
    found = one_side.verdicts(asked, ONE, q.Setting("itc"), METRICS)
    recalls = found["metric"].isin(["i2t_recall_at_1", "t2i_recall_at_1"])
    assert recalls.any()
    assert not recalls.all()
    assert found["pool"].tolist() == [part if of else "" for of in recalls]


def test_the_store_of_these_tests_has_what_is_to_be_told_apart(asked):
    assert len(one_side.verdicts(asked, ONE, q.Setting("gen", 0.5), METRICS))
    assert set(one_side.categories(one_side.said(asked, ONE, q.Setting("itc"), METRICS).cell)) > {""}


def test_only_default_settings_are_stored(asked):
    assert one_side.stored(asked, ONE, q.Setting("itc"), METRICS) is not None
    for setting in (q.Setting("gen", 1.0), q.Setting("gen", norm="sum"), q.Setting("prior")):
        assert one_side.stored(asked, ONE, setting, METRICS) is None
    assert one_side.stored(asked, ONE, q.Setting("itc"), ("no_such_metric",)) is None


def test_words_that_are_not_there_are_empty():
    words = Words(np.array([1, -1, 0], dtype=np.int8), ("a", ""))
    assert one_side.categories(words).tolist() == ["", "", "a"]
    assert one_side.categories(words, np.array([-1, 2, 2])).tolist() == ["", "a", "a"]
    assert one_side.categories(Words(np.zeros(0, dtype=np.int8), ()), np.array([-1, -1])).tolist() == ["", ""]


def test_a_subset_whose_pool_cannot_be_told_by_name_is_judged_anew():
    part = "retrieval (3 images x 9 texts)"

    def sizes(*groups):
        answers = _Says([(group,) for group in groups], [("retrieval",)])
        return one_side._sizes(answers, ONE, q.Setting("itc"), ["i2t_recall_at_1"])

    assert sizes("retrieval", part) is None
    assert sizes() is None
    assert sizes(part, "choice") == {"retrieval": "3 images x 9 texts"}
    assert sizes("retrieval") == {"retrieval": ""}


class _Says:
    """A cursor that answers its queries one after another."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def execute(self, *_):
        return self

    def fetchall(self):
        return self.answers.pop(0)
