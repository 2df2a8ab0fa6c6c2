"""Gain and loss, and how far a rate is from chance: one sign, one colour and one mark for each, on every page.

The rule, stated here (docs/pages/compare.md says it to readers):

1. Sign. A change is after − before, or the model named − the baseline, of how often it is right: + is better for the
   model named, − is worse, on every page and under every edit.
2. Colour and mark. Beyond chance a gain is bluish green with ▲, a loss vermilion with ▼. What is not to be told from
   no difference is grey with ○ and has no direction, whatever its sign; a point that is drawn for it is hollow.
3. Beyond chance is what the test beside the number says: p ≤ .05 after Holm's correction where a table holds several
   tests, else a 95 % interval that leaves out zero.
4. Where an edit destroys the meaning no answer is right any more: to lose is what reading does, and to keep one's
   verdicts is the fault. Such a change has its sign (1) and ○ (2), but is neither green nor vermilion: its size is
   drawn in blue (`strength`), as is all that may be large without being good.
5. A share is no change: how often a model is right is coloured around its chance level (`around`), and is grey with
   ○ where its interval holds that level; ▼ where it lies below. Reasons have colours of their own (`cells.COLOURS`);
   signed numbers without a better side have `colours.DIVERGING` (deviations, what a word adds to a score) or, where
   much of either sign has to stand out of a table, blue above zero and brown below (`either_way`).

Colours are CSS for both schemes: by day the extremes are the darkest cells, by night the brightest, so neither sinks
into the page.
"""

from collections.abc import Sequence

from pages.shared.drawing.colours import RIGHT, WRONG, along, ink_on

GAIN, LOSS = RIGHT, WRONG
UP, DOWN, OPEN = "▲", "▼", "○"
#: Before the share of the items that a rate is of, where it is not of all.
PART = "◔"
#: Of concordant verdicts and of differences of zero.
QUIET = "#8a949c"
#: From the worst by chance (or no change) to the best, for light and for dark.
BALANCE = (
    ("#8f3800", "#b85410", "#e39a66", "#d6dad5", "#74bda1", "#178264", "#00553e"),
    ("#ffa76f", "#e07a3a", "#8f5330", "#404850", "#2b6f59", "#2aa880", "#63e6bd"),
)
#: From nothing to much, where much is neither good nor bad.
STRENGTH = (("#d6dad5", "#8fa9c2", "#4a769f", "#17446f"), ("#404850", "#4b6f92", "#7aa6cf", "#b9dcfb"))
#: The same below zero, where neither side is the better one.
OPPOSITE = (("#d6dad5", "#cbb493", "#a26a2c", "#6d4413"), ("#404850", "#7a6242", "#c8975c", "#f3d6a8"))


#: The rule in one line, under a chart of changes.
LEGEND = f"{UP} green: gained · {DOWN} vermilion: lost · {OPEN} grey: within chance"


def alone(ends: tuple[float, float] | None, p: float | None, adjusted: float | None, *, sure: bool) -> str:
    """Why what is drawn as within chance has an interval that leaves out 0, a sentence; "" where none of that is so.

    ends: of the interval; p: of the test by itself; adjusted: after Holm's correction, by which `sure` goes.

    >>> alone((0.01, 0.05), 0.02, 0.12, sure=False)[:41], alone((-0.01, 0.05), 0.2, 0.9, sure=False)
    ('Within chance although its interval leave', '')
    >>> alone((0.01, 0.05), 0.06, 0.06, sure=False)[-70:]
    'the interval is drawn from halves, and within chance goes by the test.'
    """
    if sure or ends is None or not (ends[0] > 0 or ends[1] < 0):
        return ""
    head = "Within chance although its interval leaves out 0: the interval is"
    if adjusted is not None and p is not None and adjusted > p:
        return f"{head} of this one alone, and within chance goes by p corrected over all that are tested (Holm)."
    return f"{head} drawn from halves, and within chance goes by the test."


def mark(value: float, sure: bool = True) -> str:
    """▲ of a gain, ▼ of a loss, ○ of what is within chance or no change. sure: whether it is beyond chance.

    >>> mark(0.1), mark(-0.1), mark(-0.1, sure=False), mark(0.0)
    ('▲', '▼', '○', '○')
    """
    return OPEN if not sure or not abs(value) > 0 else UP if value > 0 else DOWN


def colour(value: float, sure: bool = True) -> str:
    """Of a gain, a loss, or neither, for lines and points; reads on either page. sure: as of `mark`."""
    return {UP: GAIN, DOWN: LOSS, OPEN: QUIET}[mark(value, sure)]


def css_class(value: float, sure: bool = True) -> str:
    """The class of style.css for a number in a text: `fs-gain`, `fs-loss` or none. sure: as of `mark`."""
    return {UP: "fs-gain", DOWN: "fs-loss", OPEN: ""}[mark(value, sure)]


def change(value: float, full: float, sure: bool = True) -> tuple[str, str]:
    """(background, ink) of a cell with a change as CSS. full: the size at which the colour is full; sure: as of `mark`.

    >>> change(-0.2, 0.2) == balance(0.0), change(0.2, 0.2, sure=False) == balance(0.5)
    (True, True)
    """
    return balance(0.5 + value / full / 2 if full and mark(value, sure) != OPEN else 0.5)


def balance(position: float) -> tuple[str, str]:
    """(background, ink) of a cell as CSS: 0 the worst, 0.5 neither, 1 the best."""
    return _both(BALANCE, position)


def strength(position: float) -> tuple[str, str]:
    """(background, ink) of a cell as CSS: 0 nothing, 1 much, neither good nor bad."""
    return _both(STRENGTH, position)


def either_way(value: float) -> tuple[str, str]:
    """(background, ink) of a cell with a number from −1 to 1 of which neither side is the better one, as CSS.

    >>> either_way(0.5) == strength(0.5), either_way(-0.5) == strength(0.5), either_way(-0.0) == strength(0.0)
    (True, False, True)
    """
    return _both(STRENGTH if value >= 0 else OPPOSITE, abs(value))


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
