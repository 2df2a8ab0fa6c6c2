"""What Overview says of items that can be solved without their images, by intervals alone."""

import pytest

from backend.metrics.statistics import Rate
from backend.protocols import Protocol
from backend.store.reasons.blind_audit import Audit, Scorer
from pages.overview import blind


def audit(share: float, low: float, high: float) -> Audit:
    scorer = Scorer("m", "self", Rate(0.5, 1040, 0, (0.4, 0.6)), 0.4)
    return Audit("choice", Protocol.CHOICE, (scorer, scorer), 1040, share, (low, high), ())


def test_at_least_is_the_lower_end_of_a_share_that_has_been_taken_off_from() -> None:
    said = blind.sentence(audit(0.415, 0.38, 0.451), 2)
    assert said == (
        "at least 38.0 % of the items can be solved without the image: less those whose foil is found, "
        "41.5 % [38.0, 45.1] (n = 1,040) (2 blind scorers)."
    )


@pytest.mark.parametrize(("share", "low", "high"), [(-0.032, -0.062, -0.001), (0.032, 0.001, 0.062)])
def test_of_several_subsets_nothing_is_claimed_that_so_many_intervals_would_not_leave_out(share, low, high) -> None:
    """Failed before: “the texts mislead” of −3.2 % [−6.2, −0.1], the one of two rows that missed 0."""
    assert blind.sentence(audit(share, low, high), 2).startswith("uncertain, ")
    assert "one 1.1 times as wide, as 2 subsets at once need, does not" in blind.sentence(audit(share, low, high), 2)
    assert not blind.sentence(audit(share, low, high)).startswith("uncertain")


def test_what_is_far_from_luck_is_claimed_however_many_subsets_there_are() -> None:
    assert blind.sentence(audit(-0.2, -0.23, -0.17), 20).startswith("the texts mislead: 2 blind scorers find a foil")
    assert blind.sentence(audit(0.01, -0.02, 0.04), 20).startswith("no more items than by luck")
