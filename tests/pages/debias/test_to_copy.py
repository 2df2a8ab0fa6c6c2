"""The finding of the α-curve says what its page says: the same α, and no direction that is not beyond chance."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from backend.metrics.alpha import Intervals, curve
from backend.metrics.alpha.gains import Gain, gain
from backend.store.alpha.uncertainty import Samples
from pages.debias import to_copy
from pages.debias.to_copy import NONE, Caution, Of
from pages.debias.verdict import Floor
from tests.pages import results

Visit = Callable[..., AppTest]
OF = Of("m", "accuracy", "choice", "3 noise images", "w")
#: Right everywhere, and right from 0.2 to 0.9.
SETS = Intervals(np.array([-np.inf, 0.2] * 20), np.array([np.inf, 0.9] * 20))
#: 8 items: one is won, one lost under a large α.
FEW = Intervals(np.array([-np.inf] * 7 + [0.5]), np.array([np.inf] * 6 + [0.9, np.inf]))
DIRECTION = re.compile(r"right (more|less) often")


def said(sets: Intervals, alpha: float | None = None, caution: Caution = NONE) -> str:
    """Of an α, None for the best one."""
    found = curve(sets)
    best = found.best()
    assert best is not None
    return to_copy.said(OF, found, gain(sets, best.alpha if alpha is None else alpha), caution)


def held(value: float, p: float, after: float = 0.8) -> Gain:
    return Gain(530, 0.0, 0.55, after - value, after, value, (value - 0.02, value + 0.02), 9, 2, p)


def test_a_gain_beyond_chance_has_a_direction() -> None:
    assert said(SETS, 0.4) == (
        "Taking α = 0.4 of its language prior away makes m right more often on choice by 50.0 points [33.3, 66.7]: "
        "100.0 % against 50.0 %; its best α on these very items is 0.550 in (0.200, 0.900), 100.0 % (n = 40 items; "
        "p < .001, exact paired test, images as units; Accuracy; P(t) from 3 noise images; exact over α; w)."
    )
    told = said(SETS, 1.0)
    assert told.startswith("Taking all of its language prior away leaves m right as often on choice, a difference of 0")


def test_the_best_alpha_is_judged_where_it_was_not_chosen() -> None:
    told = said(SETS, None, Caution(Samples(20, 7.5, 2.0), held(0.05, 0.001)))
    assert told.startswith("Taking α = 0.550 (its best) of its language prior away makes m right more often on choice")
    assert "beyond chance on 530 held-out items (75.0 → 80.0 %, +5.0 points [+3.0, +7.0], p = .001)" in told
    assert "chosen on these very items, which flatters" in told
    assert "its best α on these" not in told
    luck = said(SETS, None, Caution(Samples(20, 7.5, 2.0), held(0.01, 0.4)))
    assert not DIRECTION.search(luck), "p < .001 of the items that chose α says nothing"
    assert (
        "changes how often m is right on choice by +50.0 points [+33.3, +66.7], not beyond chance on 530 held" in luck
    )
    loss = said(SETS, None, Caution(Samples(20, 7.5, 2.0), held(-0.1, 0.001)))
    assert not DIRECTION.search(loss)
    assert "a loss beyond chance on 530 held-out items" in loss


@pytest.mark.parametrize("alpha", [None, 0.95])
def test_without_a_difference_beyond_chance_there_is_no_direction(alpha: float | None) -> None:
    caution = Caution(None, None, (False, "too few items for a judgement")) if alpha is None else NONE
    told = said(FEW, alpha, caution)
    assert not DIRECTION.search(told)
    few = "+12.5 points" in told and "too few items for a judgement: 8 of 8 against 7 of 8" in told
    assert few == (alpha is None)


def test_thin_samples_forbid_a_claim_at_every_alpha() -> None:
    caution = Caution(Samples(20, 1.3, 1.0), held(0.05, 0.001))
    for alpha in (None, 0.4):
        told = said(SETS, alpha, caution)
        assert told.startswith(
            "Nothing debiased can be claimed of m: P(t) rests on 1.3 effective samples of 20 (median; 5 are asked); "
            "taking α = "
        )
        assert not DIRECTION.search(told)


def test_what_random_scores_reach_is_said() -> None:
    caution = Caution(Samples(20, 7.5, 2.0), held(0.04, 0.001, after=0.042), None, Floor(0.25, "3.1 % [−6.1, 12.3]"))
    assert (
        "; at this α no more is right (4.2 % of held-out items) than random scores reach (25.0 %), and no binding is "
        "seen in these quads (3.1 % [−6.1, 12.3]) (n = "
    ) in said(SETS, None, caution)
    assert "than random scores reach" not in said(SETS, 0.4, caution), "all are right there"
    assert "at this α no more is right (50.0 %) than random scores reach (50.0 %)" in said(
        SETS, 1.0, replace(caution, floor=Floor(0.5))
    )


def test_where_alpha_cannot_help() -> None:
    flat = Intervals(np.array([-np.inf] * 4), np.array([np.inf] * 3 + [-1.0]))
    for alpha in (None, 0.4):
        told = said(flat, alpha)
        assert "best α on these" not in told  # no α is better than another
        assert "leaves m right as often on choice, a difference of 0.0 points" in told
    cancels = to_copy.cancels(replace(OF, metric="image_score", subset="quads"), curve(flat))
    assert cancels.startswith("No α changes what m is right on in quads, 3 of 4: its image score compares two images")
    nobody = Intervals(np.array([np.nan]), np.array([np.nan]))
    assert to_copy.said(OF, curve(nobody), gain(nobody, 1.0)) == to_copy.cancels(OF, curve(nobody)) == ""


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("of", [{}, {"alpha": "1"}])
def test_the_page_copies_the_alpha_that_it_names(
    visit: Visit, monkeypatch: pytest.MonkeyPatch, of: dict[str, str]
) -> None:
    """At α = 0 the sentence and the button speak of α*; the finding spoke of α = 1."""
    found: list[tuple[str, Mapping[str, Any]]] = []

    def draw(said: str, *_: str, link: Mapping[str, Any]) -> None:
        found.append((said, link))

    monkeypatch.setattr("pages.shared.drawing.finding.draw", draw)
    page = visit("debias", model=results.SPEAKER, subset="choice", **of)
    assert not page.exception
    told, link = found[0]
    thin = any("Nothing debiased can be claimed of" in block.value for block in page.markdown)
    assert told.startswith("Nothing debiased can be claimed of") == thin
    assert ("aking all of its" in told) == bool(of)
    assert ("(its best) of its" in told) == (not of)
    star = re.search(r"α\* = ([\d.]+)", page.button(key="to-failures" if not of else "take-along").label)
    if not of:
        assert star is not None
        assert f"aking α = {star[1]} (its best)" in told
        assert float(link["alpha"][0]) == pytest.approx(float(star[1]), abs=1e-3)
