"""Pools a block at a time: the same recalls as from whole arrays, in a fraction of their memory."""

import tracemalloc

import numpy as np
import pytest

from backend.metrics import retrieval
from backend.metrics.core.tables import Owners, Products


def pool(images=60, each=4, d=16, seed=0):
    """Unit vectors (float32) of images and of texts near them, and the owners of both."""
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(images), each)
    first = rng.normal(size=(images, d)).astype(np.float32)
    second = (first[owner] + 1.5 * rng.normal(size=(len(owner), d))).astype(np.float32)
    second[1] = second[0]  # twins tie with one another
    return *(v / np.linalg.norm(v, axis=1, keepdims=True) for v in (first, second)), np.arange(images), owner


@pytest.mark.parametrize("block", [1, 700, 4_000_000])
def test_recalls_are_those_of_the_whole_table(monkeypatch, block):
    monkeypatch.setattr(retrieval, "_BLOCK", block)
    images, texts, of_image, of_text = pool()
    tiled = retrieval.recall_at_k(Products(images, texts), Owners(of_image, of_text))
    whole = retrieval.recall_at_k(images @ texts.T, of_image[:, None] == of_text[None, :])
    assert tiled.rates == whole.rates
    for name, found in whole.verdicts.items():
        np.testing.assert_allclose(tiled.verdicts[name].margin, found.margin, atol=1e-6)
        assert tiled.verdicts[name].correct.tolist() == found.correct.tolist()
    for side in ("i2t", "t2i"):
        np.testing.assert_array_equal(tiled.ranks[side], whole.ranks[side])


def test_ranks_and_margins_by_hand_in_both_precisions():
    """Counting and sorting by Python, one query at a time, with ties, missing scores and queries without relevance."""
    rng = np.random.default_rng(7)
    scores = np.round(rng.normal(size=(30, 14)), 1)
    scores[3, 2] = np.nan
    scores[5] = -np.inf
    good = rng.random(scores.shape) < 0.15
    good[5, :2] = True
    for table in (scores, scores.astype(np.float32)):
        verdicts, ranks = retrieval.recall_outcomes(table, good, ks=(1, 3))
        for row in range(30):
            right, wrong = table[row][good[row]].tolist(), sorted(table[row][~good[row]].tolist(), reverse=True)
            if not right or np.isnan(table[row]).any():
                assert np.isnan(ranks["i2t"][row])
                assert not verdicts["i2t_recall_at_1"].defined[row]
                continue
            ahead = sum(score >= max(right) for score in wrong)
            assert ranks["i2t"][row] == 1 + ahead
            for k in (1, 3):
                assert verdicts[f"i2t_recall_at_{k}"].correct[row] == (ahead < k)
                if row != 5:
                    assert verdicts[f"i2t_recall_at_{k}"].margin[row] == max(right) - wrong[k - 1]


def test_memory_is_bounded_by_the_block(monkeypatch):
    monkeypatch.setattr(retrieval, "_BLOCK", 50_000)
    images, texts, of_image, of_text = pool(300, 10, 8)
    cells = 4 * len(images) * len(texts)
    tracemalloc.start()
    retrieval.recall_outcomes(Products(images, texts), Owners(of_image, of_text))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < cells / 2, (most, cells)  # of the scores alone, in float32


def test_owners_count_like_the_array_that_they_stand_for():
    owners = Owners(np.array([3, 1, 1, 9]), np.array([1, 3, 1, 5]))
    table = np.asarray(owners)
    assert table.dtype == np.bool_
    assert table.tolist() == np.asarray(owners.T).T.tolist()
    of_image, of_text = owners.counts()
    assert of_image.tolist() == table.sum(axis=1).tolist()
    assert of_text.tolist() == table.sum(axis=0).tolist()
    assert owners.first_of_texts().tolist() == table.argmax(axis=0).tolist()


def test_shapes_that_do_not_fit_are_refused():
    images, texts, of_image, of_text = pool(6, 2)
    with pytest.raises(ValueError, match="relevance must have the shape of scores"):
        retrieval.recall_outcomes(Products(images, texts), Owners(of_image, of_text[:-1]))
