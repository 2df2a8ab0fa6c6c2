"""VALSE's thresholds anywhere, their exact curves, and AUROC: against loops and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import roc_auc_score

from backend.metrics.auroc import auroc
from backend.metrics.thresholds import threshold, threshold_curve

NAN = float("nan")
tenths = st.integers(0, 10).map(lambda k: k / 10)  # coarse, so that ties are common
some = arrays(np.float64, (8, 3), elements=tenths)
counts = arrays(np.int64, 8, elements=st.integers(2, 3))


def cells(p, n):
    truths = [row[0] for row in p]
    foils = [row[j] for row, m in zip(p, n, strict=True) for j in range(1, m)]
    return truths, foils


@pytest.mark.long
@given(some, counts)
@settings(max_examples=80, deadline=None)
def test_auroc_is_scikit_learns(p, n):
    truths, foils = cells(p, n)
    expected = roc_auc_score([1] * len(truths) + [0] * len(foils), truths + foils)
    found = auroc(p, n, samples=20)
    assert found.value == pytest.approx(expected)
    assert found.n == 8
    assert found.ties == sum(row[j] == row[0] for row, m in zip(p, n, strict=True) for j in range(1, m))


@pytest.mark.long
def test_the_interval_covers_what_other_items_give():
    rng = np.random.default_rng(0)

    def draw(size):
        return 1 / (1 + np.exp(-(rng.normal(size=(size, 3)) + np.array([0.8, 0, 0]))))

    truth = auroc(draw(60_000), samples=2).value
    intervals = [auroc(draw(80), samples=200, seed=k).ci95 for k in range(150)]
    covered = np.mean([low <= truth <= high for low, high in intervals])
    assert 0.88 <= covered <= 0.99


@given(some, counts, st.one_of(tenths, st.floats(0, 1)))
@settings(max_examples=80, deadline=None)
def test_any_threshold_and_its_place_on_the_curve(p, n, at):
    truths, foils = cells(p, n)
    pc, pf = np.mean([t > at for t in truths]), np.mean([f <= at for f in foils])
    rates = threshold(p, n, at=at)
    assert rates["pc"].value == pytest.approx(pc)
    assert rates["pf"].value == pytest.approx(pf)
    assert rates["threshold_accuracy"].value == pytest.approx((pc + pf) / 2)
    assert rates["min_pc_pf"].value == pytest.approx(min(pc, pf))
    assert rates["pc"].ties == sum(t == at for t in truths)
    curve = threshold_curve(p, n)
    k = int(np.searchsorted(curve.at, at, "right")) - 1
    assert (curve.pc[k], curve.pf[k]) == (pytest.approx(pc), pytest.approx(pf))
    assert curve.accuracy[k] == pytest.approx((pc + pf) / 2)
    assert curve.least[k] == pytest.approx(min(pc, pf))
    assert len(np.unique(curve.at)) == len(curve.at)
    assert (curve.at[0], curve.at[-1]) == (0.0, 1.0)


def test_the_default_is_valses():
    p = np.random.default_rng(1).random((30, 3))
    assert threshold(p) == threshold(p, at=0.5)
    assert threshold(p)["pc"].value != threshold(p, at=0.8)["pc"].value


@pytest.mark.parametrize("scores", [[], [[0.3, -0.2]], [[2.0, 0.1]], [[NAN, 0.5]], [[0.5]]])
def test_no_probabilities_and_no_items_are_undefined(scores):
    assert auroc(scores).as_dict() == {"value": None, "n": 0, "ties": 0, "ci95": None}
    assert threshold_curve(scores) is None


def test_degenerate_auroc():
    assert auroc([[0.9, 0.1]]).ci95 is None
    perfect = auroc([[0.9, 0.1], [0.8, 0.2]])
    assert (perfect.value, perfect.ci95) == (1.0, None)  # resampling shows no spread
    collapsed = auroc([[0.5, 0.5], [0.5, 0.5]])
    assert (collapsed.value, collapsed.ties) == (0.5, 2)
    assert auroc([[0.9, 0.1], [NAN, 0.2]]).n == 1
