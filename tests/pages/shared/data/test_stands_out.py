"""Whether the highest of several rates stands out: what is told apart, and how often luck alone is."""

import numpy as np
import pytest

from backend.metrics.enrichment import two_sided
from backend.metrics.statistics import wilson
from pages.shared.data.stands_out import LEVEL, not_told_from, p_higher


def rate(k: int, n: int) -> tuple[float, float, float]:
    low, high = wilson(k, n) or (0.0, 1.0)
    return k / n, low, high


@pytest.mark.parametrize(("a", "b"), [((90, 100), (70, 100)), ((380, 400), (300, 400)), ((55, 60), (45, 60))])
def test_it_agrees_with_fishers_exact_test_of_independent_items(a: tuple[int, int], b: tuple[int, int]) -> None:
    p, exact = p_higher(rate(*a), rate(*b)), two_sided(*a, *b)
    assert (p <= LEVEL) == (exact <= LEVEL)
    assert p == pytest.approx(exact, rel=0.8)


def test_where_all_rates_are_one_and_the_same_the_highest_hardly_ever_stands_out() -> None:
    """The highest of eight was called what a model does best on whenever it was the highest, which one always is."""
    rng = np.random.default_rng(1)
    for n, p in ((40, 0.6), (300, 0.9)):
        told = [not not_told_from([rate(int(k), n) for k in rng.binomial(n, p, 8)]) for _ in range(400)]
        assert np.mean(told) <= LEVEL


def test_what_is_clearly_highest_stands_out_and_one_that_is_near_is_named() -> None:
    far = [rate(95, 100), rate(50, 100), rate(60, 100)]
    assert not_told_from(far) == []
    assert not_told_from([*far, rate(93, 100)]) == [3]
    assert not_told_from([]) == []
    assert not_told_from([rate(1, 1), rate(0, 1)]) == [1]  # one item tells nothing
