"""Intervals and tests against scipy and against slow resampling."""

import numpy as np
import pytest
import scipy.stats

from backend.metrics import statistics
from backend.metrics.paired.resampling import resample_sums


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 20), (20, 20), (7, 20), (573, 973)])
def test_wilson_against_scipy(k, n):
    expected = scipy.stats.binomtest(k, n).proportion_ci(method="wilson")
    assert statistics.wilson(k, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [(0, 0), (1, 0), (0, 6), (3, 3), (4, 9), (60, 41)])
def test_mcnemar_against_scipy(a, b):
    first = [1] * a + [0] * b + [1, 0]
    second = [0] * a + [1] * b + [1, 0]
    found = statistics.mcnemar(first, second)
    expected = scipy.stats.binomtest(a, a + b).pvalue if a + b else 1.0
    assert found.p == pytest.approx(expected)
    assert (found.only_a, found.only_b, found.both, found.neither, found.n) == (a, b, 1, 1, a + b + 2)


def test_mcnemar_without_items_and_with_a_mask():
    assert statistics.mcnemar([], []).p is None
    assert statistics.mcnemar([1, 1], [0, 0], defined=[True, False]).only_a == 1


def test_bootstrap_agrees_with_scipy():
    data = np.random.default_rng(3).normal(size=80)
    expected = scipy.stats.bootstrap((data,), np.mean, method="percentile", n_resamples=4000, random_state=1)
    found = statistics.bootstrap(data, samples=4000)
    assert found == pytest.approx(tuple(expected.confidence_interval), abs=0.03)
    median = statistics.bootstrap(data, statistic=lambda v: float(np.median(v)), samples=2000)
    expected = scipy.stats.bootstrap((data,), np.median, method="percentile", n_resamples=2000, random_state=1)
    assert median == pytest.approx(tuple(expected.confidence_interval), abs=0.08)


def test_grouped_and_plain_draws_have_the_same_distribution():
    rows = np.repeat([[0.0, 1.0], [1.0, 1.0], [2.0, 3.0]], 40, axis=0)
    grouped = resample_sums(rows, samples=4000)
    rng = np.random.default_rng(1)
    plain = rows[rng.integers(0, len(rows), (4000, len(rows)))].sum(axis=1)
    for column in (0, 1):
        assert scipy.stats.ks_2samp(grouped[:, column], plain[:, column]).pvalue > 1e-3
    distinct = resample_sums(rows + np.arange(len(rows))[:, None] * 1e-9, samples=4000)
    assert scipy.stats.ks_2samp(distinct[:, 0].round(), plain[:, 0]).pvalue > 1e-3


def test_bootstrap_is_seeded_and_clusters_widen_it():
    values = np.repeat(np.random.default_rng(0).random(50) < 0.5, 10).astype(float)
    clusters = np.repeat(np.arange(50), 10)
    assert statistics.bootstrap(values, clusters, seed=4) == statistics.bootstrap(values, clusters, seed=4)
    low, high = statistics.bootstrap(values)
    wide_low, wide_high = statistics.bootstrap(values, clusters)
    assert wide_high - wide_low > 2 * (high - low)
    shuffled = np.random.default_rng(1).permutation(len(values))
    names = np.array([f"image {c}" for c in clusters])
    assert statistics.bootstrap(values[shuffled], names[shuffled]) == pytest.approx((wide_low, wide_high), abs=0.05)


def test_bootstrap_of_too_little():
    nan = float("nan")
    assert statistics.bootstrap([]) is None
    assert statistics.bootstrap([1.0]) is None
    assert statistics.bootstrap([1.0, 0.0], clusters=["a", "a"]) is None
    assert statistics.bootstrap([1.0, nan, 1.0]) == (1.0, 1.0)
    with pytest.raises(ValueError, match="one id for each"):
        statistics.bootstrap([1.0, 2.0], clusters=[1])


def test_rate_interval_by_method():
    hits = [True] * 8 + [False] * 2
    assert statistics.rate(hits).ci95 == statistics.wilson(8, 10)
    assert statistics.rate(hits, clusters=range(10)).ci95 == statistics.wilson(8, 10)
    assert statistics.rate(hits, clusters=[0, 0, *range(8)], method="clusters").ci95 != statistics.wilson(8, 10)
    assert statistics.rate(hits, clusters=range(10), method="wilson").ci95 == statistics.wilson(8, 10)
    assert statistics.rate([True] * 4, clusters=[1, 1, 2, 2]).ci95 == statistics.wilson(2, 2)
    assert statistics.rate([False] * 4, clusters=[1, 1, 2, 2]).ci95 == statistics.wilson(0, 2)
    assert statistics.rate([True, False], clusters=[1, 1]).ci95 is None
    masked = statistics.rate([True, False, False], defined=[True, True, False], ties=[False, True, True])
    assert (masked.value, masked.n, masked.ties) == (0.5, 2, 1)


def test_paired_bootstrap():
    rng = np.random.default_rng(0)
    a = rng.random(300) < 0.7
    b = a & (rng.random(300) < 0.8)
    found = statistics.paired_bootstrap(a, b)
    assert found.difference == pytest.approx(a.mean() - b.mean())
    assert found.ci95[0] > 0
    assert found.p < 0.01
    back = statistics.paired_bootstrap(b, a)
    assert back.difference == -found.difference
    assert back.p == found.p
    same = statistics.paired_bootstrap(a, a)
    assert (same.difference, same.p) == (0.0, 1.0)
    # Failed before: an interval of no width, for all that nothing was seen of those that may differ elsewhere.
    assert same.ci95 == pytest.approx((-0.01264, 0.01264), abs=1e-5)
    assert statistics.paired_bootstrap([5.0, 6.0] * 9, [5.0, 6.0] * 9).ci95 is None
    assert statistics.paired_bootstrap([], []).difference is None
    assert statistics.paired_bootstrap([1, float("nan")], [0, 1]).n == 1
