"""Yes-or-no answers: worked cases, an independent count, degenerate cases."""

import math

import numpy as np
import pytest

from backend.items import Kind, Protocol
from backend.metrics import answers
from backend.metrics.core import evaluate
from backend.metrics.core.registry import applicable

#: Two groups of two questions on two images; yes is expected on the diagonal of each.
ASKED = np.array([[g, 2 * g + q, 2 * g + i] for g in (0, 1) for q in (0, 1) for i in (0, 1)])
EXPECTED = np.array([True, False, False, True] * 2)


def by_hand(log_odds):
    """NaturalBench's four rates, in loops over groups."""
    right = [(value > 0 if yes else value < 0) for value, yes in zip(log_odds, EXPECTED, strict=True)]
    groups = [right[:4], right[4:]]
    questions = [all(g[2 * q : 2 * q + 2]) for g in groups for q in (0, 1)]
    images = [g[i] and g[2 + i] for g in groups for i in (0, 1)]
    return np.mean(right), np.mean(questions), np.mean(images), np.mean([all(g) for g in groups])


@pytest.mark.parametrize("seed", range(20))
def test_the_rates_are_those_of_an_independent_count(seed):
    values = np.random.default_rng(seed).normal(1.0, 1.5, 8) * np.where(EXPECTED, 1, -1)
    cells = answers.cells(values[:, None], EXPECTED)
    found = [cells.rate().value] + [
        answers.together(values[:, None], EXPECTED, ASKED, by).value
        for by in (answers.QUESTION, answers.IMAGE, answers.GROUP)
    ]
    assert found == pytest.approx(by_hand(values))


def test_a_quad_of_two_wrong_answers_is_right_as_a_quad_and_wrong_as_answers():
    """All four are answered yes, and the pairs rank rightly: the quad has 100 %, of its answers half are wrong."""
    quad = np.array([[[3.0, 1.0], [1.0, 3.0]]])
    verdicts = evaluate.outcomes(Protocol.QUAD, Kind.ITM, quad)
    assert all(verdicts[name].correct[0] for name in ("text_score", "image_score", "group_score"))
    cells = answers.cells(quad.reshape(4, 1), EXPECTED[:4])
    assert cells.rate().value == 0.5
    assert answers.together(quad.reshape(4, 1), EXPECTED[:4], ASKED[:4], answers.GROUP).value == 0.0
    assert answers.yes_bias(quad.reshape(4, 1), EXPECTED[:4]).value == 0.5
    assert answers.area(quad.reshape(4, 1), EXPECTED[:4]).value == 1.0


def test_exactly_one_half_is_wrong_and_a_tie_whatever_is_expected():
    found = answers.cells([[0.0], [0.0], [math.nan]], [True, False, True])
    assert found.correct.tolist() == [False, False, False]
    assert found.ties.tolist() == [True, True, False]
    assert found.defined.tolist() == [True, True, False]
    assert answers.yes_bias([[0.0], [0.0]], [True, False]).value == 0.0


def test_a_group_that_lacks_a_score_or_a_cell_is_left_out():
    values = np.where(EXPECTED, 1.0, -1.0)
    values[5] = math.nan
    assert answers.together(values[:, None], EXPECTED, ASKED, answers.GROUP).n == 1
    assert answers.together(values[:, None], EXPECTED, ASKED, answers.QUESTION).n == 3
    assert answers.together(values[:3, None], EXPECTED[:3], ASKED[:3], answers.GROUP).n == 0
    alone = np.full((8, 3), -1)
    assert answers.together(values[:, None], EXPECTED, alone, answers.QUESTION).value is None


def test_nothing_of_which_nobody_knows_what_is_expected():
    assert answers.cells([[1.0]], None) is None
    assert answers.area([[1.0]], None).value is None
    assert answers.yes_bias([[1.0]], None).n == 0
    assert answers.area([[1.0], [2.0]], [True, True]).value is None
    assert evaluate.outcomes(Protocol.ANSWERS, Kind.ITM, [[1.0]]) == {}
    assert applicable(Protocol.ANSWERS, Kind.ITC) == ()


def test_auroc_is_that_of_scikit_learn():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(3)
    values, yes = rng.integers(-3, 4, 40).astype(float), rng.random(40) < 0.4
    assert answers.area(values[:, None], yes).value == pytest.approx(roc_auc_score(yes, values))


def test_intervals_resample_what_is_shared_whole():
    rng = np.random.default_rng(0)
    values = np.repeat(rng.normal(0, 1, 30), 4)[:, None]
    yes = np.tile([True, False, False, True], 30)
    alone = answers.yes_bias(values, yes).ci95
    shared = answers.yes_bias(values, yes, np.repeat(np.arange(30), 4)).ci95
    assert shared[1] - shared[0] > 1.25 * (alone[1] - alone[0])
