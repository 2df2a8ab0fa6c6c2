"""What Debias says first: chance is judged where α* was not chosen, and too few effective samples forbid a claim."""

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from backend.metrics.alpha import Best
from backend.metrics.alpha.bootstrap import Spread
from backend.metrics.alpha.gains import Gain, Reach
from backend.store.alpha.uncertainty import Samples, Verdict
from pages.debias import verdict
from tests.pages.opening import unfolded

STAR = Best(0.95, 0.784, 0.9498, 0.9509, False, False)
REACH = Reach(1040, 754, 104, 99, 83, (-np.inf, np.inf))


def gain(value, won, lost, p, n=1040):
    return Gain(n, 0.0, 0.95, 0.755, 0.755 + value, value, (value - 0.02, value + 0.02), won, lost, p)


def spread(likely=0.68, samples=20):
    nothing = np.zeros(2)
    return Spread(400, 1040, samples, nothing, nothing, nothing, (0.0, 0.98), 0.005, (-0.02, 0.03), likely)


def found(held=None, drawn=None, samples=None, quads=None, reach=REACH):
    return Verdict(
        "images:20", "token", STAR, gain(0.0135, 33, 19, 0.0704), held, drawn, reach, quads,
        samples or Samples(20, 7.5, 2.0),
    )  # fmt: skip


def test_the_verdict_of_the_held_out_half_leads():
    said = verdict.said(found(gain(0.013, 20, 13, 0.324, 530), spread()))
    assert said.lead == (
        "α* = 0.9500: +1.4 points (33 won, 19 lost, p = .070): not beyond chance; on 530 held-out items 75.5 → 76.8 %, "
        "+1.3 points [−0.7, +3.3], p = .324."
    )
    assert not said.sure
    assert "α* lies between 0.00 and 0.98 (95 %)" in said.more[0]
    assert "68 % of them gain" in said.more[0]
    assert "effective samples: median 7.5 of 20" in " ".join(said.more)


def test_few_items_are_counted_once_and_one_is_singular() -> None:
    few = replace(
        found(), best=Gain(8, 0.0, 0.5, 0.75, 0.875, 0.125, None, 1, 0, 1.0), reach=Reach(8, 6, 1, 0, 1, (0, 1))
    )
    assert "What α can reach: 7 of 8 items are right at some α" in " ".join(verdict.said(few).more)
    line = str(verdict.line(few, "m").striptags())
    assert "m wins 1 item and loses 0: 6 → 7 of 8 right" in line


@pytest.mark.parametrize(
    ("held", "drawn", "words", "sure"),
    [
        (gain(0.05, 40, 10, 0.001), spread(0.5), "beyond chance", True),
        (gain(-0.05, 10, 40, 0.001), spread(0.99), "a loss beyond chance", False),
        (gain(0.01, 12, 10, 0.8), spread(0.99), "not beyond chance", False),
        (None, spread(0.99), "beyond chance", True),
        (None, spread(0.9), "not beyond chance", False),
        (None, None, "too few items for a judgement", False),
    ],
)
def test_chance(held, drawn, words, sure):
    """A p of 0.07 on the items that chose α says nothing either way."""
    said = verdict.said(found(held, drawn))
    assert f"): {words}" in said.lead
    assert said.sure is sure


def test_nothing_debiased_is_claimed_below_five_effective_samples():
    said = verdict.said(found(gain(0.05, 40, 10, 0.001), spread(0.99), Samples(20, 1.2, 1.0)))
    assert said.lead == (
        "Nothing debiased can be claimed: P(t) from 20 sampled images rests on 1.2 effective samples of 20 (median; 5 "
        "are asked)."
    )
    assert not said.sure
    blind = verdict.said(found(gain(0.05, 40, 10, 0.001), spread(0.99, 0), Samples(1, None, None)))
    assert blind.sure
    assert "images behind" not in blind.more[0]


def test_no_gain_is_said_as_such():
    nothing = Verdict(
        "lm:x", "token", STAR, gain(0.0, 0, 0, 1.0), None, spread(0.5, 0), REACH, None, Samples(1, None, None)
    )
    assert verdict.said(nothing).lead == "α* = 0.9500: no item won or lost against α = 0: not beyond chance."


