"""A read-out asked for one of two words: shared words do not outvote it, words of one meaning do not confuse it."""

import numpy as np
import pytest

from backend.metrics import by_item
from backend.metrics.reasons.contrast import contrast
from scripts.planted_worlds import lexical


def texts(words, n=60, seed=0, encoded=True):
    """(vectors, labels, others, groups): pairs of opposite words; words of one side share their meaning."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(n):
        own, other = words[0][k % len(words[0])], words[1][k % len(words[1])]
        for label, rest, sign in ((own, other, 1.0), (other, own, -1.0)):
            meaning = sign if encoded else 0.0
            rows.append((np.append(rng.standard_normal(6), 3 * meaning + rng.standard_normal()), label, rest, k))
    return [np.array(column) for column in zip(*rows, strict=True)]


def test_words_of_one_meaning_are_not_set_against_each_other():
    made = texts((("big", "large"), ("small", "tiny")))
    right, judged = contrast(*made)
    assert judged.all()
    assert right.mean() > 0.97
    right, _ = contrast(*texts((("big", "large"), ("small", "tiny")), encoded=False))
    assert 0.35 < right.mean() < 0.65


def test_a_concept_is_told_apart_from_shared_words():
    for weight, encoded in ((0.0, True), (0.9, True), (0.5, False)):
        cosines, vectors, concepts = lexical(0, weight, encoded)
        others = np.where(concepts == "left", "right", "left")
        right, judged = contrast(vectors, concepts, others, np.tile(np.arange(len(cosines)), 2))
        assert judged.all()
        assert (right.mean() > 0.9) if encoded else (0.4 < right.mean() < 0.6)
    assert by_item.triplet_t2t(lexical(0, 0.9, True)[0]).rate().value < 0.1  # T2T alone would say "not encoded"


def test_groups_are_never_on_both_sides():
    labels = np.repeat(np.random.default_rng(0).choice(["a", "b"], 40), 5)
    groups = np.repeat(np.arange(40), 5)
    vectors = np.eye(40)[groups]  # a vector says which image it is of, and nothing else
    right, judged = contrast(vectors, labels, np.where(labels == "a", "b", "a"), groups)
    assert right[judged].mean() < 0.7


def test_what_cannot_be_judged():
    vectors, labels, others, groups = texts((("left",), ("right",)), n=4)
    assert not contrast(vectors, labels, others, groups)[1].any()  # fewer groups than folds
    vectors, labels, others, groups = texts((("left",), ("right",)))
    labels[0] = "never again"
    judged = contrast(vectors, labels, others, groups)[1]
    assert not judged[0]
    assert judged[1:].all()
    with pytest.raises(ValueError, match="as many vectors"):
        contrast(vectors, labels[1:], others, groups)
    assert not contrast(vectors, ["one"] * 120, others, groups)[1].any()
