"""What one alpha wins over another, by counting."""

import numpy as np
import pytest
from scipy.stats import binomtest

from backend.metrics import alpha
from backend.metrics.alpha.gains import gain, reach
from tests.metrics.alpha.worlds import choices


def test_won_lost_and_p():
    sets, _, _ = choices(np.random.default_rng(0), 500, 0.7, prior=2.0)
    found = gain(sets, 0.7)
    before, after = sets.contains(0.0), sets.contains(0.7)
    assert (found.won, found.lost) == (int((~before & after).sum()), int((before & ~after).sum()))
    assert found.value == pytest.approx(after.mean() - before.mean())
    assert found.ci95[0] < found.value < found.ci95[1]
    assert found.p == pytest.approx(binomtest(found.won, found.won + found.lost).pvalue)
    assert found.as_dict()["ci95"] == list(found.ci95)


def test_some_items_only_and_undefined_ones_never():
    lo, hi = np.array([0.2, 0.2, -np.inf, np.nan]), np.array([np.inf, np.inf, 0.3, np.nan])
    sets = alpha.Intervals(lo, hi)
    assert gain(sets, 0.5).n == 3
    part = gain(sets, 0.5, keep=[True, False, True, True])
    assert (part.n, part.won, part.lost, part.value) == (2, 1, 1, 0.0)
    none = gain(sets, 0.5, keep=[False] * 4)
    assert (none.n, none.value, none.p, none.before) == (0, None, None, None)


def test_clusters_change_sides_together():
    sets, clusters, _ = choices(np.random.default_rng(1), 400, 0.8, prior=3.0, per_cluster=10)
    assert gain(sets, 0.8, clusters=clusters).p > gain(sets, 0.8).p


@pytest.mark.parametrize("domain", [(0.0, 1.0), (0.0, 2.0)])
def test_reach_against_many_alphas(domain):
    sets, _, _ = choices(np.random.default_rng(2), 200, 0.5, evidence=0.1)
    right = np.array([sets.contains(at) for at in np.linspace(*domain, 4001)])
    found = reach(sets, domain)
    assert found.n == 200 == found.always + found.somewhere + found.beyond + found.never
    assert found.always == right.all(axis=0).sum()
    assert found.always + found.somewhere == pytest.approx(right.any(axis=0).sum(), abs=2)  # slivers between two alphas
    assert found.never == (sets.lo >= sets.hi).sum()
