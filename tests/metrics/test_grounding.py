import numpy as np
import pytest

from backend.items import Kind, Protocol
from backend.metrics import grounding
from backend.metrics.core.registry import applicable, by_name
from backend.metrics.protocols import chance


def slow(scores, seconds, truths, threshold):
    """One item, by the letter of the paper: (right, tie), None where undefined."""
    found = {}
    for k in range(len(seconds) - 1):
        found[(seconds[k] + seconds[k + 1]) / 2] = scores[k][0] + scores[k + 1][1]
    if len(found) < 2 or any(np.isnan(value) for value in found.values()):
        return None
    best = max(found.values())
    winners = [moment for moment, value in found.items() if value == best]
    if len(winners) > 1:
        return False, True
    return any(abs(winners[0] - truth) < threshold for truth in truths), False


def test_it_is_the_papers_rule_item_by_item():
    generator = np.random.default_rng(3)
    n, most = 400, 9
    frames = generator.integers(1, most + 1, n)
    scores = generator.integers(0, 6, (n, most, 2)) / 4  # exact in binary: ties happen
    seconds = np.full((n, most), np.nan)
    truths = []
    for row, count in enumerate(frames):
        scores[row, count:] = np.nan
        seconds[row, :count] = np.arange(count) / 5
        truths.append(generator.uniform(0, 2, generator.integers(1, 3)))
    scores[0, 0, 0] = np.nan
    for threshold in grounding.THRESHOLDS:
        is_near = grounding.near(seconds, truths, threshold)
        found = grounding.grounded(scores, is_near, frames)
        for row, count in enumerate(frames):
            expected = slow(scores[row, :count], seconds[row, :count], truths[row], threshold)
            assert found.defined[row] == (expected is not None)
            if expected is not None:
                assert (found.correct[row], found.ties[row]) == expected
    assert found.ties.sum() > 20
    assert found.correct.sum() > 20


def test_a_scorer_that_says_the_same_of_everything_is_never_right():
    found = grounding.grounded(np.ones((2, 5, 2)), np.ones((2, 4), bool), [5, 5])
    assert not found.correct.any()
    assert found.ties.all()


@pytest.mark.parametrize(
    ("is_near", "margin"),
    [([True, False, False], 0.5), ([False, True, False], -0.5), ([True] * 3, 0.5), ([False] * 3, -1.0)],
)
def test_margins(is_near, margin):
    one = [[[1.0, 0.0], [0.25, 0.25], [0.0, 0.5], [0.0, 0.25]]]  # s_bg: 1.25, 0.75, 0.25
    assert grounding.grounded(one, [is_near], [4]).margin.tolist() == [margin]


def test_nearer_than_is_strict_and_padding_is_near_nothing():
    seconds = [[0.0, 0.5, 1.0, np.nan]]
    assert grounding.near(seconds, [[0.75]], 0.5).tolist() == [[False, True, False]]
    assert grounding.near(seconds, [[]], 3.0).tolist() == [[False] * 3]


def test_no_items_and_no_choice():
    assert len(grounding.grounded(np.zeros((0, 2, 2)), np.zeros((0, 1), bool), [])) == 0
    assert not grounding.grounded(np.ones((1, 2, 2)), [[True]], [2]).defined.any()


def test_infinite_scores_are_compared():
    one = [[[-np.inf, 0.0], [0.0, -np.inf], [0.0, 0.0]]]
    assert grounding.grounded(one, [[False, True]], [3]).correct.all()
    assert grounding.grounded(np.full((1, 3, 2), -np.inf), [[False, True]], [3]).ties.all()


@pytest.mark.long
def test_chance_is_the_share_of_right_boundaries():
    is_near = np.array([[True, False, False, False], [True, True, False, False]])
    counts, right = grounding.candidates(is_near, [5, 3])
    name = grounding.metric(0.5)
    level = chance(name, counts, right)
    assert level == pytest.approx((1 / 4 + 2 / 2) / 2)
    scores = np.random.default_rng(0).normal(size=(40_000, 5, 2))
    drawn = grounding.grounded(scores, np.repeat(is_near[:1], 40_000, 0), np.full(40_000, 5))
    assert drawn.correct.mean() == pytest.approx(1 / 4, abs=0.01)
    assert chance(name, [], []) is None


def test_declarations_are_in_the_papers_order():
    names = [metric.name for metric in applicable(Protocol.GROUNDING, Kind.ITC)]
    assert names == [grounding.metric(t) for t in grounding.THRESHOLDS] + [grounding.MEAN]
    assert by_name("grounding_accuracy_at_2.5s").paper == "EqSim"
    assert applicable(Protocol.GROUNDING, Kind.VERDICT) == applicable(Protocol.GROUNDING, Kind.PRIOR) == ()
