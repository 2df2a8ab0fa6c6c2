"""`flipside add-predictions`: answers in orders and without, added in any sequence of calls, come to the same."""

import csv

import pytest

from tests.verbs.adding import file

#: Item -> whether it was right, in each order; "" for answers that name none.
ANSWERS = {
    "a": {1: 1, 2: 1, 4: 0}, "b": {1: 1, 2: 0}, "c": {1: 0, 4: 1}, "": {1: 0, 2: 0, 3: 1, 4: 0},
}  # fmt: skip
SEQUENCES = [
    ["a", "", "b"], ["", "a", "b"], ["a", "b", ""], ["a,", "b"], ["", "a,b"], ["b", "a,"], ["a", "", "a", "b"],
    ["b", "", "", "a"],
]  # fmt: skip
THREE = [["a", "b", "c", ""], ["", "c", "b", "a"], ["c", "", "a,b"], ["a,", "c", "b"]]


def added(add, own, steps, name):
    for number, step in enumerate(steps):
        rows = [f"{item},{right},{order}\n" for order in step.split(",") for item, right in ANSWERS[order].items()]
        # Item 3 has two foils, 4 has no answer in b: what is not complete or not asked says so, and is no matter here.
        said = add(file(own.parent, f"{name}{number}.csv", f"item_id,correct,order\n{''.join(rows)}"), name=name)
        assert said.json["matched"] == len(rows), said.err
    return said.json


def reported(flipside, name):
    found = flipside("report", "--model", f"predictions:{name}", "--benchmark", "custom:set", "--json").json
    return found["metrics"], found["orders"]


@pytest.mark.slow
@pytest.mark.parametrize(("orders", "steps"), [*(("a,b,", s) for s in SEQUENCES), *(("a,b,c,", s) for s in THREE)])
def test_a_sequence_of_calls_is_one_call_with_all(add, own, flipside, orders, steps):
    """An order that was added before or after answers without one was gone with the next call, and nothing said so."""
    one, several = added(add, own, [orders], "one"), added(add, own, steps, "two")
    assert one["parts"] == several["parts"]
    (metrics, every), (metrics_, every_) = reported(flipside, "one"), reported(flipside, "two")
    assert metrics == metrics_
    assert every == every_
    assert set(every["all"]) == {*orders.split(","), "mean"} - {""}
    assert every["all"]["a"] == {"value": pytest.approx(2 / 3), "n": 3, "neither": 0}
    assert every["all"]["mean"]["without_order"] == 1, "item 3 was never asked in an order that has a name"


@pytest.mark.slow
def test_replace_leaves_out_all_that_was_before(add, own, flipside):
    added(add, own, ["a", "", "b"], "sys")
    add(file(own.parent, "c.csv", "item_id,correct,order\n1,1,c\n"), name="sys", replace=True)
    found = add(file(own.parent, "d.csv", "item_id,correct,order\n1,0,d\n"), name="sys").json
    assert set(found["parts"]) == {"verdict", "verdict@c", "verdict@d"}


@pytest.mark.slow
def test_one_order_beside_answers_without_one_is_no_mean(add, own, flipside):
    added(add, own, ["a", ""], "sys")
    found = flipside("report", "--model", "predictions:sys", "--benchmark", "custom:set", "--json").json
    assert "orders" not in found
    assert "accuracy_mean_of_orders" not in found["metrics"]
    assert found["metrics"]["accuracy"]["n"] == 4


@pytest.mark.slow
@pytest.mark.parametrize("steps", [["a"], ["a", ""], ["a", "b"], ["a,b,"]])
def test_an_export_has_each_order_and_joins_rightly(add, own, flipside, steps):
    """Of one order the name was lost, so that another order, added to the export, had none to be joined to."""
    added(add, own, steps, "sys")
    out = own.parent / "scores.csv"
    flipside("export", "--model", "predictions:sys", "--benchmark", "custom:set", "--what", "scores", "--out", out)
    kinds = {row["kind"] for row in csv.DictReader(out.read_text().splitlines())}
    asked = {f"verdict@{order}" for step in steps for order in step.split(",") if order}
    assert kinds == (asked if steps == ["a"] else asked | {"verdict"})
    again = add(out, name="again")
    assert again.code == 0, again.err
    first, second = added(add, own, ["c"], "sys"), added(add, own, ["c"], "again")
    assert first["parts"] == second["parts"]
    assert reported(flipside, "sys") == reported(flipside, "again")
