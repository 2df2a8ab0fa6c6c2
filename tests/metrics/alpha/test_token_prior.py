import numpy as np
import pytest

from backend.metrics.alpha import log_mean_exp, normalise
from backend.metrics.alpha.token_prior import chain


@pytest.mark.parametrize("n_samples", [1, 2, 7])
def test_the_tokens_sum_to_equation_13(n_samples: int) -> None:
    rng = np.random.default_rng(n_samples)
    samples = -rng.gamma(2.0, 2.0, size=(n_samples, 9))
    assert chain(samples).sum() == pytest.approx(log_mean_exp(samples.sum(axis=1)), abs=1e-12)
    _, prior = normalise(np.zeros((1, 1)), np.array([9]), samples.sum(axis=1, keepdims=True), "token")
    assert chain(samples).mean() == pytest.approx(float(prior[0]), abs=1e-12)


def test_one_sample_is_itself() -> None:
    assert chain([[-1.0, -2.5, -0.25]]) == pytest.approx([-1.0, -2.5, -0.25])


def test_it_is_the_mixtures_own_conditional_probability() -> None:
    """Two coins that are thrown twice, one of them drawn at random: by Bayes' rule, weights from the first throw."""
    first, second = np.array([0.9, 0.2]), np.array([0.7, 0.4])
    by_hand = [np.log(first.mean()), np.log((first / first.sum() * second).sum())]
    assert chain(np.log(np.stack([first, second], axis=1))) == pytest.approx(by_hand)
    assert chain(np.log(np.stack([first, second], axis=1)))[1] != pytest.approx(np.log(second.mean()), abs=1e-3)


def test_no_overflow_no_tokens_and_impossible_tokens() -> None:
    assert chain([[-2000.0, -1.0], [-2000.0, -1.0]]) == pytest.approx([-2000.0, -1.0])
    assert chain(np.zeros((3, 0))).shape == (0,)
    assert chain([[-np.inf, -1.0]])[0] == -np.inf
    assert np.isnan(chain([[-np.inf, -1.0]])[1])
