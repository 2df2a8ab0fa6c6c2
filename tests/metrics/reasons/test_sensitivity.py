import numpy as np
import pytest

from backend.metrics.reasons.sensitivity import d_prime, near_miss
from scripts.planted_worlds import edits


def test_d_prime_does_not_count_edits():
    for sensitivity in (0.0, 1.0, 2.0):
        found = [d_prime(*edits(seed, n, sensitivity)) for n in (1, 3, 9, 27) for seed in range(2)]
        assert np.mean([one.d_prime for one in found]) == pytest.approx(sensitivity, abs=0.08)
        inside = [one.ci95[0] <= sensitivity <= one.ci95[1] for one in found]
        assert np.mean(inside) >= 0.7


def test_d_prime_by_hand_and_undefined():
    preserving, changing = np.array([[0.0, 1.0], [2.0, np.nan]]), np.array([[-4.0], [-2.0]])
    expected = (1.0 + 3.0) / np.sqrt((np.var([0, 1, 2], ddof=1) + np.var([-4, -2], ddof=1)) / 2)
    found = d_prime(preserving, changing)
    assert found.d_prime == pytest.approx(expected)
    assert (found.n_preserving, found.n_changing) == (3, 2)
    assert d_prime([[np.nan]], [[1.0]]).d_prime is None
    assert d_prime([[1.0], [1.0]], [[0.0], [0.0]]).d_prime is None  # no spread
    with pytest.raises(ValueError, match="of the same items, got 1 and 2"):
        d_prime([[1.0]], [[1.0], [1.0]])


def test_a_near_miss_needs_changes_towards_zero():
    margin = np.array([-0.1, -0.1, 0.1, 0.0])
    edited = np.array([[-0.9] * 8, [0.2] * 8, [-0.2] * 8, [0.5] * 8])
    label, known = near_miss(margin, edited)
    assert label.tolist() == [False, True, True, False]
    assert known.all()


def test_edits_that_read_alike_count_once():
    ids = [[(1, 2)] * 8, [(k,) for k in range(8)]]
    label, known = near_miss([0.1, 0.1], [[-1.0] * 8] * 2, ids)
    assert known.tolist() == label.tolist() == [False, True]
    assert not near_miss([0.1], [[-1.0] * 7 + [np.nan]])[1].any()
