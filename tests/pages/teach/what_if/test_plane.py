"""The plane's axes, its labels and its handle, and the matrix' window and numbers: the what-if's scripts, in V8."""

import numpy as np
import pytest

from tests.pages.scripts import Script


@pytest.fixture(scope="module")
def script() -> Script:
    return Script("teach/what_if/what_if.js")


def test_the_axes_hold_every_spot_at_round_ends(script: Script) -> None:
    rng = np.random.default_rng(1)
    for size in (1e-6, 0.003, 0.05, 1.0, 40.0, 200.0):
        for _ in range(20):
            spots = np.stack([np.abs(rng.normal(0, size, 7)), rng.normal(0, size, 7)], axis=1).tolist()
            ends = script("endsOf(a, b, null)", spots, 0.05)
            assert max(x for x, _ in spots) <= ends["far"]
            assert all(ends["low"] <= y <= ends["high"] for _, y in spots)
            for end in (ends["far"], ends["high"]):
                assert round(end / 10 ** np.floor(np.log10(end)), 6) in (1, 2, 5)
            assert script("endsOf(a, b, c)", spots, 0.05, ends) == ends, "what holds them stays"


def test_the_axes_stay_while_a_spot_moves_a_little_and_follow_one_that_leaves(script: Script) -> None:
    before = script("endsOf(a, b, null)", [[0.045, 0.02]], 0.05)
    assert script("endsOf(a, b, c)", [[0.06, 0.05]], 0.05, before) == before
    wider = script("endsOf(a, b, c)", [[0.3, 0.05]], 0.05, before)
    assert wider["far"] == 0.5
    assert script("endsOf(a, b, c)", [[0.045, 0.02]], 0.05, wider)["far"] < wider["far"], "not left small in a corner"
    assert script("endsOf(a, b, c)", [[0.045, -0.3]], 0.05, before)["low"] <= -0.3


@pytest.mark.parametrize(("value", "wanted"), [(1.0, 1.0), (1.01, 2.0), (0.03, 0.05), (5.5, 10.0), (0.0007, 0.001)])
def test_round_ends(script: Script, value: float, wanted: float) -> None:
    assert script("roundUp(a)", value) == wanted


def test_labels_keep_a_line_between_them_and_their_order(script: Script) -> None:
    rng = np.random.default_rng(2)
    for wanted in [[50.0] * 6, *np.sort(rng.uniform(20, 390, (20, 6))).tolist(), [390.0] * 6, [20.0] * 6]:
        at = script("spread(a, 20, 390)", wanted)
        assert min(np.diff(at)) >= 15 - 1e-9
        assert min(at) >= 20 - 1e-9
        assert max(at) <= 390 + 1e-9


def test_the_handle_moves_binding_and_the_larger_bias_alone(script: Script) -> None:
    for s in np.random.default_rng(3).normal(0.3, 0.1, (20, 4)).tolist():
        before = script("partsOf(a)", s)
        after = script("partsOf(movedTo(a, 0.2, -0.07))", s)
        assert after["gamma"] == pytest.approx(-0.07)
        assert after["mu"] == pytest.approx(before["mu"])
        assert max(abs(after["c"]), abs(after["r"])) == pytest.approx(0.2)
        assert after["c"] * before["r"] == pytest.approx(after["r"] * before["c"]), "in their proportion"
    level = script("partsOf(movedTo(quadOf({ mu: 0.3, gamma: 0.1, c: 0, r: 0 }), 0.2, 0.1))")
    assert [level["c"], level["r"]] == pytest.approx([0, 0.2]), "of none the image's"
    assert script("partsOf(movedTo(quadOf({ mu: 0.3, gamma: 0.1, c: 0.1, r: 0 }), -1, 0.1)).c") == pytest.approx(0)


def test_the_sliders_window_holds_the_scores_inside_the_unit(script: Script) -> None:
    for bounds, size in (([-1, 1], 0.2), ([-100, 100], 20.0)):
        before = None
        for s in np.clip(np.random.default_rng(4).normal(0, size, (30, 4)), *bounds).tolist():
            low, high = window = script("windowOf(a, b, c)", s, bounds, before)
            assert bounds[0] <= low <= min(s) <= max(s) <= high <= bounds[1]
            assert script("windowOf(a, b, c)", s, bounds, window) == window
            before = window


@pytest.mark.parametrize(
    ("value", "plus", "said"),
    [
        (0, True, "0"), (0.02, True, "+0.0200"), (-351.2, False, "−351"), (12345.6, False, "12346"),
        (2.5e-7, False, "2.50e−7"), (-3.0e7, True, "−3.00e+7"), (float("nan"), False, "–"), (0.99999, False, "1.00"),
        (2.54e-14, True, "0"), (-1.39e-17, False, "0"),
    ],
)  # fmt: skip
def test_numbers_have_three_significant_digits(script: Script, value: float, plus: bool, said: str) -> None:
    assert script("brief(a, b)", value, plus) == said
