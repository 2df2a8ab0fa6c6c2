"""Labels need evidence; blind solvability is judged against its item-shuffled null."""

import numpy as np
import pytest

from backend.metrics import diagnosis
from backend.metrics.blind import BlindNull, blind_margins, blind_null
from backend.metrics.core.compare import from_margins

NAN = float("nan")


def test_no_evidence_no_label():
    nothing = from_margins([NAN, NAN])
    cases = [
        diagnosis.text_encoder(nothing),
        diagnosis.cross_modal(nothing, from_margins([1, -1])),
        diagnosis.cross_modal(from_margins([1, -1]), nothing),
        diagnosis.language_prior(nothing, nothing),
        diagnosis.brittle(nothing, np.ones((2, 3))),
        diagnosis.brittle(from_margins([1, 1]), np.full((2, 3), NAN)),
        diagnosis.brittle(from_margins([1, 1]), np.zeros((2, 0))),
        diagnosis.blind_solvable(np.full((2, 3), 9.0), BlindNull(np.array([1.0, NAN, NAN]), None)),
        diagnosis.near_miss([NAN, NAN], np.ones((2, 8))),
        diagnosis.near_miss([0.1, 0.1], np.ones((2, 7))),
    ]
    for label, evidence in cases:
        assert label.tolist() == [False, False]
        assert evidence.tolist() == [False, False]
        assert label.dtype == evidence.dtype == np.bool_


def test_every_label_has_a_definition():
    functions = {name for name in vars(diagnosis) if name in diagnosis.DEFINITIONS}
    assert functions == set(diagnosis.DEFINITIONS)


def test_ties_are_failures_in_labels():
    label, _ = diagnosis.text_encoder(from_margins([0.0]))
    assert label.tolist() == [True]
    label, _ = diagnosis.brittle(from_margins([0.1]), [[0.0]])
    assert label.tolist() == [True]


def test_near_miss_is_the_90th_percentile_of_its_own_change():
    change = np.arange(1.0, 11.0)
    for margin, expected in ((9.05, True), (9.15, False), (-9.05, True)):
        label, _ = diagnosis.near_miss([margin], [margin + change])
        assert label.tolist() == [expected]


def test_blind_scorers_that_know_nothing_reach_the_null():
    rng = np.random.default_rng(0)
    scores = [rng.normal(size=(2000, 3)) for _ in range(3)]
    null = blind_null(scores)
    label, evidence = diagnosis.blind_solvable(blind_margins(scores), null)
    assert evidence.all()
    assert null.share == pytest.approx(3 * 0.05**2, abs=0.003)
    assert label.mean() == pytest.approx(null.share, abs=0.006)
    assert null.thresholds.tolist() == blind_null(scores).thresholds.tolist()


def test_implausible_foils_are_found():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(500, 1))
    shuffled = [np.c_[base, base - 8 + rng.normal(size=(500, 2)) * 0.1] for _ in range(2)]
    plausible = [np.c_[base, base + rng.normal(size=(500, 2)) * 0.1] for _ in range(2)]
    mixed = [np.r_[a, b] for a, b in zip(shuffled, plausible, strict=True)]
    label, _ = diagnosis.blind_solvable(blind_margins(mixed), blind_null(mixed))
    assert label[500:].mean() == 0
    assert label[:500].mean() > 0.95
    alone, _ = diagnosis.blind_solvable(blind_margins(mixed[:1]), blind_null(mixed[:1]))
    assert not alone.any()


def test_blind_triplets_and_too_few_items():
    scores = np.array([[-1.0, -1.5, -9.0], [-1.2, -1.0, -9.5], [-1.1, -1.0, -9.0]])
    assert blind_margins([scores], triplet=True).ravel().tolist() == [7.5, 8.3, 7.9]
    null = blind_null([scores, scores], triplet=True)
    assert null.thresholds[0] == pytest.approx(0.1)  # -1.1 for min(P1, P2) against another item's -1.2
    assert np.isnan(blind_null([scores[:1]]).thresholds).all()
    assert blind_null([]).thresholds.shape == (0,)
