"""Paired changes: hand-made tables, symmetries, and intervals that cover what they should."""

import numpy as np
import pytest
from scipy.special import ndtr

from backend.metrics import statistics
from backend.metrics.paired import flips


def test_without_clusters_the_table_is_mcnemars():
    rng = np.random.default_rng(0)
    before, after = rng.random(200) < 0.7, rng.random(200) < 0.6
    found = flips.change(before, after)
    table = statistics.mcnemar(before, after)
    assert found.lost.value == table.only_a / 200
    assert found.won.value == table.only_b / 200
    assert found.mcnemar_p == table.p
    assert found.drop == pytest.approx(before.mean() - after.mean())
    paired = statistics.paired_bootstrap(before, after)
    assert found.ci95 == pytest.approx(paired.ci95, abs=0.02)


def test_turned_round_lost_is_won():
    rng = np.random.default_rng(1)
    before, after = rng.integers(0, 2, 90).astype(float), rng.integers(0, 2, 90).astype(float)
    clusters = rng.integers(0, 30, 90)
    there, back = flips.change(before, after, clusters), flips.change(after, before, clusters)
    assert there.drop == pytest.approx(-back.drop)
    assert (there.lost.value, there.won.value) == (back.won.value, back.lost.value)
    assert there.flipped.value == pytest.approx(there.lost.value + there.won.value)


def test_seeds_of_one_item_do_not_count_as_items():
    rng = np.random.default_rng(2)
    before, after = rng.random(60) < 0.8, rng.random(60) < 0.5
    once = flips.change(before, after)
    many = flips.change(np.tile(before, 9), np.tile(after, 9), np.tile(np.arange(60), 9))
    assert many.drop == pytest.approx(once.drop)
    width = once.ci95[1] - once.ci95[0]
    assert many.ci95[1] - many.ci95[0] == pytest.approx(width, rel=0.15)
    assert many.mcnemar_p is None


def test_no_flip_is_no_certainty():
    found = flips.change([1, 0, 1], [1, 0, 1])
    assert found.drop == 0
    assert found.ci95[0] == -found.ci95[1] < 0
    assert found.flipped.ci95[1] == pytest.approx(found.ci95[1])
    assert flips.change([1, 1], [0, 0], ["a", "a"]).ci95 is None
    assert flips.change([np.nan], [1]) == flips.NOTHING
    assert flips.change([np.nan, 1], [1, 1]).n == 1


def test_the_interval_covers_the_drop():
    """Of 200 samples with a true drop of 0.2 about 95 % of the intervals hold it."""
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(200):
        before = (rng.random(150) < 0.7).astype(float)
        after = np.where(rng.random(150) < 0.3, (rng.random(150) < 1 / 30).astype(float), before)
        low, high = flips.change(before, after).ci95
        inside += low <= 0.3 * (0.7 - 1 / 30) <= high
    assert 180 <= inside <= 198


def test_a_sum_is_the_sum_of_its_rates():
    rng = np.random.default_rng(4)
    metric = np.repeat(["a", "b", "c"], [40, 40, 80])
    clusters = np.concatenate([np.arange(40), np.arange(40), np.repeat(np.arange(40), 2)])
    before, after = rng.random(160) < 0.8, rng.random(160) < 0.5
    found = flips.sum_change(before, after, metric, clusters)
    parts = [before[metric == m].mean() - after[metric == m].mean() for m in "abc"]
    assert found.drop == pytest.approx(sum(parts))
    assert (found.n, found.clusters) == (160, 40)
    assert found.ci95[0] < found.drop < found.ci95[1]
    gained, ci95 = flips.gain((before, metric, clusters), (after, metric, clusters))
    assert gained == pytest.approx(-found.drop)
    assert ci95 == pytest.approx((-found.ci95[1], -found.ci95[0]), abs=0.06)


def test_a_gain_needs_verdicts_on_both_sides():
    assert flips.gain(([], [], []), ([1], ["a"], [1])) is None
    assert flips.gain(([1], ["a"], [1]), ([1], ["a"], [1])) == (0.0, None)


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "clusters", "lose", "win"),
    [(200, 200, 0.01, 0.01), (200, 200, 0.02, 0.01), (200, 200, 0.03, 0.03), (60, 60, 0.1, 0.1), (200, 50, 0.05, 0.02)],
)
def test_nominal_95_per_cent_cover_where_few_flip(n: int, clusters: int, lose: float, win: float) -> None:
    """A bootstrap of the pairs covers 77 to 91 % of the drop here. Clusters of four: correlated .36 before the cut."""
    rng = np.random.default_rng(n + clusters)
    held = []
    for _ in range(400):
        of = np.repeat(np.arange(clusters), n // clusters)
        share = 0.6 if clusters < n else 0.0
        u = ndtr(share * rng.normal(size=clusters)[of] + np.sqrt(1 - share**2) * rng.normal(size=n))
        before, after = np.where(u > 1 - win, 0, 1), np.where(u < lose, 0, 1)
        found = flips.change(before, after, of)
        assert found.ci95 is not None
        held.append(found.ci95[0] <= lose - win <= found.ci95[1])
    assert np.mean(held) >= 0.92


def test_to_see_a_flip_makes_a_drop_no_surer_than_to_see_none() -> None:
    none, one = (flips.change(np.ones(200), np.arange(200) >= k).ci95 for k in (0, 1))
    assert none is not None
    assert one is not None
    assert one[1] - one[0] > none[1] - none[0] - 0.005
    assert one[0] < 0.0 < one[1]
