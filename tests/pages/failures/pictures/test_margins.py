"""The histogram as a filter: what it draws, what a brush sets, and that a link's range stands under the right bars."""

import doctest
from dataclasses import replace

import numpy as np
import pytest

from backend.store.failures.margins import histogram
from pages.failures.pictures import margins

MARGINS = np.concatenate([np.linspace(-1.0, 2.0, 301), [-9.0, 9.0]])
RIGHT = MARGINS > 0


def spread():
    found = histogram(MARGINS, RIGHT, np.ones(len(MARGINS), dtype=bool))
    assert found is not None
    return found


def test_examples() -> None:
    assert doctest.testmod(margins).failed == 0


def test_a_tie_is_left_of_zero_and_the_tails_are_in_the_bars_at_the_ends() -> None:
    found = spread()
    zero = found.edges.index(0.0)
    assert sum(found.wrong[:zero]) == (~RIGHT).sum()
    assert sum(found.right[zero:]) == RIGHT.sum()
    assert found.wrong[0] >= 1
    assert found.right[-1] >= 1
    assert found.bounds == (-9.0, 9.0)


@pytest.mark.parametrize("shown", ["wrong", "right", "all"])
def test_any_bars_can_be_chosen_and_are_found_again(shown: str) -> None:
    found = spread()
    last = len(found.right) - 1
    for first in range(last + 1):
        for end in range(first, last + 1):
            under = sum(found.right[first : end + 1]) + sum(found.wrong[first : end + 1])
            brushed = margins.brushed(f"{first} {end}", found, found.bounds, shown)
            assert bool(brushed) is bool(under)
            chosen = brushed.get("margin", found.bounds)
            if chosen == found.bounds:  # no filter
                continue
            low, high = chosen
            inside = np.array([low <= margin <= high for margin in MARGINS])
            assert inside.sum() == under
            assert margins.bars(found, chosen) == (first, end)


def test_what_is_brushed_is_shown() -> None:
    found = spread()
    last = len(found.right) - 1
    assert margins.brushed(f"{last} {last}", found, found.bounds, "wrong")["show"] == "right"
    assert "show" not in margins.brushed(f"{last} {last}", found, found.bounds, "all")
    assert margins.brushed("all", found, found.bounds, "wrong") == {"margin": found.bounds}


@pytest.mark.parametrize("said", ["", "1", "1 2 3", "-1 2", "a b", "1 99999", "<b> 1"])
def test_what_is_no_brush_sets_nothing(said: str) -> None:
    assert margins.brushed(said, spread(), (-9.0, 9.0), "all") == {}


def test_what_is_drawn_says_the_same() -> None:
    found = replace(spread(), right=(1,) * len(spread().right))
    drawn = margins.view(found, "wrong", (0.0, 1.0), "cosine")
    assert drawn["edges"][drawn["zero"]] == 0.0
    assert drawn["chosen"] == list(margins.bars(found, (0.0, 1.0)))
    assert f"{len(found.right):,} right" in drawn["alt"]
    assert margins.view(found, "all", None, "cosine")["chosen"] is None


def test_near_misses_are_drawn_only_where_they_are_known() -> None:
    near = RIGHT | (MARGINS > -0.3)
    some = histogram(MARGINS, RIGHT, MARGINS < 5, near)
    assert some is not None
    assert sum(some.near) == (near & ~RIGHT).sum()  # of the wrong ones alone
    drawn = margins.view(some, "wrong", None, "cosine")
    assert (drawn["near"], [each["part"] for each in drawn["legend"]]) == (list(some.near), ["wrong", "near", "right"])
    assert f"{sum(some.near)} of these near misses" in drawn["alt"]
    assert drawn["near_drawn"]
    # Failed before: 28 of 2,196 had an entry in the legend, and a sliver that nobody could see.
    few = margins.view(replace(some, wrong=(10_000,)), "wrong", None, "cosine")
    assert (few["near_drawn"], [each["part"] for each in few["legend"]]) == (False, ["wrong", "right"])
    assert few["near_said"].startswith(f"≈ {sum(some.near)} near miss")
    without = margins.view(spread(), "wrong", None, "cosine")
    assert (without["near"], [each["part"] for each in without["legend"]]) == ([], ["wrong", "right"])
    assert "near" not in without["alt"]
