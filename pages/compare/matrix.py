"""Every side against every other: gains above the diagonal, agreement below it."""

from collections.abc import Sequence
from html import escape

import pandas as pd

from backend import written
from pages.compare.sides import Named
from pages.compare.view import LEVEL, p_text
from pages.shared.data.frames import lines_of
from pages.shared.drawing import signs
from pages.shared.drawing.numbers import fixed


def html(pairs: pd.DataFrame, named: Sequence[Named]) -> str:
    """pairs: of `compare.matrix`. A cell above the diagonal: what the column gains over the row; below: Cohen's κ."""
    found = {(row.baseline, row.side): row for row in lines_of(pairs)}
    reach = max([abs(row.gain) for row in found.values() if row.gain == row.gain], default=0.0) or 1.0
    dots = [f"{entry.dot}{escape(entry.label)}" for entry in named]
    heads = "".join(f'<th scope="col">{dot}</th>' for dot in dots)
    body = ""
    for i in range(len(named)):
        cells = ""
        for j in range(len(named)):
            if i == j:
                cells += '<td class="cmp-self" aria-label="itself">·</td>'
            elif i < j:
                cells += _gain(found[i, j], named[i].label, named[j].label, reach)
            else:
                cells += _agreement(found[j, i], named[j].label, named[i].label)
        body += f'<tr><th scope="row">{dots[i]}</th>{cells}</tr>'
    return (
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="Every model against every other">'
        f'<table class="fs-table cmp-matrix"><thead><tr><td></td>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _gain(row: "pd.Series[float]", a: str, b: str, reach: float) -> str:
    if row.gain != row.gain:
        return "<td>–</td>"
    colour, ink = signs.balance(0.5 + 0.5 * row.gain / reach)
    sign = "" if row.holm <= LEVEL else f"{signs.OPEN} "
    number = fixed(100 * row.gain, 1, signed=True)
    tip = (
        f"{b} − {a}: {number} points, 95 % from {fixed(100 * row.low, 1, signed=True)} to "
        f"{fixed(100 * row.high, 1, signed=True)}; "
        f"{row.only_a + row.only_b:,} discordant of {row.n:,}, p {p_text(row.p)}, Holm {p_text(row.holm)}"
    )
    return (
        f'<td style="background:{colour};color:{ink}" title="{escape(tip)}"><b>{sign}{number}</b>'
        f"<span>{written.ends((row.low, row.high), signed=True)}</span></td>"
    )


def _agreement(row: "pd.Series[float]", a: str, b: str) -> str:
    if row.agreement != row.agreement:
        return "<td>–</td>"
    kappa = fixed(row.kappa, 2)
    tip = (
        f"{a} and {b} agree on {100 * row.agreement:.1f} %; κ {kappa}; they share "
        f"{100 * row.overlap:.0f} % of the failures of either, by chance {100 * row.overlap_chance:.0f} %"
    )
    return f'<td title="{escape(tip)}">κ {kappa}<span>{100 * row.agreement:.0f} % alike</span></td>'
