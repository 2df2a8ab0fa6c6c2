"""Shares of the orders of asking, tested in pairs: against all sign assignments, and against simulation."""

from itertools import product

import numpy as np
import pytest

from backend.metrics.paired.orders import of_orders
from backend.metrics.paired.signflip import sign_flip

NAN = float("nan")


def made(seed: int, n: int = 14) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Answers of two systems in two orders and in three, some not asked; nine images."""
    rng = np.random.default_rng(seed)
    a = rng.choice([0.0, 1.0], (n, 2))
    b = np.where(rng.random((n, 3)) < 0.2, NAN, rng.choice([0.0, 1.0, 1.0], (n, 3)))
    return a, b, rng.integers(0, 9, n)


@pytest.mark.parametrize("seed", range(6))
def test_p_is_the_share_of_all_sign_assignments_that_reach_what_is_seen(seed):
    a, b, images = made(seed)
    keep = ~np.isnan(b).all(axis=1)
    gaps = np.nanmean(b[keep], axis=1) - a[keep].mean(axis=1)
    sums = [gaps[images[keep] == image].sum() for image in np.unique(images[keep])]
    every = [abs(np.dot(signs, sums)) for signs in product((-1, 1), repeat=len(sums))]
    found = of_orders(a, b, images)
    assert found.n == keep.sum()
    assert found.difference == pytest.approx(gaps.mean())
    assert found.p == pytest.approx(np.mean(np.array(every) >= abs(sum(sums)) - 1e-9))
    other = of_orders(b, a, images)
    assert (other.difference, other.p) == (pytest.approx(-found.difference), found.p)


def test_of_one_order_it_is_the_test_of_verdicts():
    rng = np.random.default_rng(0)
    a, b, images = (rng.integers(0, size, 50) for size in (2, 2, 30))
    assert of_orders(a[:, None], b[:, None], images).p == sign_flip(b - a, images)


def test_without_items_there_is_nothing_and_without_a_difference_no_p_below_one():
    assert of_orders(np.zeros((0, 2)), np.zeros((0, 1))).p is None
    assert of_orders([[1, NAN]], [[NAN, NAN]]).n == 0
    same = of_orders([[1, 0]], [[0, 1]])
    assert (same.difference, same.p, same.n) == (0.0, 1.0, 1)


@pytest.mark.parametrize("skill", [0.3, 0.9])
def test_who_is_asked_more_often_is_not_worse_for_it(skill):
    """By being right in every order it is: with as much skill the one asked once is right more often."""
    rng = np.random.default_rng(1)
    p = [of_orders(rng.random((200, 1)) < skill, rng.random((200, 3)) < skill).p for _ in range(400)]
    assert 0.02 < np.mean(np.array(p) <= 0.05) < 0.085
