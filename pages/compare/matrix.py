"""Every side against every other: gains above the diagonal, agreement below it."""

from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from backend import written
from backend.store.compare.rules import uneven
from pages.compare.sides import Named
from pages.compare.summary import never_fails
from pages.compare.view import LEVEL, TWO_RULES
from pages.shared.data.frames import lines_of
from pages.shared.drawing import signs
from pages.shared.drawing.numbers import fixed


def html(pairs: pd.DataFrame, named: Sequence[Named], rules: Sequence[str] = ()) -> Markup:
    """pairs: of `compare.matrix`. A cell above the diagonal: what the column gains over the row; below: Cohen's κ.
    rules: of each side (`rules.rules`): between two of them a difference is nobody's gain, and has no colour."""
    ruled = rules or [""] * len(named)
    found = {(row.baseline, row.side): row for row in lines_of(pairs)}
    reach = max([abs(row.gain) for row in found.values() if row.gain == row.gain], default=0.0) or 1.0
    dots = [Markup("{}{}").format(entry.dot, entry.link) for entry in named]
    heads = Markup().join(Markup('<th scope="col">{}</th>').format(dot) for dot in dots)
    body = Markup()
    for i in range(len(named)):
        cells = Markup()
        for j in range(len(named)):
            if i == j:
                cells += Markup('<td class="cmp-self" aria-label="itself">·</td>')
            elif i < j:
                two = uneven((named[i].side, named[j].side), (ruled[i], ruled[j]), 1) is not None
                cells += _gain(found[i, j], named[i].label, named[j].label, reach, by_two=two)
            else:
                cells += _agreement(found[j, i], named[j].label, named[i].label)
        body += Markup('<tr><th scope="row">{}</th>{}</tr>').format(dots[i], cells)
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="Every model against every other">'
        '<table class="fs-table cmp-matrix"><thead><tr><td></td>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(heads, body)


def _gain(row: "pd.Series[float]", a: str, b: str, reach: float, *, by_two: bool) -> Markup:
    if row.gain != row.gain:
        return Markup("<td>–</td>")
    sure = bool(row.holm <= LEVEL)
    colour, ink = signs.change(row.gain, reach, sure and not by_two)
    sign = f"{signs.OPEN} " if not sure else f"{TWO_RULES} " if by_two else ""
    number = fixed(100 * row.gain, 1, signed=True)
    tip = (
        f"{b} − {a}: {number} points, 95 % from {fixed(100 * row.low, 1, signed=True)} to "
        f"{fixed(100 * row.high, 1, signed=True)}; "
        f"{row.only_a + row.only_b:,} discordant of {row.n:,}, {written.p_value(row.p)}, "
        f"{written.p_value(row.holm, 'p (Holm)')}. {signs.alone((row.low, row.high), row.p, row.holm, sure=sure)}"
        f"{' By two rules, so nobody’s gain.' if by_two else ''}"
    ).rstrip()
    return Markup(
        '<td style="background:{colour};color:{ink}" title="{tip}"><b>{sign}{number}</b><span>{ends}</span></td>'
    ).format(
        colour=colour, ink=ink, tip=tip, sign=sign, number=number, ends=written.ends((row.low, row.high), signed=True)
    )


def _agreement(row: "pd.Series[float]", a: str, b: str) -> Markup:
    if row.agreement != row.agreement:
        return Markup("<td>–</td>")
    kappa = fixed(row.kappa, 2)
    never = never_fails(row)
    alike = (
        f"{(a, b)[never - 1]} fails on none, so there are no failures to share"
        if never
        else f"they share {written.share(row.overlap)} of the failures of either, by chance "
        f"{written.share(row.overlap_chance)}"
        if row.overlap == row.overlap
        else "neither fails on any"
    )
    tip = f"{a} and {b} agree on {written.percent(row.agreement)}; κ {kappa}; {alike}"
    return Markup('<td title="{}">κ {}<span>{} alike</span></td>').format(tip, kappa, written.share(row.agreement))
