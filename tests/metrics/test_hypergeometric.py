"""The hypergeometric distribution without scipy.stats is scipy.stats': its tails to the bit."""

import subprocess
import sys

import numpy as np
from scipy.stats import fisher_exact, hypergeom

from backend.metrics import hypergeometric
from backend.metrics.enrichment import two_sided


def cases() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    n = rng.integers(1, 400, 4000)
    have, drawn = rng.integers(0, n + 1), rng.integers(0, n + 1)
    return rng.integers(-2, np.minimum(have, drawn) + 3), n, have, drawn


def test_both_are_scipys():
    k, n, have, drawn = cases()
    assert np.array_equal(hypergeometric.beyond(k, n, have, drawn), hypergeom.sf(k, n, have, drawn))
    possible = (k >= np.maximum(drawn - (n - have), 0)) & (k <= np.minimum(have, drawn))
    k, n, have, drawn = (each[possible] for each in (k, n, have, drawn))
    assert possible.sum() > 500
    mine = [np.exp(hypergeometric.log_mass(*one)) for one in zip(k, n, have, drawn, strict=True)]
    assert np.allclose(mine, hypergeom.pmf(k, n, have, drawn), rtol=1e-11, atol=0)


def test_both_ends_are_fisher_s_exact_test_however_many_items():
    rng = np.random.default_rng(1)
    for most in (12, 300, 30_000):
        for _ in range(60):
            n_in, n_out = (int(n) for n in rng.integers(1, most, 2))
            k_in, k_out = int(rng.integers(0, n_in + 1)), int(rng.integers(0, n_out + 1))
            wanted = fisher_exact([[k_in, n_in - k_in], [k_out, n_out - k_out]]).pvalue
            assert np.isclose(two_sided(k_in, n_in, k_out, n_out), wanted, rtol=1e-9, atol=1e-290)


def test_a_version_of_scipy_without_these_functions_is_asked_by_its_distribution(monkeypatch):
    k, n, have, drawn = cases()
    before = hypergeometric.beyond(k, n, have, drawn)
    monkeypatch.setattr(hypergeometric, "_survival", hypergeometric.by_stats)
    assert np.array_equal(hypergeometric.beyond(k, n, have, drawn), before)


def test_tests_of_a_selection_load_no_scipy_stats():
    code = (
        "import sys, numpy as np; from backend.metrics import enrichment;"
        "first = np.arange(40) < 20; enrichment.compared(first[:, None], first, first.astype(float));"
        "assert 'scipy.stats' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
