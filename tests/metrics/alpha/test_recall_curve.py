"""Retrieval under alpha against direct ranking, on and between all crossings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from backend.metrics import alpha, retrieval

whole = st.integers(-4, 4).map(float)
pools = st.tuples(
    arrays(np.float64, (4, 6), elements=whole),
    arrays(np.float64, 6, elements=whole),
    arrays(np.bool_, (4, 6)),
)


@pytest.mark.slow
@given(pools, st.sampled_from([1, 2, 5, 9]))
@settings(max_examples=80, deadline=None)
def test_against_direct_ranking(pool, k):
    gen, prior, relevance = pool
    sets = alpha.recall_unions(gen, prior, relevance, k)
    curve = alpha.curve(sets)
    for a in np.arange(0, 33) / 16:  # dyadic: g - a p is exact
        found = retrieval.recall_outcomes(gen - a * prior, relevance, ks=(k,))[0][f"i2t_recall_at_{k}"]
        assert np.array_equal(sets.contains(a), found.correct)
        assert np.array_equal(sets.defined, found.defined)
        if curve.n:
            assert curve.at(a) == pytest.approx(found.rate().value)
    assert all(lo < hi for lo, hi in zip(sets.lo, sets.hi, strict=True))
    kept = sets.take([2, 0])
    assert np.array_equal(kept.contains(0.5), sets.contains(0.5)[[2, 0]])


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_against_direct_ranking_on_real_numbers(seed):
    rng = np.random.default_rng(seed)
    gen, prior = rng.normal(size=(8, 20)), rng.normal(size=20)
    relevance = rng.random((8, 20)) < 0.2
    curve = alpha.recall_curve(gen, prior, relevance, k=3)
    for a in rng.uniform(0, 2, 10):
        rate = retrieval.recall_outcomes(gen - a * prior, relevance, ks=(3,))[0]["i2t_recall_at_3"].rate()
        assert curve.at(a) == pytest.approx(rate.value)
    assert np.isnan(curve.at(2.5))


def test_text_to_image_is_constant_and_says_so():
    rng = np.random.default_rng(0)
    gen, prior = rng.normal(size=(5, 7)), rng.normal(size=7)
    relevance = rng.random((5, 7)) < 0.4
    sets = alpha.recall_unions(gen, prior, relevance, side="t2i")
    assert sets.constant
    assert sets.note == alpha.CANCELS
    for a in (0.0, 1.0):
        rate = retrieval.recall_at_k(gen - a * prior, relevance, ks=(1,)).rates["t2i_recall_at_1"]
        assert alpha.curve(sets).at(a) == pytest.approx(rate.value)
    assert len(alpha.curve(sets).breakpoints) == 0


def test_missing_scores_and_infinities():
    nan, inf = float("nan"), float("inf")
    sets = alpha.recall_unions([[1, nan], [1, -inf], [-inf, 0]], [0, 1], [[1, 0]] * 3)
    assert sets.defined.tolist() == [False, True, True]
    assert sets.contains(1.0).tolist() == [False, True, False]
    assert not alpha.recall_unions([[1.0, 0.0]], [0, -inf], [[1, 0]]).defined.any()
