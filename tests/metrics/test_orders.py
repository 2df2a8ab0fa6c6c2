"""The mean over orders of asking, against the definition."""

from statistics import NormalDist

import numpy as np
import pytest

from backend.metrics.contests import mean_of_orders


def test_each_item_weighs_the_same_however_many_orders_it_was_asked_in():
    right = np.array([[1.0, 0.0], [0.0, np.nan], [1.0, np.nan], [np.nan, np.nan]])
    found = mean_of_orders(right)
    assert found.value == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert (found.n, found.ties) == (3, 0)


def test_it_is_the_mean_of_the_orders_rates_where_every_item_was_asked_in_every_order():
    right = np.random.default_rng(2).random((50, 3)) < 0.6
    assert mean_of_orders(right).value == pytest.approx(right.mean(axis=0).mean())


def test_a_few_answers_in_one_order_more_change_little():
    """Four wrong ones had the weight of a whole order: 68 % became 45 %."""
    right = np.full((180, 3), np.nan)
    right[:, :2] = np.random.default_rng(3).random((180, 2)) < 0.7
    before = mean_of_orders(right[:, :2])
    right[:4, 2] = 0.0
    after = mean_of_orders(right)
    assert abs(after.value - before.value) < 0.01
    assert after.ci95[1] - after.ci95[0] == pytest.approx(before.ci95[1] - before.ci95[0], rel=0.1)


@pytest.mark.parametrize("clustered", [False, True])
def test_the_interval_covers_where_items_were_asked_in_other_numbers_of_orders(clustered):
    """Half of the items in two orders that differ by 20 points, half in one; images of four items."""
    rng, n = np.random.default_rng(4), 120
    twice, images = np.arange(n) % 2 == 0, np.repeat(np.arange(n // 4), 4)
    truth = np.mean([(0.8 + 0.6) / 2, 0.8])
    held = []
    for _ in range(600):
        hard = rng.normal(0, 1, n // 4)[images] if clustered else np.zeros(n)
        # The same shift of both thresholds for all items of an image keeps the rates that the truth is made of.
        level = np.array([NormalDist().inv_cdf(p) for p in (0.8, 0.6)]) * np.sqrt(1 + clustered)
        right = (rng.normal(0, 1, (n, 2)) < level + hard[:, None]).astype(float)
        right[~twice, 1] = np.nan
        low, high = mean_of_orders(right, images if clustered else None).ci95
        held.append(low <= truth <= high)
    assert np.mean(held) >= 0.93


def test_the_interval_covers_the_truth_and_widens_with_clusters():
    rng = np.random.default_rng(1)
    images = np.repeat(np.arange(100), 4)
    right = np.repeat(rng.random((100, 2)) < 0.7, 4, axis=0).astype(float)
    alone, together = mean_of_orders(right), mean_of_orders(right, images)
    assert alone.value == together.value == pytest.approx(right.mean())
    assert together.ci95[0] < alone.ci95[0] < alone.value < alone.ci95[1] < together.ci95[1]


def test_without_any_spread_the_interval_is_wilson_s():
    assert mean_of_orders(np.ones((10, 2))).ci95 == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert mean_of_orders(np.zeros((0, 2))).value is None
    asked_less = np.ones((10, 2))
    asked_less[0, 1] = np.nan  # all are right, and one was asked in one order only
    for right, end in ((asked_less, 1.0), (asked_less - 1, 0.0)):
        low, high = mean_of_orders(right).ci95
        assert end in (low, high)
        assert high - low == pytest.approx(0.28, abs=0.01)
    assert mean_of_orders([[1.0, 0.0]]).ci95 is None
