import numpy as np
import pytest

from backend.metrics import by_item
from backend.metrics.alpha import debias
from backend.metrics.reasons.alpha_ends import REACHES, caption_bias, ends
from backend.metrics.reasons.quads import decompose


def drawn(n=400):
    rng = np.random.default_rng(0)
    gen, prior = rng.standard_normal((n, 2, 2)), rng.standard_normal((n, 2))
    gen[:, [0, 1], [0, 1]] += 1.5
    gen[:, :, 0] += prior[:, :1]
    prior[::10, 1] = prior[::10, 0]
    return gen, prior


def test_c_moves_with_alpha_and_gamma_and_r_stay():
    gen, prior = drawn()
    before = decompose(gen)
    for alpha in (-0.5, 0.3, 1.0):
        after = decompose(debias(gen, prior, alpha))
        assert after.c == pytest.approx(caption_bias(gen, prior, alpha))
        assert after.gamma == pytest.approx(before.gamma)
        assert after.r == pytest.approx(before.r)


def test_the_two_ends_are_where_c_meets_gamma():
    gen, prior = drawn()
    found, parts = ends(gen, prior), decompose(gen)
    open_ones = found.group.lo < found.group.hi
    turns = open_ones & (prior[:, 0] != prior[:, 1])
    both = np.stack([parts.c - parts.gamma, parts.c + parts.gamma]) * 2 / (prior[:, 0] - prior[:, 1] + ~turns)
    assert found.group.lo[turns] == pytest.approx(both.min(axis=0)[turns])
    assert found.group.hi[turns] == pytest.approx(both.max(axis=0)[turns])
    assert turns.sum() > 100


def test_reach_is_what_trying_every_alpha_finds():
    gen, prior = drawn()
    found = ends(gen, prior)
    reach = np.array(REACHES)[found.reach]

    def right(alphas):
        return np.any([by_item.quad(debias(gen, prior, a))["group_score"].correct for a in alphas], axis=0)

    inside, anywhere = right(np.linspace(0, 1, 501)[1:-1]), right(np.linspace(-30, 30, 1201))
    assert not (inside & (reach != "within")).any()
    assert np.mean(inside[reach == "within"]) > 0.95  # the rest are intervals between two steps
    never = np.isin(reach, ("no_binding", "outvoted_by_image", "priors_equal"))
    assert not (anywhere & never).any()
    assert anywhere[reach == "beyond"].mean() > 0.85
    assert set(reach) == set(REACHES)


def test_missing_is_undefined():
    gen, prior = drawn(3)
    gen[0, 0, 0], prior[1, 1] = np.nan, np.nan
    assert (ends(gen, prior).reach == -1).tolist() == [True, True, False]


def test_an_interval_outside_zero_to_one_is_beyond():
    # gamma 1, r 0: right where alpha p1 lies within 2 of 2 c, p2 being 0
    for c, p1, (lo, hi) in ((-1.5, 2.0, (-2.5, -0.5)), (2.5, 2.0, (1.5, 3.5)), (-1.0, 2.0, (-2.0, 0.0))):
        gen = [[[1 + c, -1 - c], [-1 + c, 1 - c]]]
        found = ends(gen, [[p1, 0.0]])
        assert (found.group.lo[0], found.group.hi[0]) == (lo, hi)
        assert REACHES[found.reach[0]] == "beyond"
    assert REACHES[ends([[[1.0, -1.0], [-1.0, 1.0]]], [[2.0, 0.0]]).reach[0]] == "within"
