"""Comparing two systems: every number against a slow independent way to it."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from backend.metrics import statistics
from backend.metrics.paired.multiplicity import benjamini_hochberg, holm
from backend.metrics.paired.paired import measures, pair
from backend.metrics.paired.signflip import EXACT, sign_flip


def holm_by_steps(p):
    """Rejecting one after the other: the adjusted p is the smallest level at which a hypothesis is rejected."""
    order, adjusted, worst = sorted(range(len(p)), key=lambda k: p[k]), [0.0] * len(p), 0.0
    for rank, k in enumerate(order):
        worst = max(worst, p[k] * (len(p) - rank))
        adjusted[k] = min(1.0, worst)
    return adjusted


@pytest.mark.parametrize("seed", range(6))
def test_adjusted_p_values_are_those_of_scipy_and_of_stepping_down(seed):
    p = np.random.default_rng(seed).random(13) ** 3
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p, method="bh"))
    assert holm(p) == pytest.approx(holm_by_steps(p.tolist()))
    assert (holm(p) >= benjamini_hochberg(p) - 1e-15).all()
    assert (benjamini_hochberg(p) >= p).all()


def test_holm_keeps_the_family_wise_error():
    """1,000 families of 10 true hypotheses: about 5 % have any rejection, without adjustment about 40 %."""
    p = np.random.default_rng(0).random((1000, 10))
    any_adjusted = np.mean([(holm(row) <= 0.05).any() for row in p])
    assert 0.03 < any_adjusted < 0.07
    assert np.mean((p <= 0.05).any(axis=1)) > 0.3


def test_a_missing_test_does_not_count():
    found = holm([0.01, np.nan, 0.02])
    assert found[[0, 2]].tolist() == [0.02, 0.02]
    assert np.isnan(found[1])
    assert holm([]).tolist() == benjamini_hochberg([]).tolist() == []
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.1, 1.2])


@pytest.mark.parametrize("seed", range(8))
def test_sign_flips_are_all_sign_flips(seed):
    """p against every one of the 2^c assignments."""
    rng = np.random.default_rng(seed)
    clusters, gaps = rng.integers(0, 9, 24), rng.integers(-1, 2, 24)
    sums = [gaps[clusters == c].sum() for c in np.unique(clusters)]
    seen = abs(sum(sums))
    every = [abs(np.dot(signs, sums)) >= seen for signs in product((-1, 1), repeat=len(sums))]
    assert sign_flip(gaps, clusters) == pytest.approx(np.mean(every))


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (1, 0), (3, 9), (40, 61), (400, 330)])
def test_without_clusters_it_is_mcnemar_and_the_binomial_test(only_a, only_b):
    a = np.array([1] * only_a + [0] * only_b + [1] * 7, bool)
    b = np.array([0] * only_a + [1] * only_b + [1] * 7, bool)
    p = sign_flip(b.astype(int) - a)
    assert p == pytest.approx(statistics.mcnemar(a, b).p)
    if only_a + only_b:
        assert p == pytest.approx(stats.binomtest(only_a, only_a + only_b).pvalue)


def test_queries_of_one_image_count_once():
    """Five captions of each image always fall together: five times the discordant verdicts, and the same evidence."""
    gaps = np.array([1] * 8 + [-1] * 2)
    assert sign_flip(np.repeat(gaps, 5), np.repeat(np.arange(10), 5)) == pytest.approx(sign_flip(gaps))
    assert sign_flip(np.repeat(gaps, 5)) < 0.001 < sign_flip(gaps)


def test_the_normal_approximation_takes_over_smoothly():
    rng = np.random.default_rng(1)
    sums = rng.choice([-2, -1, 1, 2], EXACT // 2, p=[0.248, 0.25, 0.25, 0.252])
    gaps = np.concatenate([np.full(abs(s), np.sign(s)) for s in sums])
    clusters = np.repeat(np.arange(len(sums)), np.abs(sums))
    exact = sign_flip(gaps, clusters)
    twice = sign_flip(np.tile(gaps, 2), np.concatenate([clusters, clusters + len(sums)]))
    assert exact == pytest.approx(2 * stats.norm.sf(abs(sums.sum()) / np.sqrt((sums**2).sum())), abs=0.01)
    assert twice == pytest.approx(2 * stats.norm.sf(2 * abs(sums.sum()) / np.sqrt(2 * (sums**2).sum())))


def test_measures_by_hand():
    rng = np.random.default_rng(3)
    a, b = rng.random(400) < 0.6, rng.random(400) < 0.7
    gain, po, kappa, overlap, chance = measures([(a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()])
    pe = a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean())
    assert (gain, po) == pytest.approx((b.mean() - a.mean(), (a == b).mean()))
    assert kappa == pytest.approx((po - pe) / (1 - pe))
    failed_a, failed_b = set(np.flatnonzero(~a)), set(np.flatnonzero(~b))
    assert overlap == pytest.approx(len(failed_a & failed_b) / len(failed_a | failed_b))
    far = rng.random((2, 400_000)) < [[0.4], [0.3]]
    assert measures([0.42, 0.18, 0.28, 0.12])[4] == pytest.approx(
        (far[0] & far[1]).sum() / far.any(axis=0).sum(), abs=0.01
    )
    assert chance > 0


def test_the_interval_covers_the_true_gain():
    """Two systems with rates 0.6 and 0.7 that agree partly: 95 of 100 intervals should hold the difference 0.1."""
    rng, inside = np.random.default_rng(5), 0
    for k in range(200):
        luck = rng.random(250)
        a, b = luck < 0.6, np.where(rng.random(250) < 0.5, luck, rng.random(250)) < 0.7
        low, high = pair(a, b, seed=k, samples=400).gain_ci
        inside += low <= 0.1 <= high
    assert 180 <= inside <= 199


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(7)
    a, b = rng.random(60) < 0.5, rng.random(60) < 0.6
    one, five = pair(a, b), pair(np.repeat(a, 5), np.repeat(b, 5), np.repeat(np.arange(60), 5))
    assert five.gain_ci == pytest.approx(one.gain_ci, abs=0.03)
    assert (five.p, five.clusters, five.n) == (pytest.approx(one.p), 60, 300)


def score(delta, n12, n21, n):
    """Tango's statistic, from the definition (its nuisance parameter maximised by a quadratic)."""
    big = 2 * n
    middle = -n12 - n21 + (2 * n - n12 + n21) * delta
    q = (np.sqrt(middle**2 + 4 * big * n21 * delta * (1 - delta)) - middle) / (2 * big)
    return abs(n12 - n21 - n * delta) / np.sqrt(n * (2 * q + delta * (1 - delta)))


@pytest.mark.parametrize("n", [12, 450])
def test_without_any_spread_the_interval_is_tangos(n):
    same = pair(np.ones(n), np.ones(n))
    assert (same.gain, same.p, same.kappa, same.overlap) == (0.0, 1.0, None, None)
    assert score(same.gain_ci[1] - 1e-12, 0, 0, n) == pytest.approx(1.959964, abs=1e-4)
    every = pair(np.zeros(n), np.ones(n))
    assert score(every.gain_ci[0], n, 0, n) == pytest.approx(1.959964, abs=1e-4)
    assert every.gain_ci[1] == 1
    assert pair(np.ones(n), np.zeros(n)).gain_ci == pytest.approx((-every.gain_ci[1], -every.gain_ci[0]))


def test_too_little_to_say():
    assert pair([], []).p is None
    alone = pair([1], [0])
    assert (alone.gain, alone.gain_ci, alone.p) == (-1.0, None, 1.0)
