"""Retrieval against sorting, scikit-learn and slow loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import top_k_accuracy_score

from backend.metrics import retrieval

pools = st.tuples(
    arrays(np.float64, (5, 8), elements=st.integers(-4, 4).map(float)),
    arrays(np.bool_, (5, 8)),
)


def slow_rank(row, good):
    """Sort with the relevant ones last among equals; the rank of the first relevant one, others not counted."""
    if not any(good):
        return None
    rank = 1
    for _, is_good in sorted(zip(row, good, strict=True), key=lambda pair: (-pair[0], pair[1])):
        if is_good:
            return rank
        rank += 1
    return None


@pytest.mark.slow
@given(pools)
@settings(max_examples=80, deadline=None)
def test_against_sorting(pool):
    scores, relevance = pool
    result = retrieval.recall_at_k(scores, relevance)
    for side, s, good in (("i2t", scores, relevance), ("t2i", scores.T, relevance.T)):
        slow = [slow_rank(row, g) for row, g in zip(s.tolist(), good.tolist(), strict=True)]
        known = [rank for rank in slow if rank is not None]
        assert [None if np.isnan(r) else r for r in result.ranks[side]] == slow
        for k in (1, 5, 10):
            v = result.verdicts[f"{side}_recall_at_{k}"]
            assert v.correct.tolist() == [rank is not None and rank <= k for rank in slow]
            assert v.defined.tolist() == [rank is not None for rank in slow]
            if known:
                assert result.rates[f"{side}_recall_at_{k}"].value == pytest.approx(np.mean([r <= k for r in known]))
        assert result.rates[f"{side}_median_rank"].value == (float(np.median(known)) if known else None)
    turned = retrieval.recall_at_k(scores.T, relevance.T)
    assert np.array_equal(turned.ranks["i2t"], result.ranks["t2i"], equal_nan=True)


def test_against_scikit_learn():
    rng = np.random.default_rng(0)
    scores, truth = rng.normal(size=(200, 30)), np.r_[np.arange(30), rng.integers(0, 30, 170)]
    relevance = np.arange(30) == truth[:, None]
    rates = retrieval.recall_at_k(scores, relevance).rates
    for k in (1, 5, 10):
        assert rates[f"i2t_recall_at_{k}"].value == pytest.approx(top_k_accuracy_score(truth, scores, k=k))


def test_ties_fail_and_are_counted():
    result = retrieval.recall_at_k(np.zeros((3, 3)), np.eye(3, dtype=bool), ks=(1, 2, 3))
    for k, value, ties in ((1, 0.0, 3), (2, 0.0, 3), (3, 1.0, 0)):
        rate = result.rates[f"i2t_recall_at_{k}"]
        assert (rate.value, rate.ties) == (value, ties)
    assert result.verdicts["i2t_recall_at_3"].margin.tolist() == [np.inf] * 3
    assert result.rates["i2t_median_rank"].value == 3


def test_negative_cosines_count():
    result = retrieval.recall_at_k([[-0.1, -0.5], [-0.9, -0.2]], np.eye(2, dtype=bool), ks=(1,))
    assert result.rates["i2t_recall_at_1"].value == 1.0
    assert result.rates["rsum"].value == 2.0


def test_missing_scores_and_lonely_texts():
    nan = float("nan")
    result = retrieval.recall_at_k([[0.9, nan, 0.1], [0.2, 0.8, 0.1]], [[1, 0, 0], [0, 1, 0]], ks=(1,))
    assert result.verdicts["i2t_recall_at_1"].defined.tolist() == [False, True]
    assert result.verdicts["t2i_recall_at_1"].defined.tolist() == [True, False, False]
    assert result.rates["rsum"].n == 2


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    scores, relevance = rng.normal(size=(23, 40)).astype(np.float32), rng.random((23, 40)) < 0.1
    whole = retrieval.recall_at_k(scores, relevance)
    monkeypatch.setattr(retrieval, "_BLOCK", 100)
    parts = retrieval.recall_at_k(scores, relevance)
    assert whole.rates == parts.rates
    assert np.array_equal(whole.ranks["t2i"], parts.ranks["t2i"], equal_nan=True)


def test_rsum_interval_holds_the_value():
    rng = np.random.default_rng(2)
    relevance = np.repeat(np.eye(40, dtype=bool), 5, axis=1)
    rates = retrieval.recall_at_k(rng.normal(size=(40, 200)) + 2 * relevance, relevance).rates
    recalls = [rate.value for name, rate in rates.items() if "recall" in name]
    low, high = rates["rsum"].ci95
    assert rates["rsum"].value == pytest.approx(sum(recalls))
    assert low < rates["rsum"].value < high
    assert rates["rsum"].n == 240


def slow_similarity(s, good, e, k, side):
    e = e / np.linalg.norm(e, axis=1, keepdims=True)
    values = []
    for q in range(s.shape[0] if side == "i2t" else s.shape[1]):
        grades = []
        for d in range(s.shape[1] if side == "i2t" else s.shape[0]):
            own = good[q] if side == "i2t" else good[d]
            query = e[d] if side == "i2t" else e[q]
            grades.append(max([float(np.clip(query @ t, 0, 1)) for t in e[own]], default=0.0))
        row = s[q] if side == "i2t" else s[:, q]
        has = good[q].any() if side == "i2t" else good[:, q].any()
        order = sorted(range(len(row)), key=lambda d: (-row[d], grades[d]))[:k]
        ideal = sum(sorted(grades)[::-1][:k])
        values.append(sum(grades[d] for d in order) / ideal if has and ideal > 0 else np.nan)
    return np.array(values)


@given(st.integers(0, 10**6), st.sampled_from([1, 3, 20]), st.sampled_from(["i2t", "t2i"]))
@settings(max_examples=40, deadline=None)
def test_similarity_relevance_against_loops(seed, k, side):
    rng = np.random.default_rng(seed)
    s, good = rng.integers(-3, 4, (4, 7)).astype(float), rng.random((4, 7)) < 0.3
    e = rng.normal(size=(7, 3))
    found = retrieval.similarity_relevance(s, good, e, k, side)
    assert found == pytest.approx(slow_similarity(s, good, e, k, side), nan_ok=True)
    assert np.all((found >= 0) & (found <= 1 + 1e-12) | np.isnan(found))


def test_similarity_relevance_of_a_perfect_and_a_missing_query():
    e, good = np.eye(3), np.eye(3, dtype=bool)
    assert retrieval.similarity_relevance(np.eye(3), good, e, k=1).tolist() == [1, 1, 1]
    assert np.isnan(retrieval.similarity_relevance([[np.nan, 1, 0]], good[:1], e, k=1)).all()
    with pytest.raises(ValueError, match="fit together"):
        retrieval.similarity_relevance(np.eye(3), good, e[:2])
    with pytest.raises(ValueError, match="side must be"):
        retrieval.similarity_relevance(np.eye(3), good, e, side="both")
