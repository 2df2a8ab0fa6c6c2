"""One table of degenerate inputs: no items, one item, NaN, ties, negative cosines, infinities, float32."""

import numpy as np
import pytest

from backend.metrics import alpha, eqsim, protocols, retrieval
from backend.metrics.core.compare import compare, real_texts

NAN, INF = float("nan"), float("inf")

#: name, judge, one item, (correct, tie, defined, margin)
CASES = [
    ("triplet right", protocols.triplet_i2t, [0.3, 0.2, 0.1], (True, False, True, 0.1)),
    ("triplet negative cosines", protocols.triplet_i2t, [-0.25, -0.5, -0.75], (True, False, True, 0.25)),
    ("triplet tie decides", protocols.triplet_i2t, [0.5, 0.25, 0.25], (False, True, True, 0.0)),
    ("triplet tie beside a failure", protocols.triplet_i2t, [0.5, 0.25, 0.5], (False, False, True, -0.25)),
    ("triplet all equal", protocols.triplet_i2t, [0.5, 0.5, 0.5], (False, True, True, 0.0)),
    ("triplet NaN", protocols.triplet_i2t, [0.5, NAN, 0.1], (False, False, False, NAN)),
    ("t2t right", protocols.triplet_t2t, [0.5, 0.25, -0.5], (True, False, True, 0.25)),
    ("t2t tie", protocols.triplet_t2t, [0.5, 0.5, 0.0], (False, True, True, 0.0)),
    ("t2t NaN", protocols.triplet_t2t, [NAN, 0.5, 0.0], (False, False, False, NAN)),
    ("choice right", protocols.choice, [-1.0, -2.0, -1.5], (True, False, True, 0.5)),
    ("choice padded", protocols.choice, [-1.0, -2.0, NAN], (True, False, True, 1.0)),
    ("choice NaN truth", protocols.choice, [NAN, -2.0, -3.0], (False, False, False, NAN)),
    ("choice NaN in the middle", protocols.choice, [-1.0, NAN, -3.0], (False, False, False, NAN)),
    ("choice no foil", protocols.choice, [-1.0, NAN, NAN], (False, False, False, NAN)),
    ("choice all NaN", protocols.choice, [NAN, NAN, NAN], (False, False, False, NAN)),
    ("choice collapsed", protocols.choice, [0.0, 0.0, 0.0], (False, True, True, 0.0)),
    ("choice impossible foil", protocols.choice, [-1.0, -INF, -2.0], (True, False, True, 1.0)),
    ("choice both impossible", protocols.choice, [-INF, -INF, -INF], (False, True, True, 0.0)),
    ("choice -0 and 0", protocols.choice, [0.0, -0.0, -1.0], (False, True, True, 0.0)),
    ("group right", lambda s: protocols.quad(s)["group_score"], [[2, 1], [0, 3]], (True, False, True, 1.0)),
    ("group tie", lambda s: protocols.quad(s)["group_score"], [[2, 2], [0, 3]], (False, True, True, 0.0)),
    (
        "text ignores the other side",
        lambda s: protocols.quad(s)["text_score"],
        [[2, 1], [5, 6]],
        (True, False, True, 1),
    ),
    ("image sees it", lambda s: protocols.quad(s)["image_score"], [[2, 1], [5, 6]], (False, False, True, -3)),
    ("quad NaN", lambda s: protocols.quad(s)["text_score"], [[2, NAN], [0, 3]], (False, False, False, NAN)),
]


@pytest.mark.parametrize(("judge", "item", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_item(judge, item, expected, dtype):
    verdicts = judge(np.array([item], dtype=dtype))
    correct, tie, defined, margin = expected
    assert (verdicts.correct[0], verdicts.ties[0], verdicts.defined[0]) == (correct, tie, defined)
    assert verdicts.margin.dtype == np.float64
    assert verdicts.margin[0] == pytest.approx(margin, abs=1e-7, nan_ok=True)
    rate = verdicts.rate()
    assert (rate.value, rate.n) == ((float(correct), 1) if defined else (None, 0))


@pytest.mark.parametrize(
    "judge",
    [protocols.triplet_i2t, protocols.triplet_t2t, protocols.choice, lambda s: protocols.quad(s)["group_score"]],
)
def test_no_items(judge):
    rate = judge([]).rate()
    assert rate.as_dict() == {"value": None, "n": 0, "ties": 0, "ci95": None}


def test_no_items_elsewhere():
    curve = alpha.curve(alpha.intervals([], []))
    assert curve.n == 0
    assert np.isnan(curve.at(0.5))
    assert curve.best() is None
    assert alpha.split_half(alpha.intervals([], []))["alpha_mean"] is None
    assert eqsim.summary(eqsim.deviations([]))["v1"].mean is None
    assert retrieval.recall_at_k(np.zeros((0, 0)), np.zeros((0, 0), bool)).rates["rsum"].value is None
    assert protocols.threshold([])["pc"].value is None
    assert protocols.rename_paraphrases([], [], []).shape == (0,)


def test_tiny_differences_are_no_ties():
    assert compare([[np.nextafter(0, 1)]], [[0.0]]).correct.tolist() == [True]
    one = np.float32(0.1)
    above = np.nextafter(one, np.float32(1))
    assert compare([[above]], [[one]]).correct.tolist() == [True]


def test_explicit_counts_make_nan_a_missing_score():
    scores = [[0.5, 0.4, NAN], [0.5, 0.4, NAN]]
    assert protocols.choice(scores).defined.tolist() == [True, True]
    assert protocols.choice(scores, n_texts=[3, 2]).defined.tolist() == [False, True]
    assert protocols.choice([[0.5, 0.4, 9.0]], n_texts=[2]).correct.tolist() == [True]


@pytest.mark.parametrize(
    "call",
    [
        lambda: protocols.triplet_i2t([[1, 2]]),
        lambda: protocols.quad([[1, 2, 3, 4]]),
        lambda: real_texts([[1, 2]], [3]),
        lambda: real_texts([[1, 2]], [1, 1]),
        lambda: protocols.triplet_pairs_t2t([[1, 2, 3]], [True, False]),
        lambda: protocols.rename_paraphrases(["a"], ["a"], []),
        lambda: alpha.intervals([[1, 2]], [[1, 2, 3]]),
        lambda: retrieval.recall_at_k([[1.0]], [[True, False]]),
        lambda: retrieval.recall_at_k([[1.0]], [[True]], ks=(0,)),
        lambda: eqsim.normalise([[[1, 2], [3, 4]]], "gen"),
        lambda: eqsim.normalise([[[1, 2], [3, 4]]], "t2t"),
        lambda: alpha.normalise([[1.0]], [[1]], [[[1.0]]], norm="mean"),
        lambda: alpha.curve(alpha.intervals([[1, 2]], [[1, 2]]), weights=[1, 2]),
        lambda: alpha.curve(alpha.intervals([[1, 2]], [[1, 2]])).best((1, 0)),
        lambda: alpha.recall_curve([[1.0, 2.0]], [0, 0], [[True, False]]).best((0, 3)),
        lambda: alpha.recall_unions([[1.0]], [0.0], [[True]], side="both"),
    ],
)
def test_wrong_use_is_named(call):
    with pytest.raises(ValueError, match=r"must|needs|fit|worked out|wanted"):
        call()
