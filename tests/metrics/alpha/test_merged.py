"""The exact curve by one merge, against three binary searches for every break-point, to the bit."""

import numpy as np
import pytest

from backend.metrics import alpha
from backend.metrics.alpha.curves import Curve, curve
from backend.metrics.alpha.open_intervals import Intervals, half_lines


def by_searches(intervals: Intervals, weights: np.ndarray | None = None) -> Curve:
    """The curve as it was worked out before: every break-point is looked for among the sorted ends."""
    weight = np.ones(len(intervals)) if weights is None else weights
    total = weight[intervals.defined].sum()
    owner, lo, hi = intervals.pieces()
    starts, ends = np.argsort(lo, kind="stable"), np.argsort(hi, kind="stable")
    started = np.concatenate([[0.0], np.cumsum(weight[owner][starts])])
    ended = np.concatenate([[0.0], np.cumsum(weight[owner][ends])])
    points = np.unique(np.concatenate([lo[np.isfinite(lo)], hi[np.isfinite(hi)]]))
    over = ended[np.searchsorted(hi[ends], points, "right")]
    after = started[np.searchsorted(lo[starts], points, "right")] - over
    on = started[np.searchsorted(lo[starts], points, "left")] - over
    before = started[np.searchsorted(lo[starts], -np.inf, "right")]
    scale = total if total > 0 else np.nan
    return Curve(points, np.concatenate([[before], after]) / scale, on / scale, int(intervals.defined.sum()))


@pytest.mark.parametrize("digits", [1, 12])
@pytest.mark.parametrize("n", [0, 1, 7, 3000])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_merge_gives_what_three_searches_give(n, digits, weighted):
    rng = np.random.default_rng(n + digits)
    # With one digit many ends are equal, among them lower and upper ones of different items.
    gen, prior = (np.round(rng.normal(size=(n, 3)), digits) for _ in range(2))
    gen[rng.random(gen.shape) < 0.02] = np.nan
    gen[rng.random(gen.shape) < 0.02] = -np.inf
    sets = alpha.intervals(gen, prior, np.full(n, 3))
    weights = rng.random(n) if weighted else None
    new, old = curve(sets, weights), by_searches(sets, weights)
    for name in ("breakpoints", "value_between", "value_at"):
        np.testing.assert_array_equal(getattr(new, name), getattr(old, name), strict=True)
    assert new.n == old.n
    if n > 7:
        assert len(new.breakpoints) > 10
        assert np.isin(new.breakpoints, sets.lo).any() and np.isin(new.breakpoints, sets.hi).any()  # noqa: PT018


def test_half_lines_at_every_odd_value():
    """g - a p > 0 at alphas on both sides, for all pairs of odd and plain differences."""
    values = np.array([-np.inf, -2.0, -0.0, 0.0, 1.5, np.inf, np.nan])
    g, p = (each.ravel() for each in np.meshgrid(values, values))
    lo, hi = half_lines(g, p)
    unknown = np.isnan(g) | ~np.isfinite(p)
    assert (np.isnan(lo) == unknown).all()
    assert (np.isnan(hi) == unknown).all()
    for at in (-3.0, -0.4, 0.3, 5.0):
        with np.errstate(invalid="ignore"):
            holds = g - at * p > 0
        assert (((lo < at) & (at < hi)) == holds)[~unknown].all()


def test_many_columns_are_folded_like_few():
    rng = np.random.default_rng(3)
    gen, prior = rng.normal(size=(2, 50, 40))
    sets = alpha.intervals(gen, prior)
    for at in (-0.3, 0.2, 0.9):
        debiased = gen - at * prior
        assert sets.contains(at).tolist() == (debiased[:, :1] > debiased[:, 1:]).all(axis=1).tolist()
