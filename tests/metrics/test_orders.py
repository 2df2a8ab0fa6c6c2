"""The mean over orders of asking, against the definition."""

import numpy as np
import pytest

from backend.metrics.contests import mean_of_orders


def test_each_order_weighs_the_same_however_many_it_asked():
    right = np.array([[1.0, 0.0], [0.0, np.nan], [1.0, np.nan], [np.nan, np.nan]])
    found = mean_of_orders(right)
    assert found.value == pytest.approx((2 / 3 + 0) / 2)
    assert (found.n, found.ties) == (3, 0)


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
