"""Monte-Carlo errors against what really happens when other images are drawn."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import logsumexp

from backend.metrics import alpha
from backend.metrics.alpha import montecarlo as mc

DRAWS = 1500


def sums(rng, *shape):
    """Sums of log-probabilities as a captioner gives them: far below 0, spread by sampled images."""
    return -40 + 0.4 * rng.normal(size=shape)


@given(arrays(np.float64, (4, 3), elements=st.floats(-5, 5)))
@settings(max_examples=60, deadline=None)
def test_delta_method_is_the_formula(samples):
    weights = np.exp(samples)
    slow = weights.std(axis=0, ddof=1) / (np.sqrt(4) * weights.mean(axis=0))
    assert mc.log_mean_exp_error(samples) == pytest.approx(slow, abs=1e-12)
    assert mc.log_mean_exp_error(samples - 5000) == pytest.approx(slow, abs=1e-9)  # where exp underflows
    assert mc.log_mean_exp_error(samples * 0).tolist() == [0, 0, 0]


@pytest.mark.parametrize("norm", ["token", "sum", "paper-score"])
@pytest.mark.parametrize("n", [8, 30])
def test_against_new_images(norm, n):
    rng = np.random.default_rng(n)
    count = np.array([[7, 3]])
    draws = sums(rng, DRAWS, n, 1, 2)
    estimates = np.array([alpha.normalise(np.zeros((1, 2)), count, s, norm)[1] for s in draws])
    claimed = np.array([mc.standard_error(mc.prior_influence(s, count, norm)) for s in draws])
    really = estimates.std(axis=0)
    assert np.sqrt((claimed**2).mean(axis=0)) == pytest.approx(really, rel=0.07)


def test_against_the_bootstrap():
    rng = np.random.default_rng(3)
    samples = sums(rng, 40)
    again = rng.choice(samples, (4000, 40))
    resampled = logsumexp(again, axis=1) - np.log(40)
    assert float(mc.log_mean_exp_error(samples)) == pytest.approx(resampled.std(), rel=0.06)


def test_shared_images_cancel_from_a_margin_and_break_points_follow():
    """An image that likes all captions alike moves log P(t) but no margin; adding variances would say otherwise."""
    rng = np.random.default_rng(4)
    n, truth, foil = 60, 8, 5
    liked = rng.normal(size=(DRAWS, n, 1))
    draws = -30 + liked + 0.2 * rng.normal(size=(DRAWS, n, 2))
    count = np.array([truth, foil])
    gen_diff = -1.3
    diffs, claimed, points, point_errors = [], [], [], []
    for s in draws:
        _, p = alpha.normalise(np.zeros(2), count, s, "sum")
        moved = mc.prior_influence(s, count, "sum")
        error = mc.standard_error(moved[:, 0] - moved[:, 1])
        diff = p[0] - p[1] - 4.0
        diffs.append(diff)
        claimed.append(float(error))
        points.append(gen_diff / diff)
        point_errors.append(float(mc.break_point_error(diff, gen_diff / diff, error)))
    assert np.sqrt(np.mean(np.square(claimed))) == pytest.approx(np.std(diffs), rel=0.1)
    assert np.sqrt(np.mean(np.square(point_errors))) == pytest.approx(np.std(points), rel=0.1)
    naive = np.hypot(*mc.standard_error(mc.prior_influence(draws[0], count, "sum")))
    assert naive > 2 * np.mean(claimed)


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 10, 20])
@pytest.mark.parametrize(("shared", "own"), [(0.7, 0.5), (0.1, 1.0)])
def test_the_error_of_an_accuracy(n, shared, own):
    """Fixed items and new images each time: the mean claimed variance is what really happens."""
    rng = np.random.default_rng(n)
    items, at = 150, 0.8
    gen, base = rng.normal(size=(items, 2)), rng.normal(size=(items, 2))
    like = rng.normal(size=(1, items, 2))
    count = np.ones((items, 2))

    def accuracy(p):
        return np.mean((gen - at * p)[:, 0] > (gen - at * p)[:, 1])

    values, claimed = [], []
    for k in range(400):
        taste = rng.normal(size=(n, 1, 1))  # what kind of image it is, the same for all captions
        samples = base + shared * taste * like + own * rng.normal(size=(n, items, 2))
        values.append(accuracy(alpha.log_mean_exp(samples)))
        claimed.append(float(mc.resampled_error(accuracy, samples, count, resamples=60, seed=k)))
    assert np.sqrt(np.mean(np.square(claimed))) == pytest.approx(np.std(values), rel=0.2)


@pytest.mark.parametrize("norm", ["token", "sum", "paper-score"])
def test_resampled_priors_are_priors_of_drawn_images(norm):
    samples, count = sums(np.random.default_rng(7), 3, 4, 2), np.arange(1, 9).reshape(4, 2)
    every = [
        alpha.normalise(np.zeros((4, 2)), count, samples[list(i)], norm)[1]
        for i in itertools.product(range(3), repeat=3)
    ]
    for p in mc.resampled_priors(samples, count, norm, resamples=20):
        assert any(np.allclose(p, q, atol=1e-9) for q in every)


def test_few_images_may_decide():
    assert mc.effective_samples(np.zeros((5, 1))).tolist() == [5]
    assert mc.effective_samples([[0.0], [-60.0], [-60.0]]) == pytest.approx(1)
    weights = np.random.default_rng(0).random((6, 4))
    assert mc.effective_samples(np.log(weights)) == pytest.approx(weights.sum(0) ** 2 / (weights**2).sum(0))


def test_degenerate():
    one = [[-3.0, -4.0]]
    assert np.isnan(mc.log_mean_exp_error(one)).all()
    assert np.isnan(mc.resampled_error(lambda p: p, one, [1, 1])).all()
    assert mc.log_mean_exp_error(np.zeros((0, 2))).shape == (2,)
    assert np.isnan(mc.log_mean_exp_error([[np.nan], [1.0]])).all()
    assert np.isnan(mc.log_mean_exp_error([[-np.inf], [-np.inf]])).all()
    assert mc.log_mean_exp_error([[-np.inf], [0.0]]) == pytest.approx(1.0)  # w = 0, 1: sd .707, mean .5
    assert np.isnan(mc.prior_influence([[1.0], [2.0]], [0])).all()
    assert np.isnan(mc.break_point_error(0.0, np.inf, 0.1))
    with pytest.raises(ValueError, match="norm must be"):
        mc.prior_influence([[1.0]], [1], "mean")
