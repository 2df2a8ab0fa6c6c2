"""The row of marks: filled is right, hollow and crossed wrong, dashed undefined; every number in words beside it."""

import doctest

import pytest

from pages.shared.drawing import colours, ticks
from pages.shared.drawing.ticks import Tick


def test_examples() -> None:
    assert doctest.testmod(ticks).failed == 0


def test_every_shape_has_an_outline() -> None:
    assert set(ticks._PATHS) == set(colours.SHAPES)


@pytest.mark.parametrize(
    ("correct", "filled", "crossed"), [(True, True, False), (False, False, True), (None, False, False)]
)
def test_a_verdict_is_told_by_more_than_colour(correct, filled, crossed) -> None:
    html = str(ticks.mark(Tick("bundled:clip", "clip", correct, 0.5)))
    assert ('fill="#0072b2"' in html) is filled
    assert ("M2.6 11.4" in html) is crossed
    assert ("stroke-dasharray" in html) is (correct is None)


def test_the_row_says_all_of_it_in_words_and_escapes_names() -> None:
    html = ticks.row(
        [Tick("bundled:clip", "<b>clip", True, 0.25), Tick("bundled:lm", "lm", False, None)], "cosine", "x<y"
    )
    assert 'aria-label="1 of 2 right: &lt;b&gt;clip right +0.250, lm wrong"' in html
    assert "<b>clip" not in html
    assert "x&lt;y" in html
    assert "margins: cosine" in html
    assert ticks.row([]) == ""
