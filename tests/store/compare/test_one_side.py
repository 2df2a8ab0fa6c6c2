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


@pytest.mark.parametrize(("run", "kind"), [(ONE, "itc"), (ONE, "gen"), (ONE, "itm"), (TWO, "itc")])
def test_stored_verdicts_are_those_that_are_judged_anew(asked, run, kind):
    stored = one_side.stored(asked, run, q.Setting(kind), METRICS)
    anew = outcomes.compute(asked, run, q.Setting(kind))
    anew = anew[anew["metric"].isin(METRICS) & anew["correct"].notna()].reset_index(drop=True)
    assert len(stored) == len(anew) > 0
    for name in ("item_no", "query", "item_id", *one_side.CATEGORIES, "correct", "margin"):
        assert stored[name].tolist() == anew[name].tolist(), name
    same = pd.factorize(anew["cluster"])[0] == pd.factorize(stored["cluster"])[0]
    assert same.all()
    assert all(isinstance(stored[name].dtype, pd.CategoricalDtype) for name in one_side.CATEGORIES)


@pytest.mark.parametrize("metrics", [METRICS, ("group_score",), ("text_score", "accuracy")])
def test_cells_and_reasons_are_those_that_are_judged_anew(asked, metrics):
    stored = one_side.said(asked, ONE, q.Setting("itc"), metrics)
    anew = outcomes.compute(asked, ONE, q.Setting("itc"))
    anew = one_side.said_in(anew[anew["metric"].isin(metrics)])
    for name in ("item_no", "query", "ties"):
        assert getattr(stored, name).tolist() == getattr(anew, name).tolist(), name
    for name in ("metric", "cell", "reason"):
        assert [each.tolist() for each in map(one_side.categories, (getattr(stored, name),))] == [
            one_side.categories(getattr(anew, name)).tolist()
        ], name


def test_only_default_settings_are_stored(asked):
    for setting in (q.Setting("gen", 1.0), q.Setting("gen", norm="sum"), q.Setting("prior")):
        assert one_side.stored(asked, ONE, setting, METRICS) is None
        assert one_side.said(asked, ONE, setting, METRICS) is None
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
