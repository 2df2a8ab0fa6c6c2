"""Errors of one item's margin and break-points: against loops, against the exact intervals, against new images."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.items import Protocol
from backend.metrics import alpha, protocols
from backend.metrics.alpha import montecarlo as mc
from backend.metrics.alpha.item_errors import comparisons, item_errors

SHAPES = {Protocol.CHOICE: (9, 4), Protocol.TRIPLET: (9, 3), Protocol.QUAD: (9, 2, 2)}


def made(protocol, seed, n=3):
    rng = np.random.default_rng(seed)
    shape = SHAPES[protocol]
    gen, count = rng.normal(-20, 3, shape), rng.integers(2, 9, shape[:1] + shape[-1:]).astype(float)
    sums = rng.normal(-25, 2, (n, *count.shape))
    counts = np.repeat(count[:, None, :], 2, axis=1) if protocol == Protocol.QUAD else count
    g, p = alpha.normalise(gen, counts, sums)
    return g, p, mc.prior_influence(sums, count), (gen, counts, sums, count)


@given(st.integers(0, 10**6), st.sampled_from(list(SHAPES)), st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=60, deadline=None)
def test_margins_and_ends_are_those_of_the_metrics(seed, protocol, at):
    g, p, u, _ = made(protocol, seed)
    found = item_errors(comparisons(protocol, g, p, u), at)
    judge = {
        Protocol.CHOICE: (protocols.choice, alpha.intervals),
        Protocol.TRIPLET: (protocols.triplet_i2t, alpha.intervals_triplet),
        Protocol.QUAD: (lambda s: protocols.quad(s)["text_score"], alpha.intervals_quad_text),
    }[protocol]
    assert found.margin == pytest.approx(judge[0](alpha.debias(g, p, at)).margin, abs=1e-9)
    exact = judge[1](g, p)
    assert np.array_equal(found.lo, exact.lo)
    assert np.array_equal(found.hi, exact.hi)
    if at == 0:
        assert not found.margin_error.any()


def test_errors_against_loops():
    g, p, u, _ = made(Protocol.CHOICE, 5)
    found = item_errors(comparisons(Protocol.CHOICE, g, p, u), 0.6)
    for i in range(len(g)):
        gaps = [(g[i, 0] - g[i, j]) - 0.6 * (p[i, 0] - p[i, j]) for j in (1, 2, 3)]
        j = 1 + int(np.argmin(gaps))
        assert found.margin_error[i] == pytest.approx(0.6 * np.std(u[:, i, 0] - u[:, i, j], ddof=1) / np.sqrt(3))
        if np.isfinite(found.hi[i]):
            ends = {(g[i, 0] - g[i, j]) / (p[i, 0] - p[i, j]): j for j in (1, 2, 3)}
            j = ends[found.hi[i]]
            diff = p[i, 0] - p[i, j]
            error = np.std(u[:, i, 0] - u[:, i, j], ddof=1) / np.sqrt(3)
            assert found.hi_error[i] == pytest.approx(abs(g[i, 0] - g[i, j]) / diff**2 * error)
        else:
            assert np.isnan(found.hi_error[i])


@pytest.mark.long
def test_margin_errors_are_what_new_images_do():
    rng = np.random.default_rng(8)
    gen, count = np.array([[-20.0, -24.0]]), np.array([[4.0, 6.0]])
    margins, claimed = [], []
    for _ in range(1500):
        sums = -30 + 0.5 * rng.normal(size=(10, 1, 2))
        g, p = alpha.normalise(gen, count, sums)
        found = item_errors(comparisons(Protocol.CHOICE, g, p, mc.prior_influence(sums, count)), 0.8)
        margins.append(found.margin[0])
        claimed.append(found.margin_error[0])
    assert np.sqrt(np.mean(np.square(claimed))) == pytest.approx(np.std(margins), rel=0.1)


def test_padding_missing_and_wrong_protocols():
    nan = float("nan")
    g, p = [[-1.0, -2.0, nan], [-1.0, nan, -2.0]], [[-1.0, -3.0, nan], [-1.0, -1.0, -2.0]]
    found = item_errors(comparisons(Protocol.CHOICE, g, p, np.zeros((2, 2, 3)), [2, 3]), 1.0)
    assert found.margin[0] == -1.0
    assert found.hi.tolist()[0] == 0.5
    assert np.isnan(found.margin[1])
    assert np.isnan(found.lo[1])
    assert item_errors(
        comparisons(Protocol.TRIPLET, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((2, 0, 3))), 1
    ).lo.shape == (0,)
    with pytest.raises(ValueError, match="must be choice"):
        comparisons(Protocol.RETRIEVAL, g, p, np.zeros((2, 2, 3)))
