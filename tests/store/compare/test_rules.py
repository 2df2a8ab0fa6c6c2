"""Sides that follow different rules: what chance alone reaches by each, and the mean of the orders."""

import numpy as np
import pandas as pd
import pytest

from backend.items import Protocol
from backend.metrics.contests import mean_of_orders
from backend.store.build.reader import open_store
from backend.store.compare import rules
from backend.store.compare.compare import Side, shared
from backend.store.queries import Setting
from tests.store import writer

VERDICT = "verdict"
ITEMS = writer.items()
CHOICES = [number for number, item in enumerate(ITEMS) if item.protocol == Protocol.CHOICE]
TWICE, SCORED, AGAIN = (Side(of * 16, Setting(kind)) for of, kind in (("2", VERDICT), ("1", "itc"), ("3", VERDICT)))


def contests(right):
    return [
        (number, 0, 0, text, -1, float(each), -1)
        for number, each in zip(CHOICES, right, strict=True)
        for text in range(1, len(ITEMS[number].texts))
    ]


@pytest.fixture
def store(flipside_cache):
    """TWICE and AGAIN chose in two orders: the first always right, the second never, or every second time."""
    writer.write_run(flipside_cache, ITEMS, SCORED.run_id, ["itc"], model="predictions:scored")
    for side, second in ((TWICE, [0] * len(CHOICES)), (AGAIN, np.arange(len(CHOICES)) % 2)):
        folder = writer.write_run(flipside_cache, ITEMS, side.run_id, [], model=f"predictions:{side.run_id}")
        writer.add_part(folder, VERDICT, contests([0.5 if not each else 1.0 for each in second]))
        writer.add_part(folder, f"{VERDICT}@ab", contests([1.0] * len(CHOICES)))
        writer.add_part(folder, f"{VERDICT}@ba", contests(second))
    return open_store(follow=False, wait=True)


def test_chance_is_told_only_of_sides_that_follow_different_rules(store):
    assert rules.rules(store, [TWICE, SCORED]) == ("right only in every order of asking", "")
    alike = shared(store, [TWICE, AGAIN])
    assert rules.chances(store, [TWICE, AGAIN], alike) is None
    found = shared(store, [TWICE, SCORED])
    captions = [len(ITEMS[number].texts) for number in found.frame["item_no"]]
    assert set(captions) == {2, 3}
    assert rules.chances(store, [TWICE, SCORED], found) is None, "of three it depends on how they were asked about"
    pairs = found.only(np.array(captions) == 2)
    assert rules.chances(store, [TWICE, SCORED], pairs) == (0.25, 0.5)
    assert rules.chances(store, [SCORED, TWICE], pairs, "subsets") == (0.5, 0.25)


def test_the_mean_of_the_orders_is_that_of_each_group(store):
    found = shared(store, [AGAIN, SCORED])
    assert rules.means(store, SCORED, found, "subset") == {}
    every = rules.means(store, AGAIN, found, "")[""]
    right = np.stack([np.ones(len(CHOICES)), np.arange(len(CHOICES)) % 2], axis=1)
    assert (every.value, every.n) == (pytest.approx(right.mean()), len(CHOICES))
    by = rules.means(store, AGAIN, found, "subset")
    subsets = [ITEMS[number].subset for number in CHOICES]
    assert {name: rate.value for name, rate in by.items()} == pytest.approx(
        pd.Series(right.mean(axis=1)).groupby(subsets).mean().to_dict()
    )


def test_subsets_that_weigh_the_same_have_the_mean_of_their_own_means():
    """Also of items that were asked in one order alone: each subset's mean is of its items' shares of orders right."""
    right = np.array([[1, 0], [1, 1], [0, np.nan], [0, 0], [1, 1], [1, 0]])
    subsets = np.array(["large"] * 4 + ["small"] * 2)
    own = [mean_of_orders(right[subsets == name]).value for name in ("large", "small")]
    found = mean_of_orders(right, np.arange(6), subsets)
    assert (found.value, found.n) == (pytest.approx(np.mean(own)), 6)
    assert found.value != pytest.approx(mean_of_orders(right).value)
    low, high = found.ci95
    assert low < found.value < high
    one, plain = mean_of_orders(right, None, ["one"] * 6), mean_of_orders(right)
    assert (one.value, one.n, one.ci95) == (pytest.approx(plain.value), plain.n, pytest.approx(plain.ci95))


def test_two_rules_compare_by_one_that_asks_the_same_of_both(store):
    """A system right in one of two orders each time "lost" to a coin by 25 points, p < .001, for it was asked twice."""
    found = shared(store, [SCORED, AGAIN])
    assert rules.even(store, [SCORED, AGAIN], found, 1) is None, "of three captions an order is no coin"
    pairs = found.only(np.array([len(ITEMS[number].texts) for number in found.frame["item_no"]]) == 2)
    told = rules.even(store, [SCORED, AGAIN], pairs, 1)
    at = [CHOICES.index(number) for number in pairs.frame["item_no"]]
    shares = (1 + np.arange(len(CHOICES)) % 2)[at] / 2
    assert told.n == len(pairs)
    assert told.difference == pytest.approx(np.mean(shares - pairs.correct[:, 0]))
    back = rules.even(store, [AGAIN, SCORED], shared(store, [AGAIN, SCORED]).only(_pairs(store, AGAIN, SCORED)), 1)
    assert back.difference == pytest.approx(-told.difference)
    assert back.p == pytest.approx(told.p)


def _pairs(store, *sides):
    frame = shared(store, sides).frame
    return np.array([len(ITEMS[number].texts) for number in frame["item_no"]]) == 2


def test_sides_of_one_rule_need_no_other(store):
    both = shared(store, [TWICE, AGAIN]).only(_pairs(store, TWICE, AGAIN))
    assert rules.even(store, [TWICE, AGAIN], both, 1) is None


@pytest.mark.slow
def test_coins_of_two_orders_and_of_one_are_told_apart_by_chance_alone():
    """Of 400 pairs of coins on 200 items, one asked twice, the other once: 5 % at p ≤ .05, within what 400 can tell; by
    two rules nearly all differed."""
    from backend.metrics.paired.orders import of_orders
    from backend.metrics.paired.signflip import sign_flip

    random = np.random.default_rng(0)
    even, strict = 0, 0
    for _ in range(400):
        once, twice = random.random((200, 1)) < 0.5, random.random((200, 2)) < 0.5
        even += of_orders(once.astype(float), twice.astype(float)).p <= 0.05
        strict += sign_flip((twice.all(axis=1).astype(int) - once[:, 0]), np.arange(200)) <= 0.05
    assert 6 <= even <= 34
    assert strict > 390
