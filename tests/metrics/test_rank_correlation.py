"""Rank correlations against scipy, partial ones against residuals, intervals that draw whole families."""

import doctest

import numpy as np
import pytest
from scipy import stats

from backend.metrics import rank_correlation as rc


def made(n=60, k=4, seed=1):
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(n, 1)) + rng.normal(size=(n, k)), 1)  # rounded: with ties


def test_examples_hold():
    assert doctest.testmod(rc).failed == 0


def test_rho_is_scipys():
    values = made()
    assert rc.spearman(values) == pytest.approx(stats.spearmanr(values).statistic)


def test_partial_is_the_correlation_of_what_is_left_of_the_ranks():
    values = made()
    ranks = stats.rankdata(values, axis=0)
    third = ranks[:, 3] - ranks[:, 3].mean()
    left = [r - third * (r @ third) / (third @ third) for r in (ranks - ranks.mean(axis=0)).T[:3]]
    rho = rc.spearman(values)
    assert rc.given(rho[:3, :3], rho[:3, 3]) == pytest.approx(np.corrcoef(left))


def test_what_is_constant_or_too_little_is_undefined():
    values = np.column_stack([np.ones(9), np.arange(9.0)])
    assert np.isnan(rc.spearman(values)[0, 1])
    assert rc.spearman(values)[1, 1] == pytest.approx(1)
    assert np.isnan(rc.spearman(values[:2])).all()
    rho = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert np.isnan(rc.given(rho, [1.0, 1.0])).all()


def test_intervals_hold_rho_and_are_wider_with_few_families():
    values = made(200)
    rho = rc.spearman(values)[0, 1]
    alone = rc.intervals(values, np.arange(200))
    families = rc.intervals(np.repeat(values[:20], 10, axis=0), np.repeat(np.arange(20), 10))
    assert alone[0][0, 1] < rho < alone[1][0, 1]
    assert families[1][0, 1] - families[0][0, 1] > 2 * (alone[1][0, 1] - alone[0][0, 1])
    assert np.isnan(rc.intervals(values, np.zeros(200))[0]).all()
    low, high = rc.intervals(values[:, :2], np.arange(200), third=values[:, 2])
    whole = rc.spearman(values)
    assert low[0, 1] < rc.given(whole[:2, :2], whole[:2, 2])[0, 1] < high[0, 1]


def test_intervals_are_the_jackknife_written_out():
    values, families = made(12, 2), list("aaabbbbccdde")
    z = np.arctanh(stats.spearmanr(values).statistic)
    left = [np.arctanh(stats.spearmanr([v for v, f in zip(values, families, strict=True) if f != out]).statistic)
            for out in "abcde"]  # fmt: skip
    error = np.sqrt(4 / 5 * sum((each - z) ** 2 for each in left))
    low, high = rc.intervals(values, families)
    assert (low[0, 1], high[0, 1]) == pytest.approx(tuple(np.tanh(z + stats.t.ppf((0.025, 0.975), 4) * error)))


#: Models a family, as in the Atlas.
FAMILIES = (85, 30, 12, 10, 9, 9, 9, 8, 6, 5, 5, 4, 4, 4, 2)


def bootstrapped(values, families, draws, rng):
    """The percentile interval of whole families, which the Atlas had before."""
    members = [np.flatnonzero(families == f) for f in range(len(FAMILIES))]
    picks = (np.concatenate([members[f] for f in rng.integers(len(members), size=len(members))]) for _ in range(draws))
    return np.quantile([rc.spearman(values[rows])[0, 1] for rows in picks], (0.025, 0.975))


@pytest.mark.long
@pytest.mark.parametrize("between", [-0.3, 0.5, 0.8])
def test_intervals_cover_where_families_are_as_in_the_atlas(between):
    """Half of the variance is the families'; between: how families correlate, where models inside one do by 0.8."""
    rng, families = np.random.default_rng(8), np.repeat(np.arange(len(FAMILIES)), FAMILIES)
    true = 6 / np.pi * np.arcsin((between + 0.8) / 4)  # Spearman's of a normal pair with the mean of both
    ours = theirs = 0
    tried = 200
    for _ in range(tried):
        of_family = rng.multivariate_normal([0, 0], [[1, between], [between, 1]], len(FAMILIES))
        own = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], len(families))
        values = of_family[families] + own
        low, high = rc.intervals(values, families)
        ours += low[0, 1] <= true <= high[0, 1]
        low, high = bootstrapped(values, families, 100, rng)
        theirs += low <= true <= high
    assert ours / tried >= 0.9
    assert ours / tried > theirs / tried + 0.02


def test_what_ranks_alike_stands_together():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 80))
    values = np.column_stack([a, b, a, b, a]) + 0.1 * rng.normal(size=(80, 5))
    order = rc.order(rc.spearman(values))
    assert sorted(order) == [0, 1, 2, 3, 4]
    assert {0, 2, 4} in (set(order[:3]), set(order[2:]))
    assert rc.order(np.full((2, 2), np.nan)) == [0, 1]
    assert sorted(rc.order(np.full((4, 4), np.nan))) == [0, 1, 2, 3]
