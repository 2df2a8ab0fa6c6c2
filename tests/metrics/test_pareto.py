"""The Pareto front against its definition, in loops."""

import doctest

import numpy as np
import pytest

from backend.metrics import pareto


def test_examples_hold():
    assert doctest.testmod(pareto).failed == 0


def slowly(points):
    def beats(a, b):
        return all(x >= y for x, y in zip(a, b, strict=True)) and any(x > y for x, y in zip(a, b, strict=True))

    return [not any(beats(o, p) for o in points) for p in points]


@pytest.mark.parametrize("seed", range(5))
def test_it_is_what_nothing_beats(seed):
    points = np.random.default_rng(seed).integers(0, 6, size=(40, 2)).astype(float)  # with many ties
    assert pareto.front(points).tolist() == slowly(points.tolist())


def test_equal_points_stay_and_undefined_ones_count_for_nothing():
    assert pareto.front(np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]])).tolist() == [True, True, False]
    assert pareto.front(np.array([[np.nan, 9.0], [1.0, 1.0]])).tolist() == [False, True]
    assert pareto.front(np.empty((0, 2))).tolist() == []
