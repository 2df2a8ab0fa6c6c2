"""One row of small marks, one a model in its own colour and shape: filled where it is right, hollow and crossed where
it is wrong. The numbers are one hover, or the focus of the card, away."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from pages.shared.drawing import colours
from pages.shared.drawing.colours import VERDICTS
from pages.shared.drawing.numbers import score
from pages.shared.drawing.verdicts import state

#: Outlines of the shapes of `colours.SHAPES` in a square of 14.
_PATHS = {
    "": "M7 1.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 1 1 0-11z",
    "square": "M2 2h10v10h-10z",
    "diamond": "M7 .8l6.2 6.2l-6.2 6.2l-6.2-6.2z",
    "up": "M7 1.4l6 11h-12z",
    "down": "M7 12.6l6-11h-12z",
    "plus": "M5 1.4h4v3.6h3.6v4h-3.6v3.6h-4v-3.6h-3.6v-4h3.6z",
    "west": "M1.4 7l11-6v12z",
    "east": "M12.6 7l-11-6v12z",
    "cross": "M3.6 1.2l3.4 3.4l3.4-3.4l2.4 2.4l-3.4 3.4l3.4 3.4l-2.4 2.4l-3.4-3.4l-3.4 3.4l-2.4-2.4l3.4-3.4l-3.4-3.4z",
    "hex": "M3.8 1.6h6.4l3 5.4l-3 5.4h-6.4l-3-5.4z",
    "dash": "M1.2 4.6h11.6v4.8h-11.6z",
}


@dataclass(frozen=True)
class Tick:
    """One model's verdict. name: as it is read, with its kind where that is not the one asked for; margin: None where
    it is undefined."""

    model: str
    name: str
    correct: bool | None
    margin: float | None = None


def mark(tick: Tick) -> Markup:
    """The mark alone; what it says is said beside it."""
    return _mark(colours.shape(tick.model), colours.of_models([tick.model])[tick.model], state(tick.correct))


@lru_cache(maxsize=500)
def _mark(shape: str, colour: str, which: str) -> Markup:
    path = _PATHS[shape]
    if which == "right":
        inner = Markup('<path d="{}" fill="{}"/>').format(path, colour)
    else:
        strike = Markup('<path d="M2.6 11.4l8.8-8.8" stroke="{0}" stroke-width="1.4"/>').format(colour)
        inner = Markup('<path d="{}" fill="none" stroke="{}" stroke-width="1.6"{}/>{}').format(
            path,
            colour,
            Markup(' stroke-dasharray="2 2"') if which == "none" else "",
            strike if which == "wrong" else "",
        )
    return Markup('<svg class="fs-tick" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">{}</svg>').format(
        inner
    )


def row(ticks: Sequence[Tick], unit: str = "", beside: str = "") -> Markup:
    """The row and, over it on hover or where the card has the focus, each model's sign, name and margin. unit: of the
    margins; beside: what stands behind the row."""
    if not ticks:
        return Markup()
    lines = Markup().join(_line(tick) for tick in ticks)
    right = sum(tick.correct is True for tick in ticks)
    said = f"{right} of {len(ticks)} right: " + ", ".join(f"{tick.name} {_word(tick)}" for tick in ticks)
    below = Markup("<small>margins: {}</small>").format(unit) if unit else ""
    return Markup(
        '<div class="fs-ticks"><span class="fs-tick-row" role="img" aria-label="{}">{}</span><small>{}</small>'
        '<div class="fs-tick-facts" aria-hidden="true"><table>{}</table>{}</div></div>'
    ).format(said, Markup().join(mark(tick) for tick in ticks), beside, lines, below)


def _line(tick: Tick) -> Markup:
    which = state(tick.correct)
    return Markup('<tr><td>{}</td><th>{}</th><td class="fs-tick-{}">{}</td><td>{}</td></tr>').format(
        mark(tick), tick.name, which, VERDICTS[which][1], score(tick.margin, signed=True)
    )


def _word(tick: Tick) -> str:
    """A verdict with its margin in words.

    >>> _word(Tick("m", "m", False, -0.5)), _word(Tick("m", "m", None))
    ('wrong −0.500', 'undefined')
    """
    word = VERDICTS[state(tick.correct)][0]
    return word if tick.margin is None else f"{word} {score(tick.margin, signed=True)}"
