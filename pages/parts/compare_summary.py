"""The answer in a few numbers: who is right more often, by how much, and how alike the two fail."""

from collections.abc import Sequence
from html import escape

import pandas as pd

from pages.parts.compare_sides import Named
from pages.parts.compare_view import LEVEL, p_text
from pages.parts.frames import lines_of
from pages.parts.numbers import DASH, count, fixed


def html(overall: pd.DataFrame, rates: pd.DataFrame, named: Sequence[Named]) -> str:
    """A panel a comparison with the baseline. overall, rates: of `compare.against` and `compare.rates`, no groups."""
    own = {row.side: row for row in lines_of(rates)}
    return '<div class="cmp-panels">' + "".join(_panel(row, own, named) for row in lines_of(overall)) + "</div>"


def sentence(row: "pd.Series[float]", a: str, b: str) -> str:
    """The finding in words, for one row of `compare.against`; plain text."""
    if row.n == 0:
        return f"{a} and {b} have no verdict in common."
    points = f"{100 * abs(row.gain):.1f} points"
    if row.p > LEVEL:
        apart = "are right equally often" if row.gain == 0 else f"are {points} apart, which chance alone explains"
        return f"{b} and {a} {apart} (p {p_text(row.p)})."
    word = "more" if row.gain > 0 else "less"
    return f"{b} is right on {points} {word} than {a}, more than chance explains (p {p_text(row.p)})."


def _panel(row: "pd.Series[float]", own: "dict[int, pd.Series[float]]", named: Sequence[Named]) -> str:
    a, b = named[0], named[int(row.side)]
    if row.n == 0:
        return f'<div class="fs-panel"><p class="cmp-said">{escape(sentence(row, a.label, b.label))}</p></div>'
    facts = [
        (f"A · {a.label}", _rate(own[0]), a.colour, "right, with its 95 % interval"),
        (f"B · {b.label}", _rate(own[int(row.side)]), b.colour, "right, with its 95 % interval"),
        ("B − A", _gain(row), "", "points; bootstrap over images, each subset at its own size"),
        ("test", f"p {p_text(row.p)}", "", f"{count(int(row.only_a + row.only_b), 'discordant verdict')}: "
         f"{int(row.only_b):,} for B, {int(row.only_a):,} for A"),
        ("agreement", f"κ {_number(row.kappa)}", "", f"{100 * row.agreement:.1f} % alike; κ 0 is chance"),
        ("shared failures", _share(row.overlap), "",
         f"of the failures of either; by chance {_share(row.overlap_chance)}"),
    ]  # fmt: skip
    cells = "".join(
        f'<div class="cmp-fact"><span>{_dot(colour)}{escape(name)}</span><b>{escape(value)}</b>'
        f"<small>{escape(note)}</small></div>"
        for name, value, colour, note in facts
    )
    return (
        f'<div class="fs-panel"><p class="cmp-said">{escape(sentence(row, a.label, b.label))}</p>'
        f'<div class="cmp-facts">{cells}</div></div>'
    )


def _dot(colour: str) -> str:
    return f'<i class="fs-dot" style="background:{colour}"></i>' if colour else ""


def _rate(row: "pd.Series[float]") -> str:
    if row.value != row.value:
        return DASH
    half = max(row.value - row.low, row.high - row.value)
    return f"{100 * row.value:.1f} ± {100 * half:.1f} %"


def _gain(row: "pd.Series[float]") -> str:
    found = fixed(100 * row.gain, 1, signed=True)
    if row.low == row.low:
        found += f" [{fixed(100 * row.low, 1, signed=True)}, {fixed(100 * row.high, 1, signed=True)}]"
    return found


def _number(value: float) -> str:
    return fixed(value, 2)


def _share(value: float) -> str:
    return f"{100 * value:.0f} %" if value == value else DASH
