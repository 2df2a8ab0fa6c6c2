"""What Debias says of the certain items where it sends them to Failures."""

import pytest

from backend.metrics.alpha.gains import Gain
from backend.protocols import Protocol
from backend.store.reasons.prior_items import Found
from pages.debias.options import ALL, Options
from pages.debias.prior_items import button, decides, heading, listed, sentence


def found(won: int, lost: int, p: float, norm: str = "token") -> Found:
    gain = Gain(450, 0.0, 1.0, None, None, None, None, won, lost, p)
    return Found("q", Protocol.QUAD, "noise:3", norm, "group_score", gain, (12.0, 9, 16), None, 0, ("q/1", "q/2"))


@pytest.mark.parametrize(("norm", "says"), [("token", False), ("sum", True), ("paper-score", True)])
def test_failures_judges_a_token_and_says_so_where_debias_does_not(norm, says):
    options = Options("m", "r", ("noise:3",), "q", None, (ALL,), "group_score", "noise:3", norm, (0.0, 1.0))
    title = listed(found(7, 31, 0.0001, norm), options)
    assert ("the verdicts below are of scores a token" in title) == says
    assert title.startswith(heading(found(7, 31, 0.0001, norm)))


def test_one_item_is_singular():
    assert sentence(found(1, 3, 0.6)).startswith("1 item is won and 3 lost of 450 (p = .600); ")


@pytest.mark.parametrize(
    ("won", "lost", "p", "is_why"),
    [(40, 3, 1e-9, True), (3, 40, 1e-9, False), (40, 30, 0.3, False), (14, 1, 1e-3, False)],
)
def test_sentence_button_and_heading_agree(won, lost, p, is_why):
    """(14, 1): no more than an exchange of priors wins (9 to 16)."""
    one = found(won, lost, p)
    assert decides(one) == is_why
    assert ("a language prior decides some verdicts" in sentence(one)) == is_why
    assert ("shows the prior to be why" in button(one)) == is_why
    assert (heading(one) == "a language prior is why") == is_why
