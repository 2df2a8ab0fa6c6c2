"""Every interval by clusters, counted where a few clusters hold most items: it covers, and none contradicts its test.

With a bootstrap's percentiles, or Student's t at the number of clusters, these cover 58 to 90 of 100 times.
"""

import numpy as np
import pytest

from backend.metrics.answers import area, yes_bias
from backend.metrics.auroc import auroc
from backend.metrics.contests import mean_of_orders
from backend.metrics.modality_gap import modality_gap
from backend.metrics.paired.equal_weight import equal_sign_flip, mean_of
from backend.metrics.paired.flips import change
from backend.metrics.paired.paired import pair
from backend.metrics.reasons.mirror import at_least
from backend.metrics.statistics import mean_interval, paired_bootstrap, rate
from backend.metrics.thresholds import threshold

FEW = (2, 2, 3, 3, 5, 5, 8, 8, 20, 20, 60, 100)
SOME = (1,) * 20 + (3,) * 10 + (10,) * 6 + (60,) * 4
EIGHT = (2, 2, 3, 5, 8, 15, 30, 60)
DRAWS = 200


def inside(ends, truth):
    return ends is not None and ends[0] - 1e-12 <= truth <= ends[1] + 1e-12


def cluster(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def alike(rng, sizes, shares, icc=0.3):
    """Codes (n,), the k-th with the k-th share, by a Dirichlet distribution of each cluster's own shares."""
    spread = np.array(shares) * (1 - icc) / icc
    own = rng.dirichlet(spread, len(sizes)).cumsum(axis=1)[cluster(sizes)]
    return (rng.random(len(own))[:, None] > own[:, :-1]).sum(axis=1)


@pytest.mark.parametrize(("sizes", "p"), [(FEW, 0.6), (SOME, 0.9), (SOME, 0.6), (EIGHT, 0.6)])
def test_rates(sizes, p):
    """A bootstrap, or t at clusters − 1: .80 to .91."""
    rng, of = np.random.default_rng(1), cluster(sizes)
    assert np.mean([inside(rate(alike(rng, sizes, (1 - p, p)), clusters=of).ci95, p) for _ in range(400)]) >= 0.93


def test_a_rate_of_clusters_of_one_size_is_no_wider_than_it_was():
    rng = np.random.default_rng(2)
    hits = alike(rng, (3,) * 300, (0.4, 0.6))
    low, high = rate(hits, clusters=cluster((3,) * 300)).ci95
    assert high - low < 1.06 * 3.92 * np.std(hits.reshape(300, 3).mean(axis=1)) / 300**0.5


def test_one_that_holds_nearly_all_leaves_little_to_say():
    low, high = rate([1, 0, 1, 1] * 50 + [1] * 20, clusters=[0] * 200 + list(range(1, 21))).ci95
    assert high - low > 0.6


@pytest.mark.parametrize("sizes", [FEW, SOME, EIGHT, (20,) * 12])
@pytest.mark.parametrize("shares", [(0.15, 0.7, 0.15), (0.1, 0.6, 0.3)])
def test_gains_and_drops(sizes, shares):
    """A bootstrap: .85 to .92, and 0 is left out in 12 to 16 % of draws of eight clusters where p is below .05 in 3."""
    rng, of, truth, held, small = np.random.default_rng(3), cluster(sizes), shares[2] - shares[0], [], 0
    for _ in range(DRAWS):
        gap = alike(rng, sizes, shares) - 1
        both = rng.random(len(gap)) < 0.5
        a, b = np.where(gap, gap < 0, both), np.where(gap, gap > 0, both)
        found, turned = pair(a, b, of), change(b, a, of)
        held.append(inside(found.gain_ci, truth))
        assert inside(found.gain_ci, 0.0) == (found.p > 0.05)
        assert turned.ci95 == pytest.approx(found.gain_ci, abs=0.05)
        assert turned.p == pytest.approx(found.p)
        small += found.p <= 0.05
    assert np.mean(held) >= 0.925
    assert shares[0] != shares[2] or small <= 0.08 * DRAWS


def test_four_gained_and_none_lost_is_no_proof():
    """It said [+0.3, +2.0] beside p = .125."""
    found = pair(np.zeros(400), np.arange(400) < 4)
    assert found.p == 0.125
    assert found.gain_ci[0] <= 0 < found.gain_ci[1]
    assert pair(np.zeros(400), np.arange(400) < 6).gain_ci[0] > 0  # p = .03


@pytest.mark.parametrize("sizes", [FEW, SOME])
def test_kappa(sizes):
    """Where few clusters hold a difference halves alone cover .80 to .85."""
    rng, of, held = np.random.default_rng(4), cluster(sizes), []
    for _ in range(DRAWS):
        gap = alike(rng, sizes, (0.03, 0.94, 0.03)) - 1
        both = rng.random(len(gap)) < 0.6
        found = pair(np.where(gap, gap < 0, both), np.where(gap, gap > 0, both), of)
        held.append(inside(found.kappa_ci, 1 - 0.06 / (1 - 0.594**2 - 0.406**2)))
    assert np.mean(held) >= 0.93


@pytest.mark.parametrize(("counts", "shares"), [((100, 20, 5), (0.1, 0.7, 0.2)), ((80, 30, 8), (0.02, 0.88, 0.1))])
def test_subsets_of_equal_weight(counts, shares):
    """A bootstrap within subsets: .79 to .88 with 5 in the smallest."""
    rng, held = np.random.default_rng(5), []
    subset = np.repeat(np.arange(len(counts)), counts)
    for _ in range(DRAWS):
        gap = rng.choice([-1, 0, 1], len(subset), p=shares)
        ends = mean_of(gap, subset, gaps=True).ci95
        held.append(inside(ends, shares[2] - shares[0]))
        assert inside(ends, 0.0) == (equal_sign_flip(gap, subset) > 0.05)
    assert np.mean(held) >= 0.925


def test_shares_of_two_sides_and_of_orders():
    rng, of, names = np.random.default_rng(6), cluster(FEW), ("pc", "pf", "threshold_accuracy", "min_pc_pf")
    held = {name: [] for name in (*names, "auroc", "orders", "bias", "area", "bind")}
    truth = {"pc": 0.7, "pf": 0.6, "threshold_accuracy": 0.65, "min_pc_pf": 0.6, "bind": 0.4}
    truth |= {"orders": 0.7, "bias": 0.2, "auroc": 0.65, "area": 0.65}
    for _ in range(DRAWS):
        first, second = alike(rng, FEW, (0.3, 0.7)), alike(rng, FEW, (0.6, 0.4))
        p = np.stack([np.where(first, 0.8, 0.2), np.where(second, 0.8, 0.2)], axis=1)
        found = threshold(p, clusters=of)
        for name in names:
            held[name].append(inside(found[name].ci95, truth[name]))
        held["auroc"].append(inside(auroc(p, clusters=of, samples=300).ci95, truth["auroc"]))
        held["orders"].append(inside(mean_of_orders(np.stack([first, first], axis=1), of).ci95, truth["orders"]))
        no = np.zeros(len(of), bool)
        held["bias"].append(inside(yes_bias(2 * alike(rng, FEW, (0.8, 0.2)) - 1.0, no, of).ci95, truth["bias"]))
        held["bind"].append(inside(at_least(2.0 * first - 1, of).ci95, truth["bind"]))
    for _ in range(40):  # a thousand halves each
        first, second = alike(rng, FEW, (0.3, 0.7)), alike(rng, FEW, (0.6, 0.4))
        twice = np.concatenate([first, second]) - 0.5
        yes = np.repeat([True, False], len(of))
        held["area"].append(inside(area(twice, yes, np.tile(of, 2)).ci95, truth["area"]))
    least = {name: float(np.mean(found)) for name, found in held.items()}
    assert min(least.values()) >= 0.9, least


def test_means_of_any_values_and_the_gap_of_modalities():
    rng, of, held, gaps, pairs = np.random.default_rng(7), cluster(FEW), [], [], []
    for _ in range(DRAWS):
        own = rng.normal(size=len(FEW))[of]
        value = own + rng.normal(size=len(of))
        held.append(inside(mean_interval(value, of), 0.0))
        found = paired_bootstrap(value, np.zeros(len(of)), of)
        pairs.append(inside(found.ci95, 0.0))
        assert pairs[-1] == (found.p > 0.05)
        text = np.stack([1 + 0.2 * value, np.zeros(len(of))], axis=1)
        gaps.append(inside(modality_gap(np.zeros_like(text), text, of, of).ci95, 1.0))
    assert min(np.mean(held), np.mean(pairs), np.mean(gaps)) >= 0.92
