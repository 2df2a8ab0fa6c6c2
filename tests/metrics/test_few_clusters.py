"""Intervals of rates whose items share few images: they cover, and none of them has no width."""

import numpy as np
import pytest

from backend.metrics import statistics
from backend.metrics.answers import yes_bias
from backend.metrics.contests import mean_of_orders


def drawn(rng, clusters, size, p, icc):
    """0/1 outcomes of beta-binomial clusters, and each one's cluster."""
    spread = (1 - icc) / icc
    own = rng.beta(p * spread, (1 - p) * spread, clusters)
    return (rng.random((clusters, size)) < own[:, None]).ravel(), np.repeat(np.arange(clusters), size)


@pytest.mark.long
@pytest.mark.parametrize("clusters", [5, 8, 12, 20, 30, 39])
@pytest.mark.parametrize("icc", [0.02, 0.3, 0.6])
@pytest.mark.parametrize("p", [0.5, 0.8])
def test_nominal_95_per_cent_cover(clusters, icc, p):
    """docs/methods.md; percentiles of a bootstrap cover 82 to 93 % at 5 to 20 clusters."""
    rng = np.random.default_rng(clusters)
    ends = [
        statistics.rate(hits, clusters=of).ci95 for hits, of in (drawn(rng, clusters, 6, p, icc) for _ in range(800))
    ]
    assert np.mean([low <= p <= high for low, high in filter(None, ends)]) >= 0.92


def test_clusters_that_all_agree_are_no_certainty():
    halves = [1, 0] * 20
    found = statistics.rate(halves, clusters=np.repeat(np.arange(20), 2))
    alone = statistics.wilson(20, 40)
    assert found.ci95[0] < alone[0] < alone[1] < found.ci95[1], "no narrower than if nothing were shared"
    one_more = statistics.rate([*halves[:-1], 1], clusters=np.repeat(np.arange(20), 2))
    # Failed before: it was taken as 20 answers, so that one item more made it narrower by a quarter.
    assert one_more.ci95[1] - one_more.ci95[0] == pytest.approx(found.ci95[1] - found.ci95[0], rel=0.05)
    assert statistics.rate([1] * 40, clusters=np.repeat(np.arange(20), 2)).ci95 == pytest.approx(
        statistics.wilson(20, 20)
    )
    low, high = mean_of_orders([[1, 0]] * 60).ci95
    assert low < 0.5 < high
    low, high = yes_bias([[3.0], [-3.0]] * 50, [True, True] * 50, np.repeat(np.arange(50), 2)).ci95
    assert low < -0.5 < high


def test_nothing_and_one_cluster_say_nothing():
    assert statistics.of_clusters([], []) is None
    assert statistics.of_clusters([1, 0], [0, 0]) is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("p", "clusters", "size", "icc"), [(0.97, 60, 6, 0.4), (0.98, 100, 3, 0.3), (0.99, 200, 3, 0.3), (0.03, 60, 6, 0.4)]
)
def test_nominal_95_per_cent_cover_where_few_clusters_hold_the_rarer_outcome(p, clusters, size, icc):
    """The bootstrap covers 86 to 91 % here, for all that there are more than forty clusters."""
    rng = np.random.default_rng(clusters)
    ends = [
        statistics.rate(hits, clusters=of).ci95 for hits, of in (drawn(rng, clusters, size, p, icc) for _ in range(800))
    ]
    assert np.mean([low <= p <= high for low, high in ends]) >= 0.92
