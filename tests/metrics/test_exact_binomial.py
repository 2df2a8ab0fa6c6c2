"""The exact binomial test against scipy.stats, and by hand."""

import numpy as np
import pytest

from backend.metrics.exact_binomial import two_sided


def test_it_is_the_test_of_scipy():
    from scipy.stats import binomtest

    rng = np.random.default_rng(0)
    cases = [(int(rng.integers(0, n + 1)), int(n), float(rng.uniform())) for n in rng.integers(1, 3000, 300)]
    cases += [(k, n, p) for n in range(1, 13) for k in range(n + 1) for p in (0.25, 0.5, 1 / 6, 0.9)]
    cases += [(24_000, 100_000, 0.25), (16_000, 100_000, 1 / 6), (50_000, 100_000, 0.5), (0, 5, 0.0), (5, 5, 1.0)]
    for k, n, p in cases:
        assert two_sided(k, n, p) == pytest.approx(binomtest(k, n, p).pvalue, rel=1e-9, abs=1e-300), (k, n, p)


def test_by_hand():
    # One of four at 1/2: outcomes 0, 1, 3, 4 are as unlikely or less likely.
    assert two_sided(1, 4) == pytest.approx(10 / 16)
    assert two_sided(2, 4) == 1.0


@pytest.mark.parametrize(("k", "n", "p"), [(3, 2, 0.5), (-1, 2, 0.5), (1, 2, 1.5), (1, 2, float("nan"))])
def test_numbers_that_are_none(k, n, p):
    with pytest.raises(ValueError, match="expected 0 <= k <= n"):
        two_sided(k, n, p)
