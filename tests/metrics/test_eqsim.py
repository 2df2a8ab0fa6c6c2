"""EqSim deviations: Eq. 6 by hand, their identities and their scales."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit, softmax

from backend.metrics import eqsim

whole = st.integers(-20, 20).map(float)
quads = arrays(np.float64, (5, 2, 2), elements=whole)


@given(quads, whole, whole)
@settings(max_examples=60, deadline=None)
def test_identities(s, shift, change):
    v1, text, image = eqsim.deviations(s)
    for row, a, b, c in zip(s.tolist(), v1, text, image, strict=True):
        (s11, s12), (s21, s22) = row
        assert (a, b, c) == (s12 - s21, (s11 - s12) - (s22 - s21), (s11 - s21) - (s22 - s12))
    assert np.array_equal(text - image, -2 * v1)
    swapped, turned = eqsim.deviations(s[:, ::-1, ::-1]), eqsim.deviations(s.transpose(0, 2, 1))
    for name in ("v1", "v2_text", "v2_image"):
        assert np.array_equal(np.abs(getattr(swapped, name)), np.abs(getattr(eqsim.deviations(s), name)))
    assert np.array_equal(turned.v2_text, image)
    assert np.array_equal(turned.v1, -v1)
    moved = s.copy()
    moved[:, 0, 0] += change  # v1 does not see the matched pairs
    assert np.array_equal(eqsim.deviations(moved).v1, v1)
    assert np.array_equal(eqsim.deviations(s + shift).v2_text, text)


def test_figure_1b_of_the_paper():
    # FIBER on the two clocks: s11 = 3.79, s12 = 3.83 are printed; the changes are +0.04 and -1.81 against each other.
    s = [[[3.79, 3.83], [1.0, 2.81]]]
    assert eqsim.deviations(s).v2_text[0] == pytest.approx((3.79 - 3.83) - 1.81)


@given(quads.filter(lambda s: np.std(s) > 0), st.sampled_from([0.5, 2.0, 0.125]))
@settings(max_examples=30, deadline=None)
def test_scale_free_values_ignore_the_scale(s, factor):
    plain = eqsim.scale_free(eqsim.deviations(s), s)
    shrunk = eqsim.scale_free(eqsim.deviations(s * factor), s * factor)
    for a, b in zip(plain, shrunk, strict=True):
        assert a == pytest.approx(b)
    over = eqsim.dev_over_margin(eqsim.deviations(s), s)
    again = eqsim.dev_over_margin(eqsim.deviations(s * factor), s * factor)
    assert over.v1 == pytest.approx(again.v1, nan_ok=True)


def test_degenerate_scales():
    flat = np.ones((3, 2, 2))
    assert np.isnan(eqsim.scale_free(eqsim.deviations(flat), flat).v1).all()
    assert np.isnan(eqsim.dev_over_margin(eqsim.deviations(flat), flat).v1).all()
    missing = np.array([[[np.nan, 1], [2, 3]], [[4, 1], [2, 3]]])
    found = eqsim.scale_free(eqsim.deviations(missing), missing)
    assert found.v2_text[1] == pytest.approx(((4 - 1) - (3 - 2)) / np.std([4, 1, 2, 3]))
    assert eqsim.summary(eqsim.deviations(missing))["v2_text"].n == 1


def test_normalise_raw():
    s = np.array([[[1.0, -2.0], [0.0, 4.0]]], dtype=np.float32)
    assert np.array_equal(eqsim.normalise(s, "itc"), s)
    assert eqsim.normalise(s, "itm") == pytest.approx(expit(s))
    assert eqsim.normalise(s, "vqa").max() < 1
    assert eqsim.normalise(s, "gen", n_tokens=[[2, 4]])[0].tolist() == [[0.5, -0.5], [0.0, 1.0]]
    assert eqsim.normalise(s, "gen", n_tokens=np.full((1, 2, 2), 2))[0].tolist() == [[0.5, -1.0], [0.0, 2.0]]
    assert np.isnan(eqsim.normalise(s, "gen", n_tokens=[[0, 4]])[0, 0, 0])


def test_softmax_over_cells_or_pool():
    s = np.random.default_rng(0).normal(size=(3, 2, 2))
    cells = eqsim.normalise(s, "itc", "softmax-cells", logit_scale=10)
    assert cells == pytest.approx(softmax(10 * s.reshape(3, 4), axis=1).reshape(3, 2, 2))
    pool = eqsim.normalise(s, "itm", "softmax-pool")
    assert pool.sum() == pytest.approx(1)
    assert pool == pytest.approx(softmax(s))
    wide = np.concatenate([s.ravel(), [1.0, 2.0, np.nan]])
    assert eqsim.normalise(s, "itm", "softmax-pool", pool=wide) == pytest.approx(np.exp(s) / np.nansum(np.exp(wide)))
    assert not np.allclose(eqsim.deviations(cells).v2_text, 0)
    assert not np.allclose(eqsim.deviations(cells).v2_image, 0)
    assert eqsim.normalise([], "itc", "softmax-pool").shape == (0, 2, 2)


@pytest.mark.parametrize("setting", ["softmax-rows", "softmax-columns", "softmax-texts", "row", ""])
def test_softmax_over_an_axis_is_refused_and_why(setting):
    with pytest.raises(ValueError, match="vanish identically"):
        eqsim.normalise(np.zeros((1, 2, 2)), "itc", setting)


def test_why_an_axis_is_refused():
    rows = softmax(np.random.default_rng(0).normal(size=(9, 2, 2)), axis=2)  # each image over the two texts
    assert np.abs(eqsim.deviations(rows).v2_image).max() < 1e-12
    columns = softmax(np.random.default_rng(0).normal(size=(9, 2, 2)), axis=1)
    assert np.abs(eqsim.deviations(columns).v2_text).max() < 1e-12
