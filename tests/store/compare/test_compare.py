"""Systems side by side: which verdicts are compared, and what the table says of them."""

import numpy as np
import pandas as pd
import pytest

from backend.store import queries as q
from backend.store.compare import compare, one_side
from backend.store.compare.compare import Side, against, groups, matrix, rates, shared
from tests.store.conftest import ONE, TWO

ITC, ITM, GEN = q.Setting("itc"), q.Setting("itm"), q.Setting("gen")
PAIR = (Side(ONE, ITC), Side(TWO, ITC))


def test_only_verdicts_of_all_sides_count(asked):
    found = shared(asked, (*PAIR, Side(ONE, GEN)))
    assert found.correct.shape == found.margin.shape == (len(found), 3)
    assert set(found.frame["metric"]) == {"group_score", "i2t_accuracy", "accuracy"}
    assert found.elsewhere == ("retrieval",)
    assert found.judged[0] == len(shared(asked, PAIR)) == len(found) + 12
    assert ((found.margin > 0) == found.correct).all()


def test_each_verdict_is_that_of_its_run(asked):
    found = shared(asked, PAIR, "text_score", ("relation",))
    assert len(found)
    for column, run in enumerate((ONE, TWO)):
        own = q.outcomes(asked, run, ITC, "relation")
        own = own[own["metric"] == "text_score"].set_index("item_id")
        assert found.correct[:, column].tolist() == own.loc[found.frame["item_id"], "correct"].astype(bool).tolist()
        assert found.margin[:, column].tolist() == own.loc[found.frame["item_id"], "margin"].tolist()


def test_one_model_under_two_settings(asked):
    found = shared(asked, (Side(ONE, GEN), Side(ONE, q.Setting("gen", 1.0))), subsets=("choice",))
    assert len(found) == 12
    assert (found.margin[:, 0] != found.margin[:, 1]).any()


def test_the_table_counts_what_the_frame_holds(asked):
    found = shared(asked, PAIR)
    table = against(found, "concept").set_index("group")
    assert set(table.index) == {"attribute", "relation", "count", "mixed"}
    relation = (found.frame["concept"] == "relation").to_numpy()
    a, b = found.correct[relation].T
    assert table["only_b"]["relation"] == (~a & b).sum()
    assert table["gain"]["relation"] == pytest.approx(b.mean() - a.mean())
    assert (table["low"] <= table["gain"] + 1e-12).all()
    assert (table["gain"] <= table["high"] + 1e-12).all()
    assert (table["holm"] >= table["bh"] - 1e-12).all()
    assert (table["bh"] >= table["p"] - 1e-12).all()
    assert table["holm"].min() == pytest.approx(min(1, 4 * table["p"].min()))


def test_several_others_share_one_correction(asked):
    found = shared(asked, (*PAIR, Side(ONE, ITM)))
    table = against(found, "subset")
    assert len(table) == 2 * found.frame["subset"].nunique()
    assert table["holm"].min() == pytest.approx(min(1, len(table) * table["p"].min()))
    pairs = matrix(found)
    assert list(zip(pairs["baseline"], pairs["side"], strict=True)) == [(0, 1), (0, 2), (1, 2)]
    direct = against(shared(asked, (PAIR[1], Side(ONE, ITM), PAIR[0]))).iloc[0]
    assert pairs.iloc[2][["n", "only_a", "only_b", "p"]].tolist() == direct[["n", "only_a", "only_b", "p"]].tolist()


def test_rates_are_of_the_shared_verdicts(asked):
    found = shared(asked, PAIR)
    table = rates(found, "subset")
    own = table[(table["group"] == "attribute") & (table["side"] == 0)].iloc[0]
    expected = q.rates(asked, ONE, ITC, "subset")
    expected = expected[(expected["group"] == "attribute") & (expected["metric"] == "group_score")].iloc[0]
    assert (own["value"], own["low"], own["high"], own["n"]) == pytest.approx(
        tuple(expected[["value", "lo", "hi", "n"]])
    )


def test_an_item_with_two_concepts_counts_in_each(asked):
    frame = shared(asked, PAIR).frame.head(3).assign(concept=["a|b", "b", ""])
    assert {name: keep.tolist() for name, keep in groups(frame, "concept")} == {
        "a": [True, False, False],
        "b": [True, True, False],
    }


def test_queries_of_one_image_are_one_cluster(asked):
    found = shared(asked, PAIR, "t2i_recall_at_1")
    row = against(found).iloc[0]
    assert (row["n"], row["clusters"]) == (24, 12)


def test_nothing_in_common(asked):
    found = shared(asked, (Side(ONE, ITC), Side(ONE, q.Setting("t2t"))))
    assert len(found) == 0
    assert against(found)["n"].tolist() == [0]
    assert np.isnan(against(found)["p"].to_numpy()).all()
    assert against(found, "concept").empty
    assert rates(found)["n"].tolist() == [0, 0]