def test_a_gain_below_the_level_of_random_scores_is_called_so():
    """26 won, none lost, p < .001, and still 4.7 % right where coins reach 25: moving a bias is no understanding."""
    held = Gain(213, 0.0, 0.93, 0.0, 0.047, 0.047, (0.02, 0.08), 10, 0, 0.002)
    low = verdict.said(found(held, spread(1.0)), floor=verdict.Floor(0.25, "3.1 % [−6.1, 12.3]"))
    assert ": beyond chance, yet nothing that random scores would not reach; on 213" in low.lead
    assert not low.sure
    assert low.more[0] == (
        "At α*, too, no more is right (4.7 %) than random scores reach (25.0 %). No binding is seen in these quads "
        "(3.1 % [−6.1, 12.3]): taking the prior away moves their caption bias alone."
    )
    high = verdict.said(found(gain(0.05, 40, 10, 0.001), spread(0.99)), floor=verdict.Floor(0.25))
    assert high.sure
    assert "random scores" not in " ".join((high.lead, *high.more))


def test_the_ends_of_alpha_read_no_further_out_than_alpha_itself():
    star = replace(STAR, lo=0.9987, hi=1.0)
    drawn = replace(spread(0.0), star=(0.9987, 1.0))
    told = verdict.said(replace(found(None, drawn), star=star)).more[0]
    assert "between 0.999 and 1.000 (95 %), and none of them gain" in told


def test_what_alpha_can_reach():
    choices = next(line for line in verdict.said(found()).more if "reach" in line)
    assert choices == (
        "What α can reach: 82.5 % of 1,040 items are right at some α in [0, 1], 754 of them at every one; 99 only at "
        "an α outside; 83 at none."
    )
    quads = {"within": 858, "no_binding": 50, "outvoted_by_image": 33, "priors_equal": 0, "beyond": 99}
    of_quads = next(line for line in verdict.said(found(quads=quads)).more if "reach" in line)
    assert of_quads.endswith(
        "99 only at an α outside; out of reach: 50 without binding (γ ≤ 0), 33 outvoted by the image (|r| ≥ γ), which "
        "α does not move."
    )
    pool = Reach(100, 82, 17, 0, 1, (0.0, 2.0))
    assert "1 at none up to 2" in " ".join(verdict.said(found(reach=pool)).more)


@pytest.mark.parametrize(
    ("held", "samples", "words"),
    [
        (
            gain(0.05, 40, 10, 0.001), None,
            "At the best α (α* = 0.9500), x<y wins 33 items and loses 19: 75.5 → 76.9 % right, beyond chance.",
        ),
        (
            gain(0.01, 12, 10, 0.8), None,
            "At the best α (α* = 0.9500), x<y wins 33 items and loses 19: 75.5 → 76.9 % right, not beyond chance.",
        ),
        (
            None, Samples(20, 1.2, 1.0),
            "Nothing debiased can be claimed of x<y: P(t) rests on 1.2 effective samples of 20.",
        ),
    ],
)  # fmt: skip
def test_the_line_at_the_head_says_the_same_as_the_verdict(held, samples, words):
    """Plain, its numbers with their facts: the held-out half says whether it is chance, and its facts are shown."""
    line = verdict.line(found(held, spread(), samples), "x<y")
    assert line.striptags().replace("&lt;", "<") == words
    assert "x<y" not in line
    if held is not None and samples is None:
        assert f'data-facts="{held.n:,} items · 95 % interval' in line
        assert "α* chosen on the others" in line


def test_the_line_says_where_nothing_is_won():
    nothing = replace(found(), best=gain(0.0, 0, 0, 1.0))
    assert verdict.line(nothing, "a") == "At the best α (α* = 0.9500), a wins no item and loses none against α = 0."


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_page_begins_with_it(visit) -> None:
    page: AppTest = visit("debias")
    assert not page.exception
    said = "".join(element.proto.body for element in page.get("html"))
    assert 'class="fs-worth-lead"' not in said
    assert 'class="fs-seen">At the best α (α* = ' in said
    unfolded(page, "debias-verdict")
    said = "".join(element.proto.body for element in page.get("html"))
    assert 'class="fs-worth-lead"' in said
    assert "★ α*, the middle of the plateau" in said
