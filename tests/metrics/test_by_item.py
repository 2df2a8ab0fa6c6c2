"""Protocols against loops, worked numbers and properties."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from backend.items import Kind, Protocol
from backend.metrics import protocols
from backend.metrics.core.chance import recall_chance
from backend.metrics.core.evaluate import outcomes
from backend.metrics.protocols import chance

small = st.integers(-3, 3).map(float)
quads = arrays(np.float64, (4, 2, 2), elements=small)


def slow_quad(s):
    text = s[0][0] > s[0][1] and s[1][1] > s[1][0]
    image = s[0][0] > s[1][0] and s[1][1] > s[0][1]
    return {"text_score": text, "image_score": image, "group_score": text and image}


@given(quads)
@settings(max_examples=60, deadline=None)
def test_quads_against_loops_and_symmetries(s):
    found = protocols.quad(s)
    for name, v in found.items():
        assert v.correct.tolist() == [slow_quad(item)[name] for item in s.tolist()]
    swapped = protocols.quad(s[:, ::-1, ::-1])
    turned = protocols.quad(s.transpose(0, 2, 1))
    other = {"text_score": "image_score", "image_score": "text_score", "group_score": "group_score"}
    for name, v in found.items():
        assert np.array_equal(swapped[name].margin, v.margin)
        assert np.array_equal(turned[other[name]].margin, v.margin)
        assert np.array_equal(v.ties, v.margin == 0)
    assert not np.any(found["group_score"].correct & ~found["text_score"].correct)


@given(arrays(np.float64, (6, 4), elements=small), st.integers(-5, 5))
@settings(max_examples=60, deadline=None)
def test_choice_against_loops(s, shift):
    found = protocols.choice(s)
    for row, correct, margin, tie in zip(s.tolist(), found.correct, found.margin, found.ties, strict=True):
        rival = max(row[1:])
        assert correct == all(row[0] > foil for foil in row[1:])
        assert margin == row[0] - rival
        assert tie == (row[0] == rival)
    assert np.array_equal(protocols.choice(s + shift).correct, found.correct)
    assert np.array_equal(protocols.choice(s[:, [0, 3, 2, 1]]).margin, found.margin)


@given(arrays(np.float64, (5, 3), elements=small), arrays(np.bool_, 5))
@settings(max_examples=60, deadline=None)
def test_triplets_are_the_conjunction_of_their_pairs(s, first):
    both = list(protocols.triplet_pairs_t2t(s, first).values())
    assert np.array_equal((both[0] & both[1]).margin, protocols.triplet_t2t(s).margin)
    both = list(protocols.triplet_pairs_i2t(s, first).values())
    assert np.array_equal((both[0] & both[1]).margin, protocols.triplet_i2t(s).margin)
    flipped = protocols.triplet_pairs_t2t(s[:, [0, 2, 1]], ~first)
    for name, v in protocols.triplet_pairs_t2t(s, first).items():
        assert np.array_equal(flipped[name].margin, v.margin)


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


texts = st.lists(st.text("abC é", max_size=6), min_size=4, max_size=4)


@given(texts, texts, texts)
@settings(max_examples=60, deadline=None)
def test_renaming_against_a_slow_edit_distance(p1, p2, negative):
    found = protocols.rename_paraphrases(p1, p2, negative).tolist()
    for a, b, n, keeps in zip(p1, p2, negative, found, strict=True):
        assert keeps == (levenshtein(a.lower(), n.lower()) <= levenshtein(b.lower(), n.lower()))


def test_renaming_ignores_case_and_ties_keep_file_order():
    assert protocols.rename_paraphrases(["A CAT", "x"], ["a bat!", "y"], ["a cat", "z"]).tolist() == [True, True]


def test_threshold_by_hand():
    nan = float("nan")
    p = [[0.9, 0.1, 0.6], [0.5, 0.5, nan], [0.2, 0.3, nan], [nan, 0.1, 0.1]]
    rates = protocols.threshold(p)
    assert (rates["pc"].value, rates["pc"].n, rates["pc"].ties) == (pytest.approx(1 / 3), 3, 1)
    assert (rates["pf"].value, rates["pf"].n, rates["pf"].ties) == (pytest.approx(3 / 4), 4, 1)
    assert rates["threshold_accuracy"].value == pytest.approx((1 / 3 + 3 / 4) / 2)
    assert rates["min_pc_pf"].value == pytest.approx(1 / 3)
    low, high = rates["threshold_accuracy"].ci95
    assert low <= rates["threshold_accuracy"].value <= high


def test_threshold_of_scores_that_are_no_probabilities_is_undefined():
    assert {rate.value for rate in protocols.threshold([[2.5, -1.0]]).values()} == {None}
    assert protocols.threshold([[0.9, 0.1, 7.0]], n_texts=[2])["pc"].value == 1.0


def orderings(cells):
    return np.array(list(itertools.permutations(range(cells))), dtype=float)


def test_chance_levels_by_all_orderings():
    for name, v in protocols.quad(orderings(4).reshape(-1, 2, 2)).items():
        assert v.rate().value == pytest.approx(chance(name))
    three = orderings(3)
    assert protocols.triplet_i2t(three).rate().value == pytest.approx(chance("i2t_accuracy"))
    assert protocols.triplet_t2t(three).rate().value == pytest.approx(chance("t2t_accuracy"))
    for pairs in (protocols.triplet_pairs_t2t, protocols.triplet_pairs_i2t):
        for name, v in pairs(three, np.ones(len(three), bool)).items():
            assert v.rate().value == pytest.approx(chance(name))
    for k in (2, 3, 5):
        assert protocols.choice(orderings(k)).rate().value == pytest.approx(chance("accuracy", k))


@pytest.mark.parametrize(("total", "good", "k"), [(6, 1, 1), (6, 2, 1), (6, 2, 3), (5, 3, 3), (4, 4, 1), (3, 1, 9)])
def test_chance_of_recall_by_all_subsets(total, good, k):
    tops = list(itertools.combinations(range(total), min(k, total)))
    slow = sum(any(place < good for place in top) for top in tops) / len(tops)
    assert recall_chance(total, good, k) == pytest.approx(slow)
    assert chance(f"t2i_recall_at_{k}", [total], [good]) == pytest.approx(slow)


def test_chance_where_there_is_none():
    assert chance("accuracy", []) is None
    assert chance("accuracy", [1, 1]) is None
    assert chance("eqsim_v1") is None
    assert chance("i2t_recall_at_1", [5], [0]) is None


def test_evaluate_names_and_refusals():
    assert set(outcomes(Protocol.TRIPLET, Kind.T2T, [[3, 2, 1]], p1_first=[True])) == {
        "t2t_accuracy",
        "p1_n_accuracy",
        "p2_n_accuracy",
    }
    assert set(outcomes(Protocol.TRIPLET, Kind.GEN, [[3, 2, 1]])) == {"i2t_accuracy"}
    assert outcomes(Protocol.CHOICE, Kind.PRIOR, [[3, 2]])["accuracy"].correct.tolist() == [True]
    for protocol, kind in [(Protocol.QUAD, Kind.PRIOR), (Protocol.QUAD, Kind.T2T), (Protocol.RETRIEVAL, Kind.ITC)]:
        with pytest.raises(ValueError, match="no per-item verdict"):
            outcomes(protocol, kind, [])