def test_subsets_may_weigh_the_same(asked):
    """The mean over subsets of their own rates, item by item; counts and what is judged stay."""
    found = shared(asked, PAIR)
    found = found.only(np.arange(len(found)) >= 7)  # the subsets of this store have one size
    items, equal = against(found).iloc[0], against(found, weights="subsets").iloc[0]
    own = rates(found, "subset")
    for column, side in (("rate_a", 0), ("rate_b", 1)):
        assert equal[column] == pytest.approx(own.loc[own["side"] == side, "value"].mean())
    assert equal["gain"] == pytest.approx(equal["rate_b"] - equal["rate_a"])
    assert equal["gain"] != pytest.approx(items["gain"])
    assert equal["low"] <= equal["gain"] <= equal["high"]
    same = ["n", "clusters", "both", "only_a", "only_b", "neither"]
    assert equal[same].tolist() == items[same].tolist()
    failed = {"both": 0.0, "either": 0.0, "alike": 0.0}  # recounted, each verdict with its subset's weight
    names = found.frame["subset"].tolist()
    for name, (a, b) in zip(names, found.correct.tolist(), strict=True):
        weight = 1 / (len(set(names)) * names.count(name))
        failed["both"] += weight * (not a and not b)
        failed["either"] += weight * (not a or not b)
        failed["alike"] += weight * (a == b)
    assert equal["overlap"] == pytest.approx(failed["both"] / failed["either"])
    assert equal["agreement"] == pytest.approx(failed["alike"])
    u, v = 1 - equal["rate_a"], 1 - equal["rate_b"]
    assert equal["overlap_chance"] == pytest.approx(u * v / (u + v - u * v))
    by_luck = u * v + (1 - u) * (1 - v)
    assert equal["kappa"] == pytest.approx((failed["alike"] - by_luck) / (1 - by_luck))
    assert equal["kappa_low"] <= equal["kappa"] <= equal["kappa_high"]
    assert equal["overlap"] != pytest.approx(items["overlap"])
    assert rates(found, weights="subsets")["value"].tolist() == pytest.approx([equal["rate_a"], equal["rate_b"]])
    assert matrix(found, "subsets").iloc[0]["p"] == equal["p"]
    assert against(found, "subset", weights="subsets").equals(against(found, "subset")), "one subset weighs alike"
    with pytest.raises(ValueError, match="items, subsets"):
        against(found, weights="half")


@pytest.mark.parametrize("metric", [None, "i2t_recall_at_1", "t2i_recall_at_1", "group_score"])
@pytest.mark.parametrize("sides", [PAIR, (Side(ONE, ITC), Side(ONE, GEN)), (Side(ONE, ITM), Side(ONE, GEN))])
def test_what_is_read_from_the_tables_is_what_the_scores_say(asked, sides, metric, monkeypatch):
    """Pools, too, of which one side has judged the whole and another a part."""
    headlines = compare.headline_metrics(["itc"])
    assert all(one_side.stored(asked, side.run_id, side.setting, headlines) is not None for side in sides)
    stored = compare._shared(asked, sides, metric, frozenset())
    monkeypatch.setattr(one_side, "stored", lambda *_: None)
    judged = compare._shared(asked, sides, metric, frozenset())
    repeated = dict.fromkeys(one_side.CATEGORIES, object)
    pd.testing.assert_frame_equal(stored.frame.astype(repeated), judged.frame.astype(repeated), check_dtype=False)
    assert (stored.correct == judged.correct).all()
    np.testing.assert_array_equal(stored.margin, judged.margin)
    assert (stored.judged, stored.elsewhere) == (judged.judged, judged.elsewhere)


@pytest.mark.parametrize(
    "sides",
    [
        (*PAIR, Side(ONE, GEN)),
        (Side(ONE, GEN), *PAIR),
        (Side(ONE, ITM), Side(ONE, q.Setting("gen", 0.7))),
        (Side(ONE, q.Setting("gen", 1.0, norm="sum")), Side(TWO, ITC)),
        (Side(ONE, ITC), Side(ONE, q.Setting("t2t"))),
    ],
)
@pytest.mark.parametrize(("metric", "subsets"), [(None, ()), (None, ("relation", "choice")), ("i2t_recall_at_1", ())])
def test_every_side_keeps_its_own_verdicts_whatever_the_others_have(asked, sides, metric, subsets):
    """Sides that cover other items, in other orders and under other settings, sought out one verdict at a time."""
    found = shared(asked, sides, metric, subsets)
    wanted = (metric,) if metric else compare.headline_metrics([side.setting.kind for side in sides])
    each = []
    for side in sides:
        own = q.outcomes(asked, side.run_id, side.setting)
        own = own[own["metric"].isin(wanted) & own["correct"].notna()]
        own = own[own["subset"].isin(subsets)] if subsets else own
        keys = zip(own["item_no"], own["query"], own["metric"], own["pool"], strict=True)
        each.append(dict(zip(keys, zip(own["correct"], own["margin"], strict=True), strict=True)))
    assert found.judged == tuple(map(len, each))
    expected = [key for key in each[0] if all(key in own for own in each)]
    names = ("item_no", "query", "metric", "pool")
    assert list(zip(*(found.frame[name] for name in names), strict=True)) == expected
    for k, own in enumerate(each):
        assert found.correct[:, k].tolist() == [own[key][0] for key in expected]
        assert found.margin[:, k].tolist() == [own[key][1] for key in expected]


def test_groups_are_counted_in_words_and_in_categories_alike(asked):
    frame = shared(asked, PAIR).frame
    words = frame.astype(dict.fromkeys(one_side.CATEGORIES, "str"))
    for by in ("", "subset", "concept", "perturbation"):
        said = [[(name, keep.tolist()) for name, keep in groups(of, by)] for of in (frame, words)]
        assert said[0] == said[1]
        expected = {
            name: [name in joined.split("|") for joined in words[by]]
            for joined in (words[by] if by else ())
            for name in joined.split("|")
            if name
        }
        assert dict(said[0]) == (expected if by else {"": [True] * len(frame)})
