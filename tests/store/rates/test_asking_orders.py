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


def test_only_items_that_were_asked_in_as_many_orders_compare(store):
    """By being right in every order the system that gave the other's very answers, and more, lost to it."""
    sides = [(ONCE, VERDICT), (TWICE, VERDICT)]
    numbers = np.array([number for number, each in enumerate(writer.items()) if each.protocol == "choice"])
    assert asking_orders.times(store, TWICE, numbers).tolist() == [2] * (len(CHOICES) - 1) + [1]
    assert asking_orders.alike(store, sides, numbers).tolist() == [False] * (len(CHOICES) - 1) + [True]
    for same in (sides[:1] * 2, sides[1:] * 2, [(ONCE, VERDICT), (TWICE, "itc")]):
        assert asking_orders.alike(store, same, numbers).all()
    both = shared(store, [Side(run, Setting(kind)) for run, kind in sides])
    assert (len(both), both.unlike, both.judged) == (1, len(CHOICES) - 1, (len(CHOICES), len(CHOICES)))
    said = two(store, "predictions:once", "predictions:twice", "toy")
    assert said["n"] == 1
    assert any(
        note.startswith(f"Not compared: {len(CHOICES) - 1} verdicts, asked in different") for note in said["notes"]
    )


def test_where_nothing_was_asked_alike_nothing_compares(store, flipside_cache):
    n = len(CHOICES)
    twice = writer.write_run(flipside_cache, writer.items(), "4" * 16, [], model="predictions:whole")
    for part in (VERDICT, f"{VERDICT}@ab", f"{VERDICT}@ba"):
        writer.add_part(twice, part, contests([1.0] * n))
    store = open_store(follow=False, wait=True)
    for pair in (("predictions:once", "predictions:whole"), ("predictions:whole", "predictions:once")):
        with pytest.raises(UsageError, match="compare in nothing: all items that both judged were asked in different"):
            two(store, *pair, "toy")


def test_each_item_asked_once_in_an_order_of_its_own_follows_no_rule(store, flipside_cache):
    n = len(CHOICES)
    apart = writer.write_run(flipside_cache, writer.items(), "5" * 16, [], model="predictions:apart")
    writer.add_part(apart, VERDICT, contests([1.0] * n))
    writer.add_part(apart, f"{VERDICT}@ab", contests([1.0] * 2 + [None] * (n - 2)))
    writer.add_part(apart, f"{VERDICT}@ba", contests([None] * 2 + [1.0] * (n - 2)))
    store = open_store(follow=False, wait=True)
    assert asking_orders.strict(store, "5" * 16, VERDICT) == ""
    assert not asking_orders.has_margins(store, "5" * 16, VERDICT)
    assert len(shared(store, [Side(ONCE, Setting(VERDICT)), Side("5" * 16, Setting(VERDICT))])) == n


def test_a_foil_that_was_chosen_is_an_answer(store, flipside_cache):
    """Between the truth and a foil that was not chosen, either, nothing is decided: that is no “neither”."""
    items = writer.items()
    number = next(k for k, each in enumerate(items) if each.protocol == "choice" and len(each.texts) > 2)
    folder = writer.write_run(flipside_cache, items, "6" * 16, [], model="predictions:foils")
    rows = [(number, 0, 0, text, -1, 0.0 if text == 1 else 0.5, -1) for text in range(1, len(items[number].texts))]
    none = [(*row[:5], 0.5, -1) for row in rows]
    for part, held in ((VERDICT, rows), (f"{VERDICT}@ab", rows), (f"{VERDICT}@ba", none)):
        writer.add_part(folder, part, held)
    every = asking_orders.orders(open_store(follow=False, wait=True), "6" * 16)["all"]
    assert (every["ab"]["neither"], every["ba"]["neither"], every["mean"]["neither"]) == (0, 1, 1)


def test_a_server_s_choices_are_right_in_every_order_too(store, flipside_cache):
    folder = writer.write_run(flipside_cache, writer.items(), "3" * 16, [], model="endpoint:x")
    record = json.loads((folder / "run.json").read_text())
    record["model"]["family"] = "endpoint"
    (folder / "run.json").write_text(json.dumps(record))
    writer.add_part(folder, VERDICT, contests([0.5] * len(CHOICES)))
    store = open_store(follow=False, wait=True)
    assert asking_orders.strict(store, "3" * 16, VERDICT)
    assert asking_orders.has_margins(store, "3" * 16, VERDICT)
    assert asking_orders.times(store, "3" * 16, np.array([0, 1])).tolist() == [2, 2]
