"""Metrics of classification: against scikit-learn, brute force and degenerate input."""

import itertools

import numpy as np
import pytest
from sklearn import metrics as sk

from backend.items import Kind, Protocol
from backend.metrics.classification import binary_auroc, map_11_point, mean_per_class, top_k
from backend.metrics.core import evaluate
from backend.metrics.protocols import chance

NAN = float("nan")


@pytest.mark.parametrize("k", [1, 2, 5])
def test_top_k_against_counting(k):
    rng = np.random.default_rng(k)
    scores = rng.integers(0, 6, (300, 8)) / 4  # many ties
    verdicts = top_k(scores, k=k)
    ahead = (scores[:, 1:] >= scores[:, :1]).sum(axis=1)
    assert verdicts.correct.tolist() == (ahead < k).tolist()
    above = (scores[:, 1:] > scores[:, :1]).sum(axis=1)
    assert verdicts.ties.tolist() == ((ahead >= k) & (above < k)).tolist()
    # Without ties it is what scikit-learn says.
    smooth = rng.random((200, 8))
    own = np.zeros(200, dtype=int)
    assert top_k(smooth, k=k).correct.mean() == pytest.approx(
        sk.top_k_accuracy_score(own, smooth, k=k, labels=range(8))
    )


def test_top_k_of_fewer_classes_than_k_and_of_missing_scores():
    verdicts = top_k([[0.1, 0.9, NAN], [0.1, NAN, 0.2], [NAN, 0.1, 0.2], [0.1, NAN, NAN]], [2, 3, 3, 1])
    assert verdicts.defined.tolist() == [True, False, False, False]
    assert verdicts.correct.tolist() == [True, False, False, False]
    assert top_k(np.zeros((0, 3))).rate().value is None
    assert top_k([[0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]).ties.tolist() == [True]


def test_chance_of_top_five_by_all_orderings():
    orderings = np.array(list(itertools.permutations(range(6))), dtype=float)
    assert top_k(orderings).correct.mean() == pytest.approx(chance("top5_accuracy", 6)) == pytest.approx(5 / 6)
    assert chance("top5_accuracy", [2, 1000]) == pytest.approx((1 + 0.005) / 2)
    assert chance("mean_per_class_accuracy", [4, 4, 2]) == pytest.approx(1 / 3)
    assert chance("classification_auroc") == 0.5
    assert chance("map_11_point") is None


def test_mean_per_class_is_balanced_accuracy():
    rng = np.random.default_rng(0)
    classes = rng.choice(5, 400, p=[0.5, 0.2, 0.15, 0.1, 0.05])
    predicted = np.where(rng.random(400) < 0.6, classes, rng.integers(0, 5, 400))
    rate = mean_per_class(predicted == classes, classes)
    assert rate.value == pytest.approx(sk.balanced_accuracy_score(classes, predicted))
    assert rate.ci95[0] < rate.value < rate.ci95[1]
    # The spread is that of independent shares: sqrt(mean p(1-p)/n) / classes.
    counts = np.bincount(classes)
    shares = np.bincount(classes, predicted == classes) / counts
    se = np.sqrt((shares * (1 - shares) / counts).sum()) / 5
    assert (rate.ci95[1] - rate.ci95[0]) / (2 * 1.96) == pytest.approx(se, rel=0.1)


def test_mean_per_class_leaves_out_what_is_undefined():
    rate = mean_per_class([1, 0, 1, 0], ["a", "a", "b", "c"], [True, False, True, False], [False, True, False, False])
    assert (rate.value, rate.n, rate.ties, rate.ci95) == (1.0, 2, 0, None)
    assert mean_per_class([], []).value is None


def test_auroc_of_two_classes_is_scikit_learns_on_the_softmax():
    rng = np.random.default_rng(1)
    classes = rng.integers(0, 2, 500)
    smooth = rng.random((500, 2)) / 10 + classes[:, None] * [0.0, 0.03]
    softmax = np.exp(100 * smooth) / np.exp(100 * smooth).sum(axis=1, keepdims=True)
    assert binary_auroc(smooth, classes).value == pytest.approx(sk.roc_auc_score(classes, softmax[:, 1]), abs=1e-9)
    scores = rng.integers(0, 12, (500, 2)) / 128 + classes[:, None] * [0.0, 4 / 128]  # exact, with many ties
    expected = sk.roc_auc_score(classes, scores[:, 1] - scores[:, 0])
    rate = binary_auroc(scores, classes)
    assert rate.value == pytest.approx(expected, abs=1e-9)
    assert rate.n == 500
    assert rate.ci95[0] < expected < rate.ci95[1]


def test_auroc_needs_both_classes_and_leaves_out_missing_scores():
    assert binary_auroc([[0.1, 0.2]], [1]).value is None
    assert binary_auroc([], []).value is None
    rate = binary_auroc([[0.1, 0.9], [0.9, 0.1], [NAN, 0.5]], [1, 0, 1])
    assert (rate.value, rate.n) == (1.0, 2)
    assert binary_auroc(np.zeros((4, 2)), [0, 1, 0, 1]).value == 0.5


def by_definition(scores, truth):
    """The mean over classes of the mean over recalls of the largest precision at a recall at least as high."""
    found = []
    for column, good in zip(scores.T, truth.T, strict=True):
        if not good.any():
            continue
        precision, recall, _ = sk.precision_recall_curve(good, column)
        found.append(np.mean([precision[recall >= t].max() for t in np.linspace(1, 0, 11)]))
    return float(np.mean(found))


@pytest.mark.parametrize("levels", [7, 10_000])
def test_average_precision_by_definition(levels):
    rng = np.random.default_rng(levels)
    truth = rng.random((150, 6)) < [0.5, 0.3, 0.1, 0.1, 0.05, 0.0]
    scores = rng.integers(0, levels, (150, 6)) / levels + 0.3 * truth
    rate = map_11_point(scores, truth)
    assert rate.value == pytest.approx(by_definition(scores, truth), abs=1e-12)
    assert rate.n == 150
    assert rate.ci95[0] <= rate.value <= rate.ci95[1]


def test_a_resample_weighs_like_repeated_images():
    rng = np.random.default_rng(3)
    scores, truth = rng.integers(0, 9, (40, 1)) / 9, rng.random((40, 1)) < 0.4
    weight = rng.integers(0, 3, 40)
    from backend.metrics.classification import _average_precision

    order = np.argsort(-scores[:, 0], kind="stable")
    end = np.append(np.diff(scores[order, 0]) != 0, True)
    weighted = _average_precision(weight[order].astype(float), truth[order, 0], end)
    repeated = np.repeat(np.arange(40), weight)
    assert weighted == pytest.approx(by_definition(scores[repeated], truth[repeated]), abs=1e-12)


def test_average_precision_of_nothing():
    assert map_11_point(np.zeros((0, 3)), np.zeros((0, 3), bool)).value is None
    assert map_11_point([[0.5]], [[False]]).value is None
    assert map_11_point([[NAN], [0.5]], [[True], [True]]).n == 1
    assert map_11_point([[0.9, 0.1], [0.1, 0.9]], np.eye(2, dtype=bool)).value == 1.0


def test_both_accuracies_come_from_classify_items():
    found = evaluate.outcomes(Protocol.CLASSIFY, Kind.ITC, [[0.5, 0.9, 0.1]])
    assert {name: v.correct.tolist() for name, v in found.items()} == {
        "top1_accuracy": [False],
        "top5_accuracy": [True],
    }
