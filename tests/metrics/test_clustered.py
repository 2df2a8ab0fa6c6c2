"""Clusters of one size with as many hits are alike: counted once, with their number, they give each one's interval."""

import numpy as np
import pytest

from backend.metrics import clustered


def drawn(rng, c, n, p):
    """(values, index) of n verdicts in c clusters, some of which are large."""
    index = np.concatenate([np.arange(c), rng.integers(0, max(1, c // int(rng.integers(1, 6))), n - c)])
    return (rng.random(n) < p).astype(np.float64), index


@pytest.mark.parametrize("p", [0.0, 0.02, 0.4, 0.9, 1.0])
def test_counted_and_one_by_one_agree(p):
    rng = np.random.default_rng(int(100 * p))
    kinds = set()
    for _ in range(300):
        c = int(rng.integers(1, 60))
        values, index = drawn(rng, c, int(rng.integers(c, 6 * c + 1)), p)
        counted = clustered.interval(values, index, c)
        each = clustered.interval(values, index, c, np.full(len(values), 3.0))  # any weights: one by one
        kinds.add(counted is None)
        assert (counted is None) == (each is None)
        if counted and each:
            assert counted == pytest.approx(each, abs=1e-9)
    assert False in kinds


def test_very_large_clusters_are_told_apart_by_sorting():
    """Size times size would be more numbers than there are items."""
    values, index = np.tile([0.0, 1.0, 1.0], 4_000), np.r_[np.zeros(11_000, np.intp), np.repeat(np.arange(1, 11), 100)]
    each = clustered.interval(values, index, 11, np.ones(12_000))
    assert clustered.interval(values, index, 11) == pytest.approx(each, abs=1e-9)


def test_degrees_of_freedom_with_numbers_are_those_of_each():
    share, variance, times = np.array([0.1, 0.02, 0.005]), np.array([0.3, 0.1, 0.02]), np.array([3.0, 20.0, 60.0])
    every = [np.repeat(of, times.astype(int)) for of in (share, variance)]
    assert clustered.degrees(share, variance, times) == pytest.approx(clustered.degrees(*every), rel=1e-9)
    assert clustered.effective_number(share, times) == pytest.approx(clustered.effective_number(every[0]), rel=1e-12)


def test_other_values_than_verdicts_are_taken_one_by_one():
    values, index = np.array([0.5, 1.0, 0.0, 0.5, 0.5, 1.0]), np.repeat(np.arange(3), 2)
    assert clustered.interval(values, index, 3) == clustered.interval(values, index, 3, np.ones(6))
    assert clustered.interval(np.full(6, 0.5), index, 3) == clustered.score_interval(0.5, 3.0, clustered.Z)
