"""The exact curve against rationals: brute force on a dense grid, on every break-point and between them."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from backend.metrics import alpha, protocols

NAN, INF = float("nan"), float("inf")
whole = st.integers(-6, 6).map(float)
choices = st.tuples(arrays(np.float64, (7, 4), elements=whole), arrays(np.float64, (7, 4), elements=whole))
quads = st.tuples(arrays(np.float64, (6, 2, 2), elements=whole), arrays(np.float64, (6, 2), elements=whole))
GRID = [Fraction(i, 24) for i in range(-12, 61)]


def slow_choice(gen, prior, a):
    debiased = [Fraction(g) - a * Fraction(p) for g, p in zip(gen, prior, strict=True)]
    return all(debiased[0] > foil for foil in debiased[1:])


def slow_quad(gen, prior, a):
    s = [[Fraction(gen[i][j]) - a * Fraction(prior[j]) for j in (0, 1)] for i in (0, 1)]
    text = s[0][0] > s[0][1] and s[1][1] > s[1][0]
    image = s[0][0] > s[1][0] and s[1][1] > s[0][1]
    return text, image, text and image


def between(points):
    """Alphas strictly between successive break-points and beyond both ends, as floats."""
    if not len(points):
        return [0.3]
    inner = [(a + b) / 2 for a, b in itertools.pairwise(points)]
    return [points[0] - 1, *inner, points[-1] + 1]


@pytest.mark.long
@given(choices)
@settings(max_examples=50, deadline=None)
def test_choice_curve_against_rationals(data):
    gen, prior = data
    sets = alpha.intervals(gen, prior)
    curve = alpha.curve(sets)
    alphas = GRID + [Fraction(x) for x in between(curve.breakpoints.tolist())]
    for a in alphas:
        slow = [slow_choice(g, p, a) for g, p in zip(gen.tolist(), prior.tolist(), strict=True)]
        if Fraction(float(a)) == a:  # the same alpha on both sides
            assert sets.contains(float(a)).tolist() == slow
            assert curve.at(float(a)) == pytest.approx(np.mean(slow), abs=1e-15)
    assert np.array_equal(sets.contains(0.0), protocols.choice(gen).correct)
    assert np.array_equal(sets.contains(1.0), protocols.choice(gen - prior).correct)
    # on a rounded break-point the exact (rational) end point decides: a tie there fails
    for g, p in zip(gen.tolist(), prior.tolist(), strict=True):
        for j in (1, 2, 3):
            if p[0] != p[j]:
                end = Fraction(g[0] - g[j]) / Fraction(p[0] - p[j])
                assert not slow_choice(g, p, end)
                assert not alpha.intervals([g], [p]).contains(float(end))[0]


@given(quads)
@settings(max_examples=50, deadline=None)
def test_quad_curves_against_rationals(data):
    gen, prior = data
    text = alpha.intervals_quad_text(gen, prior)
    image = alpha.intervals_quad_image(gen, prior)
    assert image.constant
    assert image.note == alpha.CANCELS
    for a in (Fraction(0), Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(2), Fraction(-1, 8)):
        slow = np.array([slow_quad(g, p, a) for g, p in zip(gen.tolist(), prior.tolist(), strict=True)])
        for column, sets in enumerate((text, image, text & image)):
            assert sets.contains(float(a)).tolist() == slow[:, column].tolist()
    plain = protocols.quad(gen)
    assert np.array_equal((text & image).contains(0), plain["group_score"].correct)


@given(st.tuples(arrays(np.float64, (6, 3), elements=whole), arrays(np.float64, (6, 3), elements=whole)))
@settings(max_examples=30, deadline=None)
def test_triplet_intervals(data):
    gen, prior = data
    sets = alpha.intervals_triplet(gen, prior)
    for a in (0.0, 0.25, 0.5, 1.0, 2.0):
        assert np.array_equal(sets.contains(a), protocols.triplet_i2t(alpha.debias(gen, prior, a)).correct)


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_curve_equals_recomputation_on_real_numbers(seed):
    rng = np.random.default_rng(seed)
    gen, prior = rng.normal(size=(2, 40, 3))
    weights = rng.random(40)
    sets = alpha.intervals(gen, prior)
    curve, weighted = alpha.curve(sets), alpha.curve(sets, weights)
    for a in rng.uniform(-3, 3, 20):
        correct = protocols.choice(alpha.debias(gen, prior, a)).correct
        assert curve.at(a) == pytest.approx(correct.mean())
        assert weighted.at(a) == pytest.approx(np.average(correct, weights=weights))
    for point, value in zip(curve.breakpoints, curve.value_at, strict=True):
        assert value == pytest.approx(sets.contains(point).mean())


@given(choices)
@settings(max_examples=50, deadline=None)
def test_best_is_the_widest_maximum(data):
    curve = alpha.curve(alpha.intervals(*data))
    best = curve.best()
    inside = [a for a in [0.0, 1.0, *curve.breakpoints, *between(curve.breakpoints.tolist())] if 0 <= a <= 1]
    assert best.value == pytest.approx(max(curve.at(inside)))
    assert curve.at(best.alpha) == pytest.approx(best.value)
    for end, closed in ((best.lo, best.lo_closed), (best.hi, best.hi_closed)):
        assert (curve.at(end) == pytest.approx(best.value)) == closed
    if best.lo < best.hi:
        assert np.allclose(curve.at(np.linspace(best.lo, best.hi, 41)[1:-1]), best.value)
    # no wider run of maximal values exists: walk over points and segments
    edges = sorted({0.0, 1.0, *(b for b in curve.breakpoints.tolist() if 0 < b < 1)})
    run_start, widest = None, 0.0
    for left, right in itertools.pairwise(edges):
        middle = float(curve.at((left + right) / 2))
        if middle == pytest.approx(best.value):
            if run_start is None or float(curve.at(left)) != pytest.approx(best.value):
                run_start = left
            widest = max(widest, right - run_start)
        else:
            run_start = None
    assert best.hi - best.lo == pytest.approx(widest)


def test_best_prefers_the_smaller_alpha_and_knows_its_ends():
    both = alpha.Intervals(np.array([-INF, 0.6]), np.array([0.4, INF]))
    best = alpha.curve(both).best()
    assert (best.lo, best.hi, best.lo_closed, best.hi_closed) == (0.0, 0.4, True, False)
    assert best.alpha == pytest.approx(0.2)
    flat = alpha.curve(alpha.Intervals(np.array([-INF]), np.array([INF]))).best()
    assert (flat.alpha, flat.lo_closed, flat.hi_closed) == (0.5, True, True)
    assert alpha.curve(both).best((0.6, 0.6)).value == 0.0
    assert alpha.curve(both).best((0, 2)).lo == 0.6


def test_a_single_point_can_be_the_maximum():
    peak = alpha.Curve(np.array([0.5]), np.array([0.2, 0.3]), np.array([0.9]), n=10)
    best = peak.best()
    assert (best.alpha, best.value, best.lo, best.hi, best.lo_closed, best.hi_closed) == (
        0.5,
        0.9,
        0.5,
        0.5,
        True,
        True,
    )


def test_steps_draw_the_curve():
    curve = alpha.curve(alpha.Intervals(np.array([-INF, 0.25, 0.0]), np.array([0.5, INF, 1.5])))
    steps = curve.steps()
    assert steps.x.tolist() == [0, 0.25, 0.25, 0.5, 0.5, 1]
    assert steps.y == pytest.approx(np.array([2, 2, 3, 3, 2, 2]) / 3)
    assert steps.at_x.tolist() == [0, 0.25, 0.5, 1]
    assert steps.at_y == pytest.approx(np.array([1, 2, 2, 2]) / 3)
    assert curve.steps((0, 2)).at_x.tolist() == [0, 0.25, 0.5, 1.5, 2]
    assert curve.steps((1, 1)).x.tolist() == []


def test_undefined_items_leave_the_denominator():
    sets = alpha.intervals([[0, -1], [0, NAN], [NAN, 0], [0, 1]], [[0, 0], [0, 0], [0, 0], [NAN, 0]])
    assert sets.defined.tolist() == [True, False, False, False]
    assert alpha.curve(sets).n == 1
    assert alpha.curve(sets).at(0.5) == 1.0
    assert np.isnan(alpha.curve(sets).at(NAN))
    quad = alpha.intervals_quad_image([[[1, 0], [0, 1]]], [[NAN, 0]])
    assert quad.defined.tolist() == [False]


def test_infinite_log_probabilities():
    sets = alpha.intervals([[-1, -INF], [-INF, -1], [-INF, -INF], [-1, -2]], [[-1, -2]] * 3 + [[-1, -INF]])
    assert sets.contains(0.5).tolist() == [True, False, False, False]  # third: equal gen, the prior decides
    assert sets.contains(-0.5).tolist() == [True, False, True, False]
    assert sets.defined.tolist() == [True, True, True, False]


def test_flips():
    sets = alpha.Intervals(np.array([-INF, 0.5, 0.2, NAN]), np.array([0.5, INF, 0.8, NAN]))
    assert [ids.tolist() for ids in alpha.flips(sets, 0, 1)] == [[1], [0]]
    assert [ids.tolist() for ids in alpha.flips(sets, 0, 0.5)] == [[2], [0]]


def test_normalise_by_hand():
    gen, tokens = np.array([[-4.0, -6.0]]), np.array([[2, 3]])
    samples = np.log(np.array([[[0.5, 0.25]], [[0.25, 0.25]]]))
    g, p = alpha.normalise(gen, tokens, samples, "sum")
    assert (g.tolist(), np.exp(p).round(12).tolist()) == ([[-4, -6]], [[0.375, 0.25]])
    g, p = alpha.normalise(gen, tokens, samples, "token")
    assert g.tolist() == [[-2, -2]]
    assert p == pytest.approx(np.log([[0.375, 0.25]]) / [[2, 3]])
    g, p = alpha.normalise(gen, tokens, samples, "paper-score")
    assert p[0, 0] == pytest.approx(np.log((0.5**0.5 + 0.25**0.5) / 2))
    assert np.isnan(alpha.normalise(gen, [[0, 3]], samples)[0][0, 0])
    one = alpha.normalise(gen, tokens, samples[:1])[1]
    assert one == pytest.approx(alpha.normalise(gen, tokens, samples[:1], "paper-score")[1])
    far = alpha.normalise([[-900.0, -4000.0]], [[1, 1]], [[[-5000.0, -900.0]]] * 3, "sum")[1]
    assert far.tolist() == [[-5000, -900]]


def test_normalise_with_an_image_axis():
    gen = np.arange(12.0).reshape(3, 2, 2)
    tokens = np.array([[1, 2], [2, 4], [1, 1]])
    prior = -np.ones((5, 3, 2))
    g, p = alpha.normalise(gen, tokens, prior)
    assert g[1].tolist() == [[2, 1.25], [3, 1.75]]
    assert p[1].tolist() == [-0.5, -0.25]
    again = alpha.normalise(gen, np.repeat(tokens[:, None, :], 2, axis=1), prior)
    assert np.array_equal(again[0], g)
    assert np.array_equal(again[1], p)
    pool, prior = alpha.normalise(np.ones((4, 3)), [1, 2, 4], np.ones((1, 3)))
    assert pool[0].tolist() == prior.tolist() == [1, 0.5, 0.25]


def test_split_half_reports_on_the_other_half():
    rng = np.random.default_rng(0)
    gen, prior = rng.normal(size=(2, 200, 3))
    sets = alpha.intervals(gen, prior)
    found = alpha.split_half(sets, seed=1)
    assert found == alpha.split_half(sets, seed=1)
    assert found != alpha.split_half(sets, seed=2)
    assert {(s["n_dev"], s["n_test"]) for s in found["splits"]} == {(100, 100)}
    assert found["test_at_0_mean"] == pytest.approx(np.mean([s["test_at_0"] for s in found["splits"]]))
    images = np.repeat(np.arange(100), 2)
    assert {s["n_dev"] for s in alpha.split_half(sets, clusters=images)["splits"]} == {100}
    assert alpha.split_half(sets.take([0]))["splits"] == []


def test_tune_with_explicit_masks():
    sets = alpha.Intervals(np.array([0.5, -INF, NAN]), np.array([INF, 0.9, NAN]))
    found = alpha.tune(sets, [True, False, False], [False, True, True])
    assert (found["alpha"], found["interval"], found["n_test"]) == (0.75, [0.5, 1.0], 1)
    assert (found["test_value"], found["test_at_0"], found["test_at_1"]) == (1.0, 1.0, 0.0)
    empty = alpha.tune(sets, [False, False, True], [True, False, False])
    assert (empty["alpha"], empty["test_value"]) == (None, None)


def test_a_hundred_thousand_items_take_less_than_a_second():
    import time

    gen, prior = np.random.default_rng(0).normal(size=(2, 100_000, 5)).astype(np.float32)
    start = time.process_time()
    alpha.curve(alpha.intervals(gen, prior)).best()
    assert time.process_time() - start < 1.0
