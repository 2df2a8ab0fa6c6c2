"""VALSE's thresholds anywhere, their exact curves, and AUROC: against loops and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import roc_auc_score

from backend.metrics.auroc import auroc
from backend.metrics.statistics import rate
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


def _foiled(rng, n, foils, spread):
    """Probabilities (n, 1 + foils): an item's foils are accepted together, by its own chance."""
    chance = rng.beta(spread, spread, n)
    rejected = rng.random((n, foils)) < chance[:, None]
    return np.column_stack([np.full(n, 0.9), np.where(rejected, 0.1, 0.8)])


@pytest.mark.long
def test_the_interval_of_pf_holds_where_seven_foils_of_an_item_go_together():
    """pf of seven foils taken as seven draws covered .67 of nominal .95 (reasons.md)."""
    rng = np.random.default_rng(0)
    held = naive = 0
    for _ in range(200):
        p = _foiled(rng, 100, 7, 0.3)
        low, high = threshold(p)["pf"].ci95
        held += low <= 0.5 <= high
        low, high = rate((p[:, 1:] <= 0.5).ravel(), np.ones(700, bool)).ci95
        naive += low <= 0.5 <= high
    assert held / 200 > 0.9
    assert naive / 200 < 0.8


@pytest.mark.parametrize("name", ["pc", "pf", "threshold_accuracy", "min_pc_pf", "auroc"])
def test_intervals_take_clusters(name):
    """Copies of an item are one draw: with them as a cluster the interval is that of the items alone, or nearly."""
    rng = np.random.default_rng(1)
    alone = rng.random((60, 2))
    copies, clusters = np.repeat(alone, 5, axis=0), np.repeat(np.arange(60), 5)

    def width(p, **more):
        found = auroc(p, **more) if name == "auroc" else threshold(p, **more)[name]
        return found.ci95[1] - found.ci95[0]

    assert width(copies) < 0.55 * width(alone)
    assert width(copies, clusters=clusters) == pytest.approx(width(alone), rel=0.15)


def test_clusters_stay_with_their_items_where_some_are_undefined():
    p = np.array([[0.9, 0.1], [0.2, np.nan], [0.3, 0.6], [0.8, 0.7]])
    whole = threshold(p, clusters=["a", "b", "a", "a"])
    assert whole["min_pc_pf"].ci95 is None  # one cluster is left
    assert auroc(p, clusters=["a", "b", "a", "a"]).ci95 is None
    with pytest.raises(ValueError, match="one id for each of the 4 items"):
        threshold(p, clusters=["a"])


@pytest.mark.parametrize("clusters", [None, np.arange(12) // 2])
def test_items_with_more_foils_weigh_more_and_all_right_is_no_wider_for_that(clusters):
    """Parts of items that are no shares of their own (above 1 where an item has many foils) gave [0, 1]."""
    p = np.tile([0.9, 0.2, 0.1, 0.3], (12, 1))
    p[::3, 2:] = np.nan
    n_texts = (~np.isnan(p)).sum(axis=1)
    found = threshold(p, n_texts, clusters=clusters)
    n = 12 if clusters is None else 6
    assert found["threshold_accuracy"].ci95[1] == 1.0
    assert found["threshold_accuracy"].ci95[0] == pytest.approx(n / (n + 3.8415), abs=0.03)
    p[4, 0] = 0.4
    mixed = threshold(p, n_texts, clusters=clusters)["threshold_accuracy"]
    assert mixed.value == pytest.approx((11 / 12 + 1) / 2)
    assert mixed.ci95[0] < mixed.value < mixed.ci95[1] < 1.0
