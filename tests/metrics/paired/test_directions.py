"""How many test sets rose and fell, and the sign test's exact p."""

import doctest
from math import comb

import pytest

from backend.metrics.paired import directions


def test_examples_hold():
    assert doctest.testmod(directions).failed == 0


def test_p_is_the_two_sided_sign_test():
    before, after = [0.0] * 12, [1.0] * 10 + [-1.0] + [0.0]
    found = directions.directions(before, after)
    assert (found.n, found.rose, found.fell, found.median) == (12, 10, 1, 1.0)
    assert found.p == pytest.approx(2 * sum(comb(11, k) for k in (10, 11)) / 2**11)


def test_nothing_moved_has_no_p_and_nothing_at_all_is_refused():
    assert directions.directions([1.0, 2.0], [1.0, 2.0]).p is None
    with pytest.raises(ValueError, match="no test set"):
        directions.directions([], [])
    with pytest.raises(ValueError, match="broadcast"):
        directions.directions([1.0, 2.0], [1.0, 2.0, 3.0])
