"""The hypergeometric distribution without scipy.stats is scipy.stats', to the bit."""

import subprocess
import sys

import numpy as np
from scipy.stats import hypergeom

from backend.metrics import hypergeometric


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
    assert np.array_equal(hypergeometric.mass(k, n, have, drawn), hypergeom.pmf(k, n, have, drawn))


def test_a_version_of_scipy_without_these_functions_is_asked_by_its_distribution(monkeypatch):
    k, n, have, drawn = cases()
    before = hypergeometric.beyond(k, n, have, drawn)
    monkeypatch.setattr(hypergeometric, "_functions", hypergeometric.by_stats)
    assert np.array_equal(hypergeometric.beyond(k, n, have, drawn), before)


def test_tests_of_a_selection_load_no_scipy_stats():
    code = (
        "import sys, numpy as np; from backend.metrics import enrichment;"
        "first = np.arange(40) < 20; enrichment.compared(first[:, None], first, first.astype(float));"
        "assert 'scipy.stats' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
