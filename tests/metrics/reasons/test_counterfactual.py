import numpy as np
import pytest

from backend.metrics import by_item
from backend.metrics.reasons.counterfactual import (
    CHOICE_CELLS,
    agree,
    evidence,
    joint_interval,
    margins,
    of_margins,
    share_by_rank,
)
from backend.metrics.reasons.items import of_choices
from backend.metrics.reasons.mirror import at_least
from backend.metrics.statistics import wilson


def test_numbers_of_one_item():
    others = [1.0, 3.0, 2.0, 2.0]
    found = of_margins([5.0, 5.0], [others, [np.nan, 2.0, np.nan, np.nan]])
    assert (found.m[0], found.b[0], found.g[0], found.n_other.tolist()) == (5.0, 2.0, 3.0, [4, 1])
    mean_variance = np.var(others, ddof=1)  # the second item has no variance of its own
    s = np.sqrt((3 * np.var(others, ddof=1) + 4 * mean_variance) / 7)
    assert found.s[0] == pytest.approx(s)
    assert found.s[1] == pytest.approx(np.sqrt(mean_variance))
    assert found.z == pytest.approx(3 / (found.s * np.sqrt(1 + 1 / np.array([4, 1]))))
    assert found.b_error[0] == pytest.approx(s / 2)


@pytest.mark.parametrize(
    ("m", "b", "cell", "decoy"),
    [
        (3, 0.5, "grounded", "no_evidence"),
        (1, 5, "by_bias", "grounded"),
        (-1, -5, "outvoted", "no_evidence"),
        (-5, -1, "no_evidence", "grounded"),
        (0, -1, "outvoted", "no_evidence"),
        (-3, 0.5, "no_evidence", "grounded"),
        (1, 1, "by_bias", "by_bias"),
    ],
)
def test_the_four_cells(m, b, cell, decoy):
    found = of_margins([m], [[b - 0.5, b + 0.5]])
    assert CHOICE_CELLS[found.cell[0]] == cell
    assert CHOICE_CELLS[found.mirrored[0]] == decoy
    assert found.right[0] == (m > 0)
    assert found.mirrored_right[0] == (2 * b - m > 0)


def test_margins_choose_the_foil_anew_on_every_image():
    scores = np.array([[[1.0, 0.9, 0.0], [1.0, 0.0, 0.7]]])
    assert margins(scores)[0] == pytest.approx([0.1, 0.3])
    assert margins(scores, triplet=True)[0] == pytest.approx([0.9, -0.7])
    padded = np.array([[[1.0, 0.5, np.nan], [1.0, 0.25, np.nan]]])
    assert margins(padded, [2])[0] == pytest.approx([0.5, 0.75])
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((50, 4))
    assert np.array_equal(margins(rows[:, None])[:, 0], by_item.choice(rows).margin)


def test_a_fixed_foil_would_bias_the_evidence():
    rng = np.random.default_rng(1)
    own, others = rng.standard_normal((400, 8)), rng.standard_normal((400, 16, 8))
    anew = evidence(own, others)
    foil = own[:, 1:].argmax(axis=1) + 1
    rows = np.arange(400)
    fixed = of_margins(own[:, 0] - own[rows, foil], others[:, :, 0] - others[rows, :, foil])
    assert abs(at_least(anew.z).value) < 0.12
    assert at_least(fixed.z).value < -0.5
    assert abs(share_by_rank(anew.u)) < 0.12


def test_an_image_with_a_missing_score_is_no_other_image():
    own, others = [[1.0, 0.0, 0.5]], np.zeros((1, 3, 3))
    others[0, 1, 2] = np.nan
    found = evidence(own, others)
    assert found.n_other.tolist() == [2]
    nothing = evidence([[1.0, 0.0], [np.nan, 0.0]], [[[np.nan, 0.0]], [[1.0, 0.0]]])
    assert nothing.cell.tolist() == [-1, -1]
    assert not nothing.defined.any()
    assert np.isnan(nothing.u).all()
    with pytest.raises(ValueError, match="the same 1 items, got 2"):
        of_margins([1.0], [[1.0], [1.0]])


