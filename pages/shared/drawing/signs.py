"""Gain and loss, and how far a rate is from chance: one sign, one colour and one mark for each, on every page.

What is better for a model is +, bluish green and ▲; what is worse is −, vermilion and ▼; a number that is not to be
told from no difference (or from chance) has ○, and where a chart draws a point for it the point is hollow. Colours are
CSS for both schemes: by day the extremes are the darkest cells, by night the brightest, so neither sinks into the page.
Signed numbers without a better side (deviations, what a word adds to a score) keep `colours.DIVERGING`.
"""

from collections.abc import Sequence

from pages.shared.drawing.colours import RIGHT, WRONG, along, ink_on

GAIN, LOSS = RIGHT, WRONG
UP, DOWN, OPEN = "▲", "▼", "○"
#: Of concordant verdicts and of differences of zero.
QUIET = "#8a949c"
#: From the worst by chance (or no change) to the best, for light and for dark.
BALANCE = (
    ("#8f3800", "#b85410", "#e39a66", "#d6dad5", "#74bda1", "#178264", "#00553e"),
    ("#ffa76f", "#e07a3a", "#8f5330", "#404850", "#2b6f59", "#2aa880", "#63e6bd"),
)
#: From nothing to much, where much is neither good nor bad.
STRENGTH = (("#d6dad5", "#8fa9c2", "#4a769f", "#17446f"), ("#404850", "#4b6f92", "#7aa6cf", "#b9dcfb"))


def colour(value: float) -> str:
    """Of a gain, a loss, or neither, for lines and points; reads on either page."""
    return GAIN if value > 0 else LOSS if value < 0 else QUIET


def css_class(value: float) -> str:
    """The class of style.css for a number in a text: `fs-gain`, `fs-loss` or none."""
    return "fs-gain" if value > 0 else "fs-loss" if value < 0 else ""


def balance(position: float) -> tuple[str, str]:
    """(background, ink) of a cell as CSS: 0 the worst, 0.5 neither, 1 the best."""
    return _both(BALANCE, position)


def strength(position: float) -> tuple[str, str]:
    """(background, ink) of a cell as CSS: 0 nothing, 1 much, neither good nor bad."""
    return _both(STRENGTH, position)


def around(value: float, chance: float) -> float:
    """Where a rate stands on `balance`: 0.5 at chance, 0 at none right, 1 at all right.

    >>> around(0.25, 0.25), around(0.0, 0.25), around(1.0, 0.25), around(0.625, 0.25)
    (0.5, 0.0, 1.0, 0.75)
    """
    if value >= chance:
        return 0.5 + (value - chance) / (1 - chance) / 2 if chance < 1 else 0.5
    return value / chance / 2


def _both(scales: tuple[Sequence[str], Sequence[str]], position: float) -> tuple[str, str]:
    day, night = (along(tuple(scale), position) for scale in scales)
    return f"light-dark({day}, {night})", f"light-dark({ink_on(day)}, {ink_on(night)})"
