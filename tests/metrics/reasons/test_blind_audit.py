import numpy as np
import pytest

from backend.metrics import by_item
from backend.metrics.reasons.blind_audit import audit
from scripts.planted_worlds import blind


@pytest.mark.parametrize("foils", [1, 4])
def test_a_planted_share_is_found(foils):
    labelled, hits, shares = 0, 0, []
    for seed in range(6):
        tables, planted = blind(seed, 0.3, foils=foils)
        found = audit(tables)
        labelled, hits = labelled + int(found.solvable.sum()), hits + int((found.solvable & planted).sum())
        shares.append(found.share)
    assert hits / labelled >= 0.9
    assert hits / (6 * 180) >= 0.8
    assert np.mean(shares) == pytest.approx(0.3, abs=0.03)


def test_nothing_is_found_where_nothing_is():
    for foils in (1, 4):
        found = [audit(blind(seed, 0.0, foils=foils)[0]) for seed in range(6)]
        assert sum(int(one.solvable.sum()) for one in found) == 0
        assert np.mean([one.share for one in found]) == pytest.approx(0.0, abs=0.02)


def test_two_scorers_right_on_all_items_solve_all():
    tables = [np.array([[1.0, 0.0, np.nan], [2.0, 1.0, 0.0]] * 20)] * 2
    found = audit(tables)
    assert found.solvable.all()
    assert found.accuracy.tolist() == [1.0, 1.0]
    assert audit(tables[:1]).solvable.sum() == 0
    assert audit([]).share is None


def test_triplets_exchange_the_negative_with_a_paraphrase():
    rng = np.random.default_rng(0)
    tables = [rng.standard_normal((3000, 3)) for _ in range(2)]
    found = audit(tables, triplet=True)
    assert found.accuracy == pytest.approx([by_item.triplet_i2t(table).rate().value for table in tables])
    assert found.exchanged == pytest.approx([1 / 3, 1 / 3], abs=0.03)
    assert found.share == pytest.approx(0.0, abs=0.03)
    for table in tables:
        table[:, :2] += 3.0
    assert audit(tables, triplet=True).solvable.mean() > 0.9


def test_missing_scores_leave_an_item_out():
    tables = [np.array([[1.0, 0.0], [np.nan, 0.0]] * 25), np.array([[1.0, 0.0]] * 50)]
    found = audit(tables)
    assert found.known.tolist() == [True, False] * 25
    assert not found.solvable[1::2].any()
