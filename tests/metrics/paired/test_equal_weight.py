"""Equal weight a subset: the numbers against slow loops and all sign assignments, the interval against simulation."""

from itertools import product

import numpy as np
import pytest

from backend.metrics.paired.equal_weight import alike, equal_sign_flip, mean_of
from backend.metrics.paired.paired import pair
from backend.metrics.paired.signflip import sign_flip


def made(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gaps, subsets of unlike sizes, clusters some of which lie in two subsets."""
    rng = np.random.default_rng(seed)
    subsets = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    return rng.choice([-1, 0, 1], n, p=[0.2, 0.4, 0.4]), subsets, rng.integers(0, n // 2, n)


def slow(gaps, subsets):
    return np.mean([np.mean([g for g, s in zip(gaps, subsets, strict=True) if s == name]) for name in set(subsets)])


@pytest.mark.parametrize("seed", range(4))
def test_the_mean_and_its_interval_are_those_of_slow_loops(seed):
    gaps, subsets, clusters = made(seed)
    found = mean_of(gaps, subsets, clusters, gaps=True)
    assert found.value == pytest.approx(slow(gaps, subsets))
    size = {name: np.sum(subsets == name) for name in "abc"}
    weight = np.array([1 / (3 * size[name]) for name in subsets])
    rng, means = np.random.default_rng(seed), []
    for _ in range(1500):
        half = rng.choice(np.unique(clusters), rng.binomial(len(np.unique(clusters)), 0.5), replace=False)
        at = np.isin(clusters, half)
        means.append(np.sum(weight[at] * gaps[at]) / np.sum(weight[at]))
    low, high = np.percentile(means, [2.5, 97.5])  # where a subset holds few differences it is wider on one side
    assert low - 0.1 < found.ci95[0] < low + 0.05
    assert high - 0.05 < found.ci95[1] < high + 0.1
    assert found.subsets == 3
    assert found.least == min(len(set(clusters[subsets == s])) for s in "abc")


@pytest.mark.parametrize("seed", range(4))
def test_p_is_that_of_all_sign_assignments(seed):
    gaps, subsets, clusters = made(seed, 24)
    parts = [
        sum(gaps[k] / (len(set(subsets)) * np.sum(subsets == subsets[k])) for k in np.flatnonzero(clusters == c))
        for c in np.unique(clusters)
    ]
    every = [abs(np.dot(signs, parts)) >= abs(sum(parts)) - 1e-12 for signs in product((-1, 1), repeat=len(parts))]
    assert equal_sign_flip(gaps, subsets, clusters) == pytest.approx(np.mean(every), abs=0.012)


def test_one_subset_and_equal_sizes_are_the_usual_numbers():
    gaps, _, clusters = made(1)
    assert equal_sign_flip(gaps, ["a"] * 60, clusters) == sign_flip(gaps, clusters)
    assert equal_sign_flip(gaps, ["a", "b"] * 30, clusters) == sign_flip(gaps, clusters)
    assert mean_of(gaps, ["a", "b"] * 30, clusters, gaps=True).value == pytest.approx(gaps.mean())


def test_nothing_one_cluster_and_no_difference():
    assert equal_sign_flip([], []) is None
    assert equal_sign_flip([0, 0, 0], ["a", "a", "b"]) == 1.0
    assert (mean_of([], []).value, mean_of([1, 0], ["a", "b"], [1, 1]).ci95) == (None, None)
    found = mean_of([0] * 30, ["a"] * 20 + ["b"] * 10, gaps=True)
    assert found.value == 0.0
    assert found.ci95[0] == -found.ci95[1] < 0
    low, high = mean_of([1] * 30, ["a"] * 20 + ["b"] * 10).ci95
    assert 0 < low < high == 1.0


def covered(sizes, chances, repeats, per=1):
    """How often the interval holds the true mean. chances: of −1 and of +1, the same in each subset."""
    rng, hits = np.random.default_rng(0), 0
    subsets = np.repeat(np.arange(len(sizes)), np.array(sizes) * per)
    clusters = np.repeat(np.arange(sum(sizes)), per)
    less, more = chances
    for k in range(repeats):
        gaps = np.repeat(rng.choice([-1, 0, 1], sum(sizes), p=[less, 1 - less - more, more]), per)
        low, high = mean_of(gaps, subsets, clusters, gaps=True, seed=k).ci95
        hits += low - 1e-12 <= more - less <= high + 1e-12
    return hits / repeats


@pytest.mark.slow
@pytest.mark.parametrize("chances", [(0.1, 0.2), (0.3, 0.3), (0.02, 0.05)])
def test_the_interval_covers_with_enough_items_in_every_subset(chances):
    for sizes in ([400, 100, 50], [60] * 6, [40, 200]):
        assert covered(sizes, chances, 300) > 0.92, sizes


@pytest.mark.slow
def test_few_items_in_one_subset_are_seen():
    """A bootstrap within each subset, which does not see the smallest one's own spread, covers .79 and .59 of these."""
    assert covered([100, 20, 5], (0.1, 0.2), 300) > 0.92
    assert covered([400] * 8 + [5], (0.0, 0.1), 150) > 0.92


@pytest.mark.slow
def test_the_test_keeps_its_level():
    rng, small = np.random.default_rng(0), 0
    subsets = np.repeat([0, 1, 2], [80, 30, 6])
    for k in range(1000):
        gaps = rng.choice([-1, 0, 1], 116, p=[0.15, 0.7, 0.15])
        small += equal_sign_flip(gaps, subsets, seed=k) <= 0.05
    assert small <= 65  # 50, and two standard errors


def test_two_systems_alike_weigh_subsets_of_one_size_as_their_verdicts() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 80)) < np.array([[0.5], [0.7]])
    found, plain = alike(a, b, np.repeat(["x", "y"], 40)), pair(a, b)
    for name in ("agreement", "kappa", "overlap", "overlap_chance"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name))
    assert found.kappa_ci
    assert found.kappa_ci[0] < (found.kappa or 0) < found.kappa_ci[1]
    nobody = alike([], [], [])
    assert (nobody.agreement, nobody.kappa, nobody.kappa_ci, nobody.overlap) == (None,) * 4
    assert alike([1, 1], [1, 1], ["x", "y"]).overlap is None  # nobody fails
    assert alike([0, 1], [0, 0], ["x", "y"], [0, 0]).kappa_ci is None  # one image
