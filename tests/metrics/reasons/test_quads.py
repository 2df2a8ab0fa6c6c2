"""Quads taken apart: the cells straight from their definitions, and the identities with EqSim's deviations."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from backend.metrics import by_item, eqsim
from backend.metrics.reasons.quads import QUAD_CELLS, decompose, group_match

EVERY = np.array(list(itertools.product((-2.0, -1.0, 0.0, 1.0, 2.0), repeat=4))).reshape(-1, 2, 2)
SCORES = arrays(np.float64, (3, 2, 2), elements=st.floats(-1e3, 1e3, allow_subnormal=False))


def test_cells_of_every_quad():
    found = decompose(EVERY)
    for place, ((s11, s12), (s21, s22)) in enumerate(EVERY.tolist()):
        gamma, c, r = (s11 - s12 - s21 + s22) / 4, (s11 - s12 + s21 - s22) / 4, (s11 + s12 - s21 - s22) / 4
        assert (found.gamma[place], found.c[place], found.r[place]) == pytest.approx((gamma, c, r), abs=1e-300)
        text, image = s11 > s12 and s22 > s21, s11 > s21 and s22 > s12
        assert (text, image) == (gamma > abs(c), gamma > abs(r))  # exact: these are quarters of whole numbers
        cell = "no_binding"
        if gamma > 0:
            cell = {(1, 1): "right", (0, 1): "outvoted_by_caption", (1, 0): "outvoted_by_image"}.get(
                (int(text), int(image)), "outvoted_by_both"
            )
        assert QUAD_CELLS[found.cell[place]] == cell
    assert np.array_equal(group_match(EVERY).correct, found.gamma > 0)


def test_the_decoy_is_the_quad_with_its_captions_exchanged():
    found, turned = decompose(EVERY), decompose(EVERY[:, :, ::-1])
    assert np.array_equal(found.mirrored, turned.cell)
    for own, other, sign in ((found.gamma, turned.gamma, -1), (found.c, turned.c, -1), (found.r, turned.r, 1)):
        assert np.array_equal(own, sign * other)


@settings(deadline=None)
@given(SCORES)
def test_eqsim_deviations_are_the_biases_alone(s):
    found, dev = decompose(s), eqsim.deviations(s)
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(dev.v1, 2 * (found.r - found.c), **close)
    np.testing.assert_allclose(dev.v2_text, 4 * found.c, **close)
    np.testing.assert_allclose(dev.v2_image, 4 * found.r, **close)


@settings(deadline=None)
@given(SCORES, st.floats(0.01, 100), st.floats(-100, 100))
def test_shift_and_stretch_change_no_cell(s, stretch, shift):
    s = np.round(s, 3)  # with ties, whose stretched sums differ by rounding
    moved = decompose(s, s * stretch)
    assert np.array_equal(moved.cell, decompose(s).cell)
    assert np.array_equal(decompose(np.round(s) + np.round(shift)).cell, decompose(np.round(s)).cell)


def test_nested_quads_are_those_whose_sign_a_rescaling_can_turn():
    found = decompose(EVERY)
    stretched = [decompose(EVERY, scaled).gamma for scaled in (np.exp(5 * EVERY), -np.exp(-5 * EVERY))]
    turned = stretched[0] * stretched[1] < 0
    assert np.array_equal(found.nested, turned)
    assert 0 < found.nested.mean() < 1
    order_decides = np.isin(found.cell, (0, 1, 2))
    assert not (found.nested & (found.cell == 0)).any()
    for gamma in stretched:  # right, and outvoted by one side, depend on the order alone
        assert (gamma[order_decides] > 0).all()


def test_equal_sums_are_equal_whatever_the_rounding():
    assert 0.1 + 0.2 > 0.3  # a sum alone would call the first quad bound
    found = decompose([[[0.1, 0.3], [0.0, 0.2]], [[0.3, 0.1], [0.2, 0.0]]])
    assert found.gamma.tolist() == [0.0, 0.0]
    assert [QUAD_CELLS[code] for code in found.cell] == ["no_binding"] * 2
    assert not group_match([[[0.1, 0.3], [0.0, 0.2]]]).correct.any()


def test_the_order_of_the_stored_scores_decides_where_the_scale_has_no_digits_left():
    stored = [[[30.0, 20.0], [20.0, 30.0]]]  # log-odds, all beyond the clip
    found = decompose(stored, np.clip(stored, -16, 16))
    assert QUAD_CELLS[found.cell[0]] == "right"
    assert found.gamma[0] > 0


def test_a_missing_score_leaves_everything_undefined():
    found = decompose([[[1.0, np.nan], [0.0, 1.0]], [[1.0, 0.0], [-np.inf, 1.0]]])
    assert found.cell.tolist() == found.mirrored.tolist() == [-1, -1]
    assert np.isnan(found.gamma).all()
    assert not (found.text | found.image | found.nested | found.defined | found.group).any()
    assert len(decompose([])) == 0
    with pytest.raises(ValueError, match="the same 1 quads, got 2"):
        decompose(EVERY[:1], EVERY[:2])


def test_verdicts_are_those_of_the_three_scores():
    """Comparing two scores says what the sign of their difference says, whatever they are."""
    odd = [0.0, -0.0, 1.0, 1.0 + 2**-52, -1.0, 5e-324, -5e-324, 1e300, np.nan, np.inf, -np.inf]
    scores = np.random.default_rng(5).choice(odd, size=(50_000, 2, 2))
    found = decompose(scores)
    known = np.isfinite(scores.sum(axis=(1, 2)))
    said = by_item.quad(scores)
    assert found.text.tolist() == (said["text_score"].correct & known).tolist()
    assert found.image.tolist() == (said["image_score"].correct & known).tolist()
    turned = decompose(scores[:, :, ::-1])
    assert found.mirrored[known].tolist() == turned.cell[known].tolist()
    assert found.defined.tolist() == known.tolist()
