"""Samples that are left out (NaN) count nowhere: log-mean-exp, its errors, retrieval both ways, unions of alpha."""

import numpy as np
import pytest

from backend.metrics import alpha as alpha_
from backend.metrics import retrieval
from backend.metrics.alpha import montecarlo
from backend.metrics.alpha.debiasing import log_mean_exp, normalise

SAMPLES = np.random.default_rng(0).normal(-5, 2, (6, 4, 3))


@pytest.fixture
def holed():
    """The same samples with those that an item leaves out as NaN, and, item by item, what is left."""
    own = np.zeros((6, 4), bool)
    own[[0, 2], 1] = own[5, 3] = True
    return np.where(own[:, :, None], np.nan, SAMPLES), [SAMPLES[~own[:, n], n] for n in range(4)]


@pytest.mark.parametrize(
    "of", [log_mean_exp, montecarlo.log_mean_exp_error, montecarlo.effective_samples], ids=lambda of: of.__name__
)
def test_an_item_counts_its_own_samples_only(of, holed):
    found = of(holed[0])
    for n, left in enumerate(holed[1]):
        assert found[n] == pytest.approx(of(left), rel=1e-12)


def test_nothing_left_is_undefined():
    empty = np.full((3, 2), np.nan)
    for of in (log_mean_exp, montecarlo.log_mean_exp_error, montecarlo.effective_samples):
        assert np.isnan(of(empty)).all()


def test_resampled_images_of_an_item_that_leaves_some_out_have_its_own_mean(holed):
    counts = np.ones((4, 3))
    drawn = np.stack(list(montecarlo.resampled_priors(holed[0], counts, "sum", 400)))
    own = np.log(np.nanmean(np.exp(drawn), axis=0))  # a draw may hold none of an item's samples
    assert own == pytest.approx(log_mean_exp(holed[0]), abs=0.15)
    whole = np.stack(list(montecarlo.resampled_priors(SAMPLES, counts, "sum", 400)))
    assert drawn[:, 0] == pytest.approx(whole[:, 0], abs=1e-12)


def test_normalise_with_samples_left_out_by_image():
    gen = np.array([[-3.0, -4.0], [-4.0, -3.0]])
    samples = np.array([[[np.nan, np.nan], [-5.0, -6.0]], [[-7.0, -8.0], [np.nan, np.nan]]])
    _, prior = normalise(gen, np.full((2, 2), 2.0), samples)
    assert prior.tolist() == [[-3.5, -4.0], [-2.5, -3.0]]


def test_text_queries_rank_by_scores_of_their_own():
    scores, across, relevance = [[0.9, 0.1], [0.8, 0.3]], [[0.1, 0.3], [0.2, 0.4]], np.eye(2, dtype=bool)
    plain, _ = retrieval.recall_outcomes(scores, relevance, ks=(1,))
    found, _ = retrieval.recall_outcomes(scores, relevance, ks=(1,), across=across)
    other, _ = retrieval.recall_outcomes(across, relevance, ks=(1,))
    assert found["i2t_recall_at_1"].correct.tolist() == plain["i2t_recall_at_1"].correct.tolist()
    assert found["t2i_recall_at_1"].correct.tolist() == other["t2i_recall_at_1"].correct.tolist() == [False, True]
    with pytest.raises(ValueError, match="shape"):
        retrieval.recall_outcomes(scores, relevance, across=[[0.1, 0.2]])


def test_a_prior_for_each_image_moves_each_image_alone():
    rng = np.random.default_rng(3)
    gen, prior, good = rng.normal(size=(5, 10)), rng.normal(size=(5, 10)), np.arange(10) // 2 == np.arange(5)[:, None]
    found = alpha_.recall_unions(gen, prior, good)
    for row in range(5):
        alone = alpha_.recall_unions(gen, prior[row], good)
        for at in (0.0, 0.3, 1.0, 1.9):
            assert found.contains(at)[row] == alone.contains(at)[row]
