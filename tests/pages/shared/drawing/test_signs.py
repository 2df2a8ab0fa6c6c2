"""Gain and loss: one mark and one colour for each, and none where a change is within chance."""

import pytest

from pages.shared.drawing import signs


@pytest.mark.parametrize(("value", "sure", "mark", "colour", "look"), [
    (0.2, True, "▲", signs.GAIN, "fs-gain"), (-0.2, True, "▼", signs.LOSS, "fs-loss"),
    (0.2, False, "○", signs.QUIET, ""), (-0.2, False, "○", signs.QUIET, ""), (0.0, True, "○", signs.QUIET, ""),
    (float("nan"), True, "○", signs.QUIET, ""),
])  # fmt: skip
def test_a_change_has_a_direction_only_beyond_chance(
    value: float, sure: bool, mark: str, colour: str, look: str
) -> None:
    assert (signs.mark(value, sure), signs.colour(value, sure), signs.css_class(value, sure)) == (mark, colour, look)
    assert (signs.change(value, 0.2, sure) == signs.balance(0.5)) == (mark == "○")


def test_full_colour_is_at_the_full_size_and_stays() -> None:
    assert signs.change(0.4, 0.4) == signs.change(0.9, 0.4) == signs.balance(1.0)
    assert signs.change(-0.4, 0.4) == signs.balance(0.0)
    assert signs.change(0.1, 0.0) == signs.balance(0.5)
    assert all(sign in signs.LEGEND for sign in (signs.UP, signs.DOWN, signs.OPEN))
