"""`flipside add-predictions`: choices that were asked in several orders of the captions."""

import pytest

from tests.verbs.adding import file

#: Right positive-first, right negative-first, and records: counted in the original files. swap_obj is apart, for the
#: benchmark lacks its record "108".
GPT4V = {
    "add_att": (604, 666, 692), "add_obj": (1859, 1918, 2062), "replace_att": (734, 740, 788),
    "replace_obj": (1578, 1604, 1652), "replace_rel": (1240, 1298, 1406), "swap_att": (607, 593, 666),
}  # fmt: skip


@pytest.mark.slow
def test_an_order_that_is_added_later_joins_the_first(add, own, accuracy, flipside):
    for order, right in (("first", "1"), ("second", "0")):
        add(file(own.parent, f"{order}.csv", f"item_id,correct,order\n1,1,{order}\n2,{right},{order}\n"))
    found = flipside("report", "--model", "predictions:sys", "--benchmark", "custom:set", "--json").json
    assert accuracy() == (0.5, 2, 0)
    assert found["metrics"]["accuracy"]["disagreements"] == 1
    assert found["orders"]["all"] == {
        "first": {"value": 1.0, "n": 2, "neither": 0},
        "second": {"value": 0.5, "n": 2, "neither": 0},
        "mean": {"value": 0.75, "n": 2, "in_fewer": 0, "disagreements": 1, "neither": 0, "without_order": 0},
    }


@pytest.mark.slow
def test_orders_that_are_wrong_in_different_ways_disagree(add, own, flipside):
    """A foil in one order and neither in the other: both are wrong, and the answers differ."""
    for order, chosen in (("first", "1"), ("second", "")):
        add(file(own.parent, f"{order}.csv", f"item_id,chosen,order\n1,0,{order}\n2,{chosen},{order}\n"))
    found = flipside("report", "--model", "predictions:sys", "--benchmark", "custom:set", "--json").json
    entry = found["metrics"]["accuracy"]
    assert (entry["value"], entry["disagreements"], entry["neither"], entry["ties"]) == (0.5, 1, 1, 0)
    assert found["orders"]["all"]["mean"]["disagreements"] == 1


@pytest.mark.slow
def test_orders_over_different_items_say_so(add, own, flipside):
    add(file(own.parent, "ab.csv", "item_id,correct,order\n1,1,ab\n2,0,ab\n4,1,ab\n"))
    add(file(own.parent, "ba.csv", "item_id,correct,order\n1,1,ba\n"))
    said = flipside("report", "--model", "predictions:sys", "--benchmark", "custom:set")
    (line,) = [each for each in said.out.splitlines() if each.split()[:1] == ["all"] and "(n 1)" in each]
    assert " ".join(line.split()) == "all 66.7 % (n 3) 100.0 % (n 1) 66.7 % 3"
    assert "2 items of 3 were not asked in every order" in said.out
    table = flipside("table", "--benchmarks", "custom:set", "--metrics", "accuracy,accuracy_mean_of_orders")
    assert "Right only in every order of asking: predictions:sys (accuracy)." in table.out


@pytest.mark.slow
def test_answers_without_an_order_are_not_lost_without_a_word(add, own, accuracy):
    """They were matched, said to have been here before, and in no rate."""
    for order in ("ab", "ba"):
        add(file(own.parent, f"{order}.csv", f"item_id,correct,order\n1,1,{order}\n2,0,{order}\n"))
    said = add(file(own.parent, "none.csv", "item_id,correct\n1,0\n2,1\n4,1\n"))
    assert "Answers without an order that say otherwise than those with one, and count in no rate: 2." in said.err
    assert "Answers without an order stand for their items, and count in no order and in no mean of the orders: 1." in (
        said.err
    )
    assert said.json["without_order"]
    assert "Up to 1 of 4 items have no prediction" in said.err, "each order has none of some, all together of one alone"
    assert accuracy() == (2 / 3, 3, 0)


@pytest.mark.slow
def test_answers_without_an_order_are_no_order_of_the_mean(add, own, accuracy, flipside):
    """Four answers without an order had a third of the weight in the mean, as an order of their own."""
    for order in ("ab", "ba"):
        add(file(own.parent, f"{order}.csv", f"item_id,correct,order\n1,1,{order}\n2,0,{order}\n"))
    add(file(own.parent, "none.csv", "item_id,correct\n4,1\n"))
    assert accuracy(metric="accuracy_mean_of_orders") == (0.5, 2, 0)
    said = flipside("report", "--model", "predictions:sys", "--benchmark", "custom:set")
    assert "1 item more was answered without an order: in accuracy, and in no order and no mean of them." in said.out
    assert "not asked in every order" not in said.out
    found = flipside("report", "--model", "predictions:sys", "--benchmark", "custom:set", "--json").json
    assert set(found["orders"]["all"]) == {"ab", "ba", "mean"}
    assert found["metrics"]["accuracy"]["chance"] == pytest.approx((1 / 4 + 1 / 4 + 1 / 2) / 3)


@pytest.mark.slow
def test_an_order_in_other_capitals_is_the_same_one(add, own, flipside):
    add(file(own.parent, "a.csv", "item_id,correct,order\n1,1,First\n2,0, first \n"))
    add(file(own.parent, "b.csv", "item_id,correct,order\n4,1,FIRST\n1,0,second\n"))
    found = flipside("report", "--model", "predictions:sys", "--benchmark", "custom:set", "--json").json
    assert {name: each["n"] for name, each in found["orders"]["all"].items()} == {"First": 3, "second": 1, "mean": 3}


