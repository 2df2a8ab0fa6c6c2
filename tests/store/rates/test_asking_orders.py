"""Choices asked in several orders: which rule a single verdict follows, whether it has a margin, who was asked less."""

import json

import numpy as np
import pandas as pd
import pytest

from backend.errors import UsageError
from backend.store.build.reader import open_store
from backend.store.compare.compare import Side, shared
from backend.store.compare.two import two
from backend.store.failures.failures import FailureFilter, failures
from backend.store.failures.order import by_margins
from backend.store.items.cards import card_items
from backend.store.items.detail import item
from backend.store.queries import Setting
from backend.store.rates import asking_orders
from tests.store import writer

VERDICT = "verdict"
ONCE, TWICE = "1" * 16, "2" * 16
CHOICES = [item for item in writer.items() if item.protocol == "choice"]


def contests(won):
    """won: the share of each choice's contests that its true text won, in their order; None: it was not asked."""
    numbers = [number for number, each in enumerate(writer.items()) if each.protocol == "choice"]
    return [
        (number, 0, 0, text, -1, share, -1)
        for number, share in zip(numbers, won, strict=True)
        if share is not None
        for text in range(1, len(writer.items()[number].texts))
    ]


@pytest.fixture
def store(flipside_cache):
    """Two runs: one that answered each choice once, all wrong; one that was asked in two orders, of which the second
    leaves the last choice out. Of the others the first is right in both, the second in one, the rest in none."""
    n = len(CHOICES)
    first, second = [1.0, 1.0] + [0.0] * (n - 2), [1.0, 0.0] + [0.0] * (n - 2)
    second[-1] = None
    once = writer.write_run(flipside_cache, writer.items(), ONCE, [], model="predictions:once")
    writer.add_part(once, VERDICT, contests([0.0] * n))
    twice = writer.write_run(flipside_cache, writer.items(), TWICE, [], model="predictions:twice")
    merged = [0.5 if b is not None and a != b else a for a, b in zip(first, second, strict=True)]
    for part, won in ((VERDICT, merged), (f"{VERDICT}@ab", first), (f"{VERDICT}@ba", second)):
        writer.add_part(twice, part, contests(won))
    return open_store(follow=False, wait=True)


def test_the_rule_is_that_of_several_answers_alone(store):
    assert asking_orders.strict(store, TWICE, VERDICT) == "right only in every order of asking"
    assert asking_orders.strict(store, ONCE, VERDICT) == asking_orders.strict(store, TWICE, "itc") == ""
    assert [asking_orders.has_margins(store, run, VERDICT) for run in (ONCE, TWICE)] == [False, True]


def test_who_was_asked_in_fewer_orders_is_counted(store):
    told = asking_orders.told(store, TWICE, VERDICT)
    assert (told.in_fewer, told.rate.n, told.disagreements) == (1, len(CHOICES), 1)
    every = asking_orders.orders(store, TWICE)["all"]
    assert (every["ab"]["n"], every["ba"]["n"]) == (len(CHOICES), len(CHOICES) - 1)
    assert (every["mean"]["n"], every["mean"]["in_fewer"]) == (len(CHOICES), 1)


def test_only_margins_of_verdicts_alone_are_left_out(store):
    frame = pd.DataFrame({"run_id": [ONCE, TWICE, ONCE], "kind": [VERDICT, VERDICT, "itc"], "margin": [1.0, 0.0, 0.2]})
    assert asking_orders.with_margins(store, frame)["margin"].to_numpy() == pytest.approx([np.nan, 0, 0.2], nan_ok=True)


def test_an_item_and_its_card_show_no_margin_of_verdicts_alone(store):
    benchmark, name = store.run(ONCE).benchmark, CHOICES[1].item_id
    for detail in (item(store, benchmark, name), card_items(store, benchmark, [name])[name]):
        own = detail.outcomes.set_index(["run_id", "metric"])["margin"]
        assert np.isnan(own[ONCE, "accuracy"])
        assert own[TWICE, "accuracy"] == 0.0, "one order each: undecided"


def test_a_list_is_ordered_by_margins_only_where_there_are_any(store):
    """Of several orders a choice that was right in one stands after those that were right in none."""
    once, twice = (FailureFilter(run, Setting(VERDICT)) for run in (ONCE, TWICE))
    assert (by_margins(store, once), by_margins(store, twice)) == (False, True)
    rows = failures(store, once).rows
    assert list(rows["item_id"]) == [each.item_id for each in CHOICES]
    assert rows["margin"].isna().all()
    rows = failures(store, twice).rows
    assert list(rows["margin"]) == sorted(rows["margin"])
    assert rows["item_id"].iloc[-1] == CHOICES[1].item_id


def test_a_gap_to_verdicts_alone_is_no_order(store):
    gap = FailureFilter(
        TWICE, Setting(VERDICT), correct=None, sort="gap", other_run=ONCE, other_setting=Setting(VERDICT)
    )
    assert not by_margins(store, gap)
    rows = failures(store, gap).rows
    assert rows["other_margin"].isna().all()
    assert rows["margin"].notna().all()
    assert list(rows["item_id"]) == [each.item_id for each in CHOICES]


def test_one_answer_compares_with_no_rule_of_several(store):
    """By being right in every order the system that gave the other's very answers, and more, lost to it."""
    sides = [(ONCE, VERDICT), (TWICE, VERDICT)]
    assert asking_orders.asked_once(store, sides) == [0]
    assert asking_orders.asked_once(store, sides[:1] * 2) == asking_orders.asked_once(store, sides[1:] * 2) == []
    assert asking_orders.asked_once(store, [(ONCE, VERDICT), (TWICE, "itc")]) == []
    both = shared(store, [Side(run, Setting(kind)) for run, kind in sides])
    assert (len(both), both.judged) == (0, (0, len(CHOICES)))
    for pair in (("predictions:once", "predictions:twice"), ("predictions:twice", "predictions:once")):
        with pytest.raises(UsageError, match="predictions:once does not compare with predictions:twice: it was asked"):
            two(store, *pair, "toy")


def test_a_server_s_choices_are_right_in_every_order_too(store, flipside_cache):
    folder = writer.write_run(flipside_cache, writer.items(), "3" * 16, [], model="endpoint:x")
    record = json.loads((folder / "run.json").read_text())
    record["model"]["family"] = "endpoint"
    (folder / "run.json").write_text(json.dumps(record))
    writer.add_part(folder, VERDICT, contests([0.5] * len(CHOICES)))
    store = open_store(follow=False, wait=True)
    assert asking_orders.strict(store, "3" * 16, VERDICT)
    assert asking_orders.has_margins(store, "3" * 16, VERDICT)
    assert asking_orders.asked_once(store, [("3" * 16, VERDICT), (TWICE, VERDICT)]) == []
