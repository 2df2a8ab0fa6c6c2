"""Over-representation: against brute force and SciPy, on a planted cause, and on nothing at all."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import fisher_exact

from backend.metrics.enrichment import (
    compared,
    contrast,
    least_when_shuffled,
    over_represented,
    two_sided,
    worth_testing,
)


def test_p_is_that_of_scipy():
    rng = np.random.default_rng(0)
    traits = rng.random((40, 12)) < rng.random(12)
    for size in (1, 7, 20, 39):
        inside = np.zeros(40, dtype=bool)
        inside[rng.choice(40, size, replace=False)] = True
        ours = over_represented(traits, inside)
        for k in range(12):
            a, b = int(traits[inside, k].sum()), int(traits[~inside, k].sum())
            table = [[a, size - a], [b, 40 - size - b]]
            assert ours[k] == pytest.approx(fisher_exact(table, "greater").pvalue, abs=1e-12)
            assert two_sided(a, size, b, 40 - size) == pytest.approx(fisher_exact(table).pvalue, abs=1e-9)


def test_p_is_the_share_of_all_selections_that_hold_as_many():
    """By its definition: every choice of as many items, counted."""
    have = np.array([True, True, True, False, False, False, False, True])
    inside = np.array([True, True, False, False, False, False, True, True])
    counts = [have[list(some)].sum() for some in combinations(range(8), 4)]
    expected = np.mean([c >= (have & inside).sum() for c in counts])
    assert over_represented(have[:, None], inside)[0] == pytest.approx(expected)
    many = over_represented(have[:, None], np.array([inside, ~inside]))
    assert many.shape == (2, 1)
    assert many[0, 0] == pytest.approx(expected)


def test_a_ratio_and_its_interval():
    found = contrast(12, 20, 30, 100, p=0.5)
    assert found.ratio == pytest.approx(2.0)
    spread = 1.959964 * np.sqrt(1 / 12 - 1 / 20 + 1 / 30 - 1 / 100)
    assert (found.low, found.high) == pytest.approx((2 * np.exp(-spread), 2 * np.exp(spread)), rel=1e-6)
    none_out, none = contrast(5, 10, 0, 50, p=0.01), contrast(0, 10, 0, 50, p=1.0)
    assert none_out.ratio == np.inf
    assert 1 < none_out.low < none_out.high < np.inf
    assert np.isnan([none.ratio, none.low, none.high]).all()
    assert contrast(0, 10, 5, 50, p=1.0).ratio == 0


def test_the_interval_of_a_ratio_holds_the_truth():
    rng = np.random.default_rng(3)
    truth, held, n = 0.4 / 0.2, 0, 2000
    for k_in, k_out in zip(rng.binomial(60, 0.4, n), rng.binomial(300, 0.2, n), strict=True):
        found = contrast(int(k_in), 60, int(k_out), 300, p=1.0)
        held += found.low <= truth <= found.high
    assert 0.93 < held / n < 0.97


def planted(rng, n=450, k=60):
    """Items whose selection is decided by trait 7, and whose errors by the same."""
    traits = rng.random((n, k)) < 0.2
    inside = rng.random(n) < np.where(traits[:, 7], 0.5, 0.1)
    wrong = (rng.random(n) < np.where(traits[:, 7], 0.95, 0.3)).astype(float)
    return traits, inside, wrong


def test_a_planted_cause_is_found_and_nothing_else():
    found_cause, found_error, others = 0, 0, 0
    for seed in range(40):
        traits, inside, wrong = planted(np.random.default_rng(seed))
        told, errors = compared(traits, inside, wrong)
        found_cause += told[7].holds
        found_error += errors.holds
        others += sum(one.holds for k, one in enumerate(told) if k != 7)
    assert found_cause == 40
    assert found_error >= 30
    assert others <= 2


def test_on_shuffled_labels_something_is_found_at_most_once_in_twenty():
    """Family-wise: over traits of all frequencies, some of which go together, and errors."""
    found, n = 0, 1000
    for seed in range(n):
        rng = np.random.default_rng(seed)
        traits = rng.random((200, 40)) < rng.uniform(0.05, 0.6, 40)
        traits[:, 20:30] = traits[:, :10]  # the same words in concepts and reasons
        traits = traits[:, worth_testing(traits)]
        inside = np.zeros(200, dtype=bool)
        inside[rng.choice(200, rng.integers(10, 100), replace=False)] = True
        told, errors = compared(traits, inside, (rng.random(200) < 0.5).astype(float))
        found += any(one.holds for one in (*told, errors))
    assert found / n <= 0.05


def test_items_without_a_verdict_are_left_out_of_the_errors_alone():
    traits = np.ones((6, 0), dtype=bool)
    inside = np.array([True, True, True, False, False, False])
    told, errors = compared(traits, inside, np.array([1, 1, np.nan, 0, 0, np.nan]))
    assert told == []
    assert (errors.k_in, errors.n_in, errors.k_out, errors.n_out) == (2, 2, 0, 2)
    assert errors.adjusted == errors.p
    assert compared(traits, inside, np.full(6, np.nan))[1] is None
    assert compared(traits, inside)[1] is None


def test_what_chance_finds_among_clumps():
    rng = np.random.default_rng(1)
    traits = rng.random((300, 30)) < 0.3
    groups = np.array([np.arange(300) // 60 == g for g in range(5)])
    least = least_when_shuffled(traits, groups, times=100)
    dealt = traits[np.random.default_rng(0).permutation(300)]
    assert least[0] == pytest.approx(over_represented(dealt, groups).min(), rel=1e-9)
    real = over_represented(traits, groups).min()
    assert np.mean(least <= real) > 0.02  # labels without a cause are what shuffling gives
    assert (least == least_when_shuffled(traits, groups, times=100)).all()  # the seed is fixed
    traits[:60, 3] = True
    assert np.mean(least_when_shuffled(traits, groups, times=100) <= over_represented(traits, groups).min()) == 0
    big = np.ones((3000, 1000), dtype=bool)
    assert least_when_shuffled(big, np.ones((3, 3000), dtype=bool), times=3) is None
    assert (least_when_shuffled(traits[:, :0], groups, times=3) == 1).all()


def test_what_hardly_any_item_has_or_lacks_is_not_tested():
    traits = np.array([[k < 4, k < 5, k < 15, k < 16] for k in range(20)])
    assert worth_testing(traits).tolist() == [False, True, True, False]
