import numpy as np
import pytest

from backend.metrics.alpha import log_mean_exp
from backend.metrics.alpha.montecarlo import effective_samples as of_all
from backend.metrics.alpha.montecarlo import log_mean_exp_error
from backend.metrics.reasons.priors import effective_samples, jackknife_error, left_out, log_mean


def test_left_out_is_as_if_never_sampled():
    samples = np.random.default_rng(0).normal(-30, 3, (8, 5, 2))
    own = np.zeros((8, 5), bool)
    own[[1, 4], 2] = own[:, 3] = True
    found = left_out(samples, own)
    assert log_mean(found)[2] == pytest.approx(log_mean_exp(np.delete(samples[:, 2], [1, 4], axis=0)))
    assert effective_samples(found)[2] == pytest.approx(of_all(np.delete(samples[:, 2], [1, 4], axis=0)))
    assert np.isnan(log_mean(found)[3]).all()
    assert np.isnan(effective_samples(found)[3]).all()
    assert log_mean(found)[0] == pytest.approx(log_mean_exp(samples[:, 0]))
    with pytest.raises(ValueError, match="own \\(K, n\\) wanted"):
        left_out(samples, own.T)


def test_log_zero_is_a_sample():
    assert log_mean([[-np.inf], [np.log(2.0)]]).tolist() == [pytest.approx(0.0)]
    assert effective_samples([[-np.inf], [0.0]]).tolist() == [1.0]


def test_the_jackknife_is_the_spread_of_new_samples():
    rng = np.random.default_rng(1)
    draws = rng.standard_normal((200, 25, 3, 2)) * 0.5

    def margin(samples):
        return log_mean(samples)[:, 0] - log_mean(samples)[:, 1]

    spread = np.std([margin(samples) for samples in draws], axis=0)
    told = np.mean([jackknife_error(margin, samples) for samples in draws[:40]], axis=0)
    assert told == pytest.approx(spread, rel=0.2)
    one = jackknife_error(lambda s: log_mean(s)[:, 0], draws[0])
    assert one == pytest.approx(log_mean_exp_error(draws[0])[:, 0], rel=0.1)
    holes = left_out(draws[0], np.arange(25)[:, None] >= np.array([25, 12, 1]))
    found = jackknife_error(margin, holes)
    assert np.isnan(found[2])
    assert found[1] == pytest.approx(jackknife_error(margin, draws[0][:12])[1])


def test_the_jackknife_of_a_mean_is_its_standard_error():
    samples = np.random.default_rng(2).standard_normal((4, 3, 1))
    found = jackknife_error(lambda s: np.nanmean(s[:, :, 0], axis=0), samples)
    assert found == pytest.approx(samples[:, :, 0].std(axis=0, ddof=1) / 2)
