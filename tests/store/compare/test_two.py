"""Two models on one benchmark: the document of `compare`."""

import pytest

from backend.errors import UsageError
from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.compare.compare import Side, against, shared
from backend.store.compare.two import two
from tests.store import asked as choices
from tests.store import writer
from tests.store.conftest import ONE, TWO
from tests.store.rates.test_coin import contests

ITC = q.Setting("itc")


@pytest.fixture
def named(asked):
    table = q.runs(asked).set_index("run_id")
    return table.loc[ONE, "model"], table.loc[TWO, "model"], table.loc[ONE, "benchmark_name"]


def test_the_numbers_are_those_of_the_paired_tests(asked, named):
    found = two(asked, *named, kinds=("itc", "itc"))
    both = shared(asked, [Side(ONE, ITC), Side(TWO, ITC)])
    by = against(both, "subset").set_index("group")
    assert found["n"] == len(both)
    assert set(found["by"]) == set(by.index)
    for group, row in found["by"].items():
        assert row["gain"] == by.loc[group, "gain"]
        assert row["p"] == by.loc[group, "p"]
        assert row["holm"] == by.loc[group, "holm"]
    assert found["overall"]["only_a"] + found["overall"]["only_b"] == int(
        (both.correct[:, 0] != both.correct[:, 1]).sum()
    )


def test_reasons_that_changed_are_counted_item_by_item(asked, named):
    found = two(asked, *named, kinds=("itc", "itc"))["reasons"]
    words = []
    for run in (ONE, TWO):
        rows = q.outcomes(asked, run, ITC)
        words.append(rows[rows["reason"] != ""].drop_duplicates("item_id").set_index("item_id")["reason"].to_dict())
    shared_items = set(shared(asked, [Side(ONE, ITC), Side(TWO, ITC)]).frame["item_id"])
    both = shared_items & set(words[0]) & set(words[1])
    known = {item for item in both if "uncertain" not in (words[0][item], words[1][item])}
    assert found["uncertain"] == len(both) - len(known) > 0
    moved = [item for item in known if words[0][item] != words[1][item]]
    assert (found["known"], found["changed"]) == (len(known), len(moved))
    assert sum(row["n"] for row in found["table"]) == len(moved)
    for row in found["table"]:
        assert {words[0][item] for item in row["items"]} == {row["from"]}


def test_what_cannot_be_compared_is_said(asked, named):
    a, b, benchmark = named
    with pytest.raises(UsageError, match="--by colour"):
        two(asked, a, b, benchmark, by="colour")
    with pytest.raises(UsageError, match="the same run"):
        two(asked, a, a, benchmark)


def test_a_side_that_was_asked_in_several_orders_is_said_to_be_judged_more_strictly(flipside_cache):
    """Failed before: a rate of "right in every order" stood beside one of a single answer without a word."""
    items = writer.items()
    for digit, orders in (("1", ()), ("2", ("ab", "ba")), ("3", ("ab", "ba"))):
        folder = writer.write_run(flipside_cache, items, digit * 16, [], model=f"predictions:{digit}")
        for part in ("verdict", *(f"verdict@{order}" for order in orders)):
            writer.add_part(folder, part, contests(items, 0.0 if part == "verdict@ba" and digit == "2" else 1.0))
    writer.write_run(flipside_cache, items, "4" * 16, ["itc"], model="fake:scores")
    store = open_store(follow=False, wait=True)
    (said,) = two(store, "fake:scores", "predictions:2", "toy")["notes"]
    assert "predictions:2 was asked in several orders and is compared by being right in every one" in said
    assert said.endswith("in the mean of the orders 50.0 % are right.")
    assert two(store, "predictions:2", "predictions:3", "toy")["notes"] == [], "both were: their rates are alike"
    with pytest.raises(UsageError, match="compare in nothing"):
        two(store, "predictions:1", "predictions:2", "toy")


def test_a_metric_that_judges_no_item_is_named_as_that(flipside_cache):
    """They were said to have no verdict in common, while both had judged every item."""
    choices.write(flipside_cache)
    store = open_store(follow=False, wait=True)
    with pytest.raises(UsageError) as said:
        two(store, choices.TWICE, choices.HALF, "toy", metric="accuracy_mean_of_orders")
    assert "it is no verdict on an item, so there are none to be paired" in str(said.value)
    asks = f"table --models {choices.TWICE},{choices.HALF} --benchmarks toy --metrics accuracy_mean_of_orders"
    assert asks in str(said.value)
    with pytest.raises(UsageError, match="`flipside report` has each model's own"):
        two(store, choices.TWICE, choices.HALF, "toy", metric="pc")
    with pytest.raises(UsageError, match="have no verdict in common on toy"):
        two(store, choices.TWICE, choices.HALF, "toy", metric="group_score")


def versions(root):
    """`fake:a` on both versions of a benchmark, the newer one last; `fake:b` on the older one alone."""
    old, new = writer.items(12), writer.items(14)
    writer.write_run(root, old, "1" * 16, ["itc"], model="fake:a", skill=1.0)
    writer.write_run(root, old, "2" * 16, ["itc"], model="fake:b", skill=3.0)
    writer.write_run(root, new, "3" * 16, ["itc"], model="fake:a", skill=1.0, updated="2027-01-01T00:00:00+00:00")
    return open_store(follow=False, wait=True)


@pytest.mark.parametrize(("a", "b"), [("fake:a", "fake:b"), ("fake:b", "fake:a")])
def test_of_several_versions_that_is_taken_which_both_were_scored_on(flipside_cache, a, b):
    """Failed before: it was refused, "score both on one of them", while both were."""
    found = two(versions(flipside_cache), a, b, "toy")
    assert {found["a"]["run"], found["b"]["run"]} == {"1" * 16, "2" * 16}
    assert any("the version that both were scored on" in note for note in found["notes"])


def test_a_run_that_was_named_is_not_exchanged_for_another(flipside_cache):
    with pytest.raises(UsageError, match="other items under the same name"):
        two(versions(flipside_cache), "fake:a", "fake:b", "toy", runs=("3" * 16, None))