def test_a_blind_scorer_has_no_evidence_at_all():
    rng = np.random.default_rng(2)
    m = rng.standard_normal(200) / 3  # means of equal numbers are rounded: that is no evidence either
    found = of_margins(m, np.repeat(m[:, None], 17, axis=1))
    assert (found.z == 0).all()
    assert set(of_choices(found).reason) == {"by_bias", "no_evidence"}
    assert at_least(found.z).value == 0
    assert abs(share_by_rank(found.u)) < 0.2


def test_few_images_disagreeing_sources_and_images_that_fit_leave_it_open():
    rng = np.random.default_rng(3)
    m, others = np.full(60, 9.0), rng.standard_normal((60, 16))
    assert set(of_choices(of_margins(m, others)).reason) == {"grounded"}
    assert set(of_choices(of_margins(m, others[:, :15])).reason) == {"uncertain"}
    assert set(of_choices(of_margins(m, others), sources_agree=False).reason) == {"uncertain"}
    biased = of_margins(rng.standard_normal(60) + 9, others + 9)
    assert "by_bias" in of_choices(biased).reason
    assert "by_bias" not in of_choices(biased, np.ones(60, bool)).reason
    assert "by_bias" in of_choices(biased, np.arange(60) < 30).reason[30:]


def test_where_other_images_may_fit_only_what_is_seen_is_said():
    """They take evidence away from right and wrong items alike, so nothing follows where none is left."""
    others = np.random.default_rng(1).normal(size=(120, 16))
    for m, word in ((9.0, "grounded"), (-0.5, "no_evidence"), (-9.0, "reversed")):
        found = of_margins(np.full(120, m), others)
        plain, said = of_choices(found), of_choices(found, np.ones(120, bool))
        assert word in plain.reason
        assert set(said.reason) == ({"grounded"} if word == "grounded" else {"uncertain"})
        assert said.cell == plain.cell, "the cell is arithmetic and stays"


def test_u_is_a_rank_free_of_the_distribution():
    heavy = np.random.default_rng(4).standard_cauchy((500, 17))
    u = of_margins(heavy[:, 0], heavy[:, 1:]).u
    assert np.quantile(u, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.06)
    assert share_by_rank([]) is None


def test_the_joint_interval_is_wider_than_that_of_the_items_alone():
    rng = np.random.default_rng(5)
    others = rng.standard_normal((120, 4))
    m = rng.standard_normal(120) + 0.7
    low, high = joint_interval(m, others)
    assert low < at_least(of_margins(m, others).z).value < high
    images = np.tile(np.arange(4), (120, 1))  # the same four images for all: their chance does not average out
    shared = joint_interval(m, np.tile(others[0], (120, 1)), images)
    alone = joint_interval(m, np.tile(others[0], (120, 1)))
    assert np.ptp(shared) > np.ptp(alone)
    clustered = joint_interval(m, others, clusters=np.repeat(np.arange(12), 10))
    assert clustered is not None
    assert joint_interval([1.0], [[0.0]]) is None


@pytest.mark.parametrize("n", [2, 3, 5, 10])
def test_a_handful_that_agrees_shows_no_share_for_sure(n):
    """“At least 100.0 % use the image: 100.0 % [100.0, 100.0]” was said of three choices."""
    low, high = joint_interval([2.0] * n, [[0.0, 1.0]] * n)
    inside = wilson(n, n)
    assert (low, high) == pytest.approx((2 * inside[0] - 1, 1.0))


@pytest.mark.parametrize(("n", "share"), [(3, 0.8), (5, 0.6), (8, 0.8), (12, 0.6), (19, 0.8)])
def test_intervals_of_few_clusters_cover_what_is_true(n, share):
    rng, hit, joint, rounds = np.random.default_rng(n), 0, 0, 120
    others = np.tile([[0.0, 1.0, -1.0, 0.5]], (n, 1))
    for _ in range(rounds):
        evidence = np.where(rng.random(n) < share, 1.0, -1.0)
        both = at_least(evidence, np.arange(n)).ci95, joint_interval(3 * evidence, others, None, np.arange(n), 100)
        inside = [low - 1e-9 <= 2 * share - 1 <= high + 1e-9 for low, high in both]
        hit, joint = hit + inside[0], joint + inside[1]
    assert min(hit, joint) >= 0.9 * rounds


def test_sources_agree_where_their_intervals_meet():
    assert agree([(0.0, 0.3), (0.2, 0.5), (0.25, 0.6)])
    assert not agree([(0.0, 0.3), (0.2, 0.5), (0.4, 0.6)])
    assert agree([])
