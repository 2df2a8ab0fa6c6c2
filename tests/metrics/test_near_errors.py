"""Whether wrong ones lie together: found where they do, not where verdicts are dealt at random."""

import numpy as np
import pytest

from backend.metrics.near_errors import near_errors


def space(rng, n=150, k=5):
    """Two contents an item, in a plane; the nearest of other items."""
    at = rng.normal(size=(n, 2))
    places = np.repeat(at, 2, axis=0) + rng.normal(scale=0.05, size=(2 * n, 2))
    item = np.repeat(np.arange(n), 2)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    apart[item[:, None] == item[None]] = np.inf
    return at, item, np.argsort(apart, axis=1)[:, :k]


def test_wrong_ones_that_lie_together_are_seen_and_others_are_not():
    seen = false = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        at, item, near = space(rng)
        together = (at[:, 0] > 0).astype(float)
        found = near_errors(near, item, together)
        assert found.low <= found.share <= found.high
        seen += found.together
        false += near_errors(near, item, rng.permutation(together)).p <= 0.05
    assert seen == 40
    assert false <= 6


def test_the_share_is_that_of_its_definition():
    item = np.array([0, 0, 1, 2, 3, 4])
    near = np.array([[2, 3], [4, -1], [0, 3], [0, 2], [1, 3], [2, 0]])
    wrong = np.array([1.0, 1.0, 0.0, np.nan, 0.0])
    found = near_errors(near, item, wrong)
    # item 0: of its contents' neighbours 2 (wrong), 3 (right), 4 (no verdict): 1 of 2. item 1: 0 (wrong), 3: 1 of 2
    assert found.share == pytest.approx(0.5)
    assert (found.n, found.k) == (2, 2)


@pytest.mark.parametrize("wrong", [[1.0, 1.0, 1.0], [0.0, 0.0, 1.0], [np.nan] * 3])
def test_where_all_are_alike_there_is_nothing_to_say(wrong):
    assert near_errors(np.array([[1], [2], [0]]), np.arange(3), np.array(wrong)) is None