def test_an_order_has_no_name_that_stands_for_all(add, own, flipside_cache):
    """Without the rows of one order, the others' would be all that the system was asked."""
    said = add(file(own.parent, "v.csv", "item_id,correct,order\n2,0,ab\n1,1,mean\n"))
    assert said.code == 2
    assert (
        "v.csv:3: no order of asking is called 'mean', for that is what all of them come to. Give it another name. "
        "Nothing was added." in said.err
    )
    assert not list((flipside_cache / "runs").glob("*"))


@pytest.mark.slow
def test_neither_counts_as_less_wrong_than_a_foil_and_never_as_right(add, own, flipside):
    """Right in one of two orders is undecided; neither and a foil are not, for no order chose the truth."""
    add(file(own.parent, "ab.csv", "item_id,chosen,order\n1,0,ab\n2,1,ab\n4,1,ab\n"))
    add(file(own.parent, "ba.csv", "item_id,chosen,order\n1,1,ba\n2,1,ba\n4,,ba\n"))
    found = flipside("failures", "--model", "predictions:sys", "--benchmark", "custom:set", "--json").json
    assert {item["item_id"]: item["margin"] for item in found["items"]} == {"set/2": -1, "set/4": -0.5, "set/1": 0}


@pytest.mark.long
@pytest.mark.parametrize(
    "orders",
    [
        pytest.param(["positive-first"], marks=pytest.mark.slow),
        pytest.param(["negative-first"], marks=pytest.mark.slow),
        ["positive-first", "negative-first"],
    ],
)
@pytest.mark.usefixtures("shipped_imported")
def test_gpt4v_on_sugarcrepe_as_its_authors_count_it(shared_data, flipside, orders):
    folders = [shared_data / "sugarcrepe-gpt4v" / order for order in orders]
    done = flipside("add-predictions", *folders, "--as", "gpt4v", "--benchmark", "sugarcrepe", "--data",
                    shared_data / "sugarcrepe", "--json").json  # fmt: skip
    assert done["matched"] == 7511 * len(orders)
    listed = {(entry["file"], entry["item"]): entry["reason"] for entry in done["unmatched"]}
    assert listed.pop(
        ("positive-first/gpt4v-swap_obj.json", "accuracy"), "is a value, no record of an answer"
    ).startswith("is a value")
    assert listed == {(f"{order}/gpt4v-swap_obj.json", "108"): "there is no item 'swap_obj/108'" for order in orders}
    found = flipside("report", "--model", "predictions:gpt4v", "--benchmark", "sugarcrepe", "--json").json
    for split, (positive, negative, n) in GPT4V.items():
        rates = {"positive-first": positive / n, "negative-first": negative / n}
        if len(orders) == 1:
            assert found["by"][split]["accuracy"]["value"] == pytest.approx(rates[orders[0]], abs=1e-12)
        else:
            asked = found["orders"]["by_subset"][split]
            assert {order: asked[order]["value"] for order in orders} == pytest.approx(rates)
            assert asked["mean"]["value"] == pytest.approx((positive + negative) / 2 / n)
            assert found["by"][split]["accuracy"]["value"] <= min(rates.values())
            assert found["by"][split]["accuracy_mean_of_orders"]["value"] == pytest.approx(
                (positive + negative) / 2 / n
            )
    if len(orders) == 2:
        the_mean_of_the_orders_heads_the_report(found)


def the_mean_of_the_orders_heads_the_report(found):
    """As the authors print it: 93.4, 86.6, 91.7, mean 91.0 (that with record 108, which is not here)."""
    own = {row["name"]: (row["metric"], row["value"]) for row in found["official"]}
    for name, printed in {"replace": 0.934, "swap": 0.866, "add": 0.917, "mean of the seven": 0.910}.items():
        assert own[name] == ("accuracy_mean_of_orders", pytest.approx(printed, abs=0.0006))
    assert next(iter(found["metrics"])) == "accuracy_mean_of_orders"
    mean, strict = (found["metrics"][name] for name in ("accuracy_mean_of_orders", "accuracy"))
    assert mean["chance"] == 0.5  # two captions, a coin in either order
    assert mean["ci95"][0] < mean["value"] < mean["ci95"][1]
    for entry in (mean, strict):
        assert (entry["disagreements"], entry["neither"], entry["ties"]) == (712, 279, 0)
        assert entry["within_noise"] is None
    assert strict["chance"] == 0.25
    assert strict["value"] == pytest.approx(6577 / 7511)
    assert found["orders"]["all"]["mean"]["disagreements"] == 712


@pytest.mark.slow
def test_gpt4vs_own_files_as_a_benchmark_have_all_246_items(shared_data, flipside):
    folder = shared_data / "sugarcrepe-gpt4v" / "positive-first"
    table = folder / "gpt4v-swap_obj.json"
    flipside("add-predictions", table, "--as", "g", "--benchmark", "custom", "--data", table, "--json")
    found = flipside("report", "--model", "predictions:g", "--benchmark", "custom:gpt4v-swap_obj", "--json").json
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(211 / 246)
