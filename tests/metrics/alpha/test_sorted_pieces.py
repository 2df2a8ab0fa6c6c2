"""Draws from sorted pieces: to the bit what every draw gives by itself."""

import numpy as np
import pytest

from backend.metrics import alpha
from backend.metrics.alpha import bootstrap
from backend.metrics.alpha.bootstrap import Priors, spread
from backend.metrics.alpha.sorted_pieces import Pieces, Where
from tests.metrics.alpha import slow_spread
from tests.metrics.alpha.worlds import choices


def same(found, wanted):
    """Two spreads, to the bit."""
    assert (found is None) == (wanted is None)
    if wanted is None:
        return
    for name in wanted.__dataclass_fields__:
        one, other = getattr(found, name), getattr(wanted, name)
        assert np.array_equal(one, other, equal_nan=True), name


def coarse(rng, n, samples=None, digits=1, missing=0.0):
    """(sets, priors): choices with three texts whose scores are so coarse that very many ends fall together."""
    gen = rng.normal(0, 1, (n, 3)).round(digits)
    gen[: n // 10] = np.nan
    if samples is None:
        return alpha.intervals(gen, rng.normal(0, 1, (n, 3)).round(digits)), None
    sums = rng.normal(-3, 1, (samples, n, 3)).round(digits)
    sums[rng.random(sums.shape) < missing] = np.nan
    priors = Priors.of(sums, np.full((n, 3), 2.0), "token", lambda p: alpha.intervals(gen, p))
    return priors.to_sets(priors.of_counts(np.ones(samples))), priors


@pytest.mark.parametrize("domain", [(0.0, 1.0), (0.0, 2.0)])
@pytest.mark.parametrize("samples", [None, 2, 3, 7])
@pytest.mark.parametrize("per_cluster", [1, 4])
def test_smooth_scores(samples, per_cluster, domain):
    sets, clusters, priors = choices(np.random.default_rng(1), 240, 0.5, samples=samples, per_cluster=per_cluster)
    same(spread(sets, clusters, priors, domain, 60, 3), slow_spread.spread(sets, clusters, priors, domain, 60, 3))


@pytest.mark.parametrize("digits", [0, 1])
@pytest.mark.parametrize("samples", [None, 2, 4, 12])
@pytest.mark.parametrize("n", [11, 150])
def test_ends_that_fall_together(n, samples, digits):
    rng = np.random.default_rng(n)
    sets, priors = coarse(rng, n, samples, digits)
    clusters = rng.integers(0, max(3, n // 3), n)
    same(spread(sets, clusters, priors, draws=80), slow_spread.spread(sets, clusters, priors, draws=80))


@pytest.mark.parametrize("samples", [2, 6])
def test_texts_that_lack_an_image(samples):
    sets, priors = coarse(np.random.default_rng(5), 120, samples, 2, missing=0.3)
    same(spread(sets, None, priors, draws=80), slow_spread.spread(sets, None, priors, draws=80))


@pytest.mark.parametrize("domain", [(0.0, 1.0), (0.0, 2.0)])
def test_a_pool(domain):
    """Unions, known from 0 to 2 alone: the room ends where the domain does."""
    rng = np.random.default_rng(6)
    gen, prior = rng.normal(0, 1, (60, 25)).round(1), rng.normal(0, 1, 25).round(1)
    gen[3, 4] = np.nan
    sets = alpha.recall_unions(gen, prior, rng.random((60, 25)) < 0.1)
    assert not sets.known.all()
    clusters = rng.integers(0, 20, 60)
    same(spread(sets, clusters, None, domain, 80), slow_spread.spread(sets, clusters, None, domain, 80))


def test_some_that_end_where_others_begin_break_the_plateau():
    """Two plateaus of one item, as wide as each other, and not one that is twice as wide."""
    sets = alpha.Intervals(np.array([0.25, 0.625, -np.inf]), np.array([0.625, np.inf, 0.125]))
    where = Where((0.0, 1.0), (-1.0, 2.0), np.arange(3), 3, np.array([0.625, 1.0]))
    for drawn in ([1, 1, 0], [0, 0, 1], [0, 1, 0], [2, 2, 2]):
        counts = np.array(drawn, dtype=np.int32)
        wanted = slow_spread.curve(sets, counts.astype(float), where.alphas, where.domain, where.room)
        for pieces in (Pieces.of(sets, where), Pieces.of(sets, where, counts)):
            found = pieces.curve(counts)
            assert found[0].tolist() == wanted[0].tolist()
            assert found[1:] == wanted[1:]
    assert Pieces.of(sets, where).curve(np.array([1, 1, 0], dtype=np.int32))[1] == (0.25, 0.625)


def test_images_that_are_drawn_alike_are_sorted_once(monkeypatch):
    sets, clusters, priors = choices(np.random.default_rng(2), 50, 0.5, samples=2)
    asked = []
    before = Priors.sets
    monkeypatch.setattr(Priors, "sets", lambda self, counts: (asked.append(tuple(counts)), before(self, counts))[1])
    spread(sets, clusters, priors, draws=100)
    assert sorted(asked) == [(0, 2), (1, 1), (2, 0)]
    asked.clear()
    monkeypatch.setattr(bootstrap, "KEPT", 0)
    spread(sets, clusters, priors, draws=100)
    assert len(asked) == 100
