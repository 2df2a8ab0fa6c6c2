"""The chance level of what was asked in several orders is a coin's."""

import json

import pytest

from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.report.report import report
from tests.store import writer

VERDICT = q.Setting("verdict")


def contests(items, value=1.0):
    """A row for each contest of a choice: (item, image, false text, true text, sample, share of orders won, tokens)."""
    return [
        (number, 0, 0, text, -1, value, -1)
        for number, item in enumerate(items)
        if item.protocol == "choice"
        for text in range(1, len(item.texts))
    ]


def levels(root, family, orders, subset="choice", pairs=False):
    items = [item for item in writer.items() if not pairs or item.protocol != "choice" or len(item.texts) == 2]
    folder = writer.write_run(root, items, "9" * 16, [], model=f"{family}:x")
    record = json.loads((folder / "run.json").read_text())
    record["model"]["family"] = family
    (folder / "run.json").write_text(json.dumps(record))
    for part in ("verdict", *(f"verdict@{order}" for order in orders)):
        writer.add_part(folder, part, contests(items))
    store = open_store(follow=False, wait=True)
    found = q.rates(store, "9" * 16, VERDICT).set_index("metric")
    told = report(store, f"{family}:x", "toy", kind="verdict", run="9" * 16)["metrics"]
    return found["chance"], told


def test_pairs_in_two_orders_are_right_a_quarter_of_the_time(flipside_cache):
    level, told = levels(flipside_cache, "predictions", ("ab", "ba"), pairs=True)
    assert (level["accuracy"], told["accuracy"]["chance"]) == (0.25, 0.25)
    assert level["accuracy_mean_of_orders"] == 0.5, "in each order a coin is right half the time"
    for metric in ("accuracy", "accuracy_mean_of_orders"):
        assert "chance_reason" not in told[metric], "the reason why none is given stood beside the one that is"


def test_of_more_captions_the_level_depends_on_how_they_were_put(flipside_cache):
    level, told = levels(flipside_cache, "predictions", ("ab", "ba"))
    assert told["accuracy"]["chance"] is None is not told["accuracy"]["chance_reason"]
    assert level.isna()[["accuracy", "accuracy_mean_of_orders"]].all()


def test_a_server_is_asked_every_contest_in_both_orders(flipside_cache):
    level, _ = levels(flipside_cache, "endpoint", ())
    assert level["accuracy"] == pytest.approx((1 / 4 + 1 / 16) / 2)


def test_one_order_keeps_the_level_of_one_answer(flipside_cache):
    level, _ = levels(flipside_cache, "predictions", ())
    assert level["accuracy"] == pytest.approx((1 / 2 + 1 / 3) / 2)
