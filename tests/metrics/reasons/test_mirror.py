"""The mirror's rules against their definitions, item by item."""

import numpy as np
import pytest

from backend.metrics.reasons.mirror import (
    MISSED_AT,
    NOT_SEEN,
    REVERSED,
    SEEN,
    SEEN_AT,
    STATES,
    UNCERTAIN,
    Certified,
    at_least,
    certify,
    q_values,
    shares,
    unclear,
    words,
)


def by_definition(t, right, decoy_right):
    """The rule as docs/reasons.md words it, slowly."""
    state = [NOT_SEEN if value <= 0 else UNCERTAIN for value in t]
    for verdict in (True, False):
        targets = [v for v, own in zip(t, right, strict=True) if v > 0 and own == verdict]
        decoys = [-v for v, back in zip(t, decoy_right, strict=True) if v < 0 and back == verdict]
        items = [v for v, own in zip(t, right, strict=True) if own == verdict]

        def luck(at, targets=targets, decoys=decoys):
            return (1 + sum(d >= at for d in decoys)) / max(1, sum(x >= at for x in targets))

        def missed(at, targets=targets, decoys=decoys, items=items):
            n = sum(x <= at for x in items)
            return n and (sum(x <= at for x in targets) - sum(d <= at for d in decoys)) / n <= MISSED_AT

        low = max((at for at in targets + decoys if missed(at)), default=-np.inf)
        for place, value in enumerate(t):
            if value > 0 and right[place] == verdict:
                if min(luck(at) for at in targets if at <= value) <= SEEN_AT:
                    state[place] = SEEN
                elif value <= low:
                    state[place] = NOT_SEEN
    return state


@pytest.mark.parametrize("seed", range(6))
def test_certified_as_defined(seed):
    rng = np.random.default_rng(seed)
    t = np.round(rng.standard_normal(150) + rng.choice([0.0, 3.0], 150), 1)  # rounded: with ties, and with zeros
    bias = rng.standard_normal(150) * 2
    right, decoy_right = t + bias > 0, bias - t > 0
    found = certify(t, right, decoy_right).state
    back = certify(-t, decoy_right, right).state
    expected = np.array(by_definition(t, right, decoy_right))
    turned = (np.array(by_definition(-t, decoy_right, right)) == SEEN) & (t < 0)
    expected[turned] = REVERSED
    assert np.array_equal(found, expected)
    assert np.array_equal(found == SEEN, back == REVERSED)
    assert {SEEN, NOT_SEEN} <= set(found)


def test_seen_needs_twenty_targets():
    for n, state in ((19, UNCERTAIN), (20, SEEN)):
        found = certify(np.full(n, 3.0), np.ones(n, bool), np.zeros(n, bool))
        assert set(found.state) == {state}


def test_a_decoy_counts_under_its_own_verdict():
    t = np.array([3.0] * 20 + [-3.0] * 20)
    right = np.array([True] * 20 + [False] * 20)
    assert set(certify(t, right, np.zeros(40, bool)).state[:20]) == {SEEN}  # the decoys would be wrong
    assert set(certify(t, right, right[::-1]).state[:20]) == {NOT_SEEN}  # the decoys would be right, too


def test_undefined_items_are_left_out():
    found = certify([np.nan, 1.0, 0.0], [False] * 3, [False] * 3)
    assert found.state.tolist() == [-1, UNCERTAIN, NOT_SEEN]
    assert np.isnan(found.q[[0, 2]]).all()
    assert certify([], [], []).state.tolist() == []


def test_q_with_weights():
    assert q_values([3.0, 1.0], [2.0, 2.0], [0.5, 0.5]).tolist() == [1.0, 1.0]
    assert q_values([3.0, 1.0], [0.5]).tolist() == [0.5, 0.5]
    assert q_values([], [1.0]).tolist() == []


def test_the_share_counts_exact_zeros_half_on_each_side():
    found = at_least([1.0] * 3 + [-1.0] + [0.0] * 6 + [np.nan])
    assert (found.n, found.plus, found.minus, found.value) == (10, 3, 1, 0.2)
    nothing = at_least([0.0] * 50)
    assert nothing.value == 0.0
    assert nothing.ci95[0] == pytest.approx(-nothing.ci95[1])
    assert at_least([]).value is None
    assert at_least([]).ci95 is None


@pytest.mark.long
def test_the_lower_end_covers_what_is_planted():
    rng = np.random.default_rng(3)
    for planted, effect in ((0.6, 1.0), (0.6, 2.0), (0.0, 0.0)):
        found = [at_least(rng.standard_normal(300) + effect * (rng.random(300) < planted)) for _ in range(100)]
        assert np.mean([share.ci95[0] <= planted for share in found]) >= 0.95
    assert np.mean([at_least(rng.standard_normal(300) + 2 * (rng.random(300) < 0.6)).value for _ in range(50)]) > 0.5


def test_clusters_widen_the_interval():
    evidence = np.repeat(np.random.default_rng(0).choice([-1.0, 1.0], 60, p=[0.3, 0.7]), 5)
    alone, clustered = at_least(evidence), at_least(evidence, np.repeat(np.arange(60), 5))
    assert alone.value == clustered.value
    assert np.ptp(clustered.ci95) > 1.7 * np.ptp(alone.ci95)
    all_alike = at_least(np.ones(50), np.repeat(np.arange(10), 5))
    assert all_alike.ci95 == pytest.approx(at_least(np.ones(10)).ci95)


def test_words():
    cells = ("right", "outvoted_by_both", "no_binding")
    states = [SEEN, NOT_SEEN, UNCERTAIN, REVERSED, -1]
    cell, reason = words([1, 0, 1, 2, -1], states, cells, ["no_binding"] * 5)
    assert cell == ["outvoted_by_both", "right", "outvoted_by_both", "no_binding", ""]
    assert reason == ["outvoted_by_both", "no_binding", "uncertain", "reversed", ""]
    found = unclear(Certified(np.array(states), np.zeros(5)), np.ones(5, bool))
    assert found.state.tolist() == [UNCERTAIN] * 4 + [-1]
    assert shares([0, 0, 2, -1], [2, 2, 0, -1], cells)["right"] == (2, 1)


@pytest.mark.parametrize(("pairs", "said"), [(2, "uncertain"), (9, "uncertain"), (20, "not_seen")])
def test_nothing_is_called_not_seen_among_a_handful(pairs, said):
    """Right items of which as many are turned round: among two of them nothing can be told, among twenty it can."""
    t = np.array([1.0] * pairs + [-1.0] * pairs)
    right = t > 0
    found = certify(t, right, ~right)
    assert {STATES[code] for code in found.state[:pairs]} == {said}
