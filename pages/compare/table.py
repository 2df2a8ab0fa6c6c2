"""The tests in full: a table on the page, and the same as CSV and LaTeX."""

from collections.abc import Collection, Mapping, Sequence

import pandas as pd
from markupsafe import Markup

from backend import latex as latex_of
from backend import written
from backend.latex import escape as tex
from backend.metrics.statistics import Rate
from backend.taxonomy import title
from pages.compare.sides import Named
from pages.compare.summary import never_fails
from pages.compare.view import LEVEL
from pages.shared.data.frames import lines_of
from pages.shared.drawing import signs
from pages.shared.drawing.numbers import DASH, count, fixed

HEADS = (
    ("n", "verdicts that both sides have; below, the images they are on, where these are fewer"),
    ("A", "rate of the baseline, per cent"),
    ("B", "rate of the other side, per cent"),
    ("B − A", "difference in points, with its 95 % interval, which holds 0 just where p before Holm is above .05"),
    ("only A", "verdicts that A alone has right"),
    ("only B", "verdicts that B alone has right; with “only A” these are the discordant ones that the test counts"),
    ("p", "exact and two-sided: McNemar's test, over images where several verdicts share one"),
    ("p, Holm", "adjusted over all rows of this table, or over all pairs of models where it is of all items (Holm "
     "1979): at most .05 keeps the chance of any false finding "
     "at 5 %"),
    ("p, BH", "adjusted for the expected share of false findings (Benjamini and Hochberg 1995)"),
    ("κ", "Cohen's kappa: agreement beyond chance; 0 is chance, 1 complete"),
    ("shared failures", "failures of both over failures of either (Jaccard); below, what independent sides with these "
     "rates would share"),
)  # fmt: skip


def html(table: pd.DataFrame, named: Sequence[Named], of: str, uneven: Collection[int] = ()) -> Markup:
    """A row a group and other side. of: what the groups are, for the corner; uneven: positions of sides that follow
    another rule than the baseline, whose differences are nobody's gain (`rules.uneven`)."""
    several = len(named) > 2
    heads = Markup().join(Markup('<th scope="col" title="{}">{}</th>').format(tip, name) for name, tip in HEADS)
    if several:
        heads = Markup('<th scope="col">B is</th>') + heads
    rows = Markup().join(_row(row, named, several, uneven) for row in lines_of(table))
    # A table that scrolls sideways has to be reachable by keyboard.
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="Tests by {}">'
        '<table class="fs-table cmp-tests"><thead><tr><th scope="col">{}</th>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(of, of, heads, rows)


def _row(row: "pd.Series[float]", named: Sequence[Named], several: bool, uneven: Collection[int]) -> Markup:
    entry = named[int(row.side)]
    who = Markup('<td class="cmp-who">{}{}</td>').format(entry.dot, entry.link)
    clusters = Markup("<small>{}</small>").format(count(int(row.clusters), "image")) if row.clusters < row.n else ""
    n, within = int(row.n), written.ends((row.low, row.high), signed=True)
    spread = Markup("<small>{}</small>").format(within) if within else ""
    shared: str | Markup = DASH  # of no failures of one side the other can share none
    if not never_fails(row):
        shared = _number(row.overlap)
        if row.overlap_chance == row.overlap_chance:
            shared += Markup("<small>chance {:.2f}</small>").format(row.overlap_chance)
    mark = Markup(' class="cmp-real"') if row.holm <= LEVEL else ""
    look = signs.css_class(row.gain, bool(row.holm <= LEVEL) and row.side not in uneven)
    gain = Markup('<b class="{}">{}</b>').format(look, _points(row.gain))
    holm = Markup("<b{}>{}</b>").format(mark, written.p_cell(row.holm))
    cells = (
        f"{n:,}" + clusters, *(written.percent(rate, n) for rate in (row.rate_a, row.rate_b)), gain + spread,
        f"{int(row.only_a):,}", f"{int(row.only_b):,}", written.p_cell(row.p), holm,
        written.p_cell(row.bh), _number(row.kappa), shared,
    )  # fmt: skip
    body = Markup().join(Markup("<td>{}</td>").format(cell) for cell in cells)
    return Markup('<tr><th scope="row">{}</th>{}{}</tr>').format(title(str(row.group)), who if several else "", body)


def _points(value: float) -> str:
    return fixed(100 * value, 1, signed=True)


def _number(value: float) -> str:
    return fixed(value, 2)


def _signed(value: float) -> str:
    """Points in LaTeX: with a plain minus, which is one in a formula."""
    return _points(value).replace("−", "-")


def as_frame(
    table: pd.DataFrame,
    named: Sequence[Named],
    rules: Sequence[str] = (),
    chances: Mapping[str, Sequence[float]] | None = None,
    means: Mapping[int, Mapping[str, Rate]] | None = None,
    *,
    one: bool = False,
) -> pd.DataFrame:
    """Every column of the tests, with A and B by spec, kind and setting instead of by position. At the end, blank where
    nothing is to be said: by which rule each side is right, in words (`rules.rules`), what chance alone reaches by it
    (chances: group -> a level for each side, `rules.chances`), and the mean of its orders of asking (means: position ->
    group -> rate, `rules.means`). one: whether the table is of all items, a group that these two call ""."""

    def said(entry: Named) -> str:
        return f"{entry.model} ({entry.side.setting.said()})"

    found = table.rename(columns={"low": "gain_low", "high": "gain_high"})
    found.insert(0, "a", said(named[0]))
    found.insert(1, "b", [said(named[side]) for side in table["side"]])
    groups = ["" if one else str(group) for group in table["group"]]
    at = {"a": [0] * len(table), "b": [int(side) for side in table["side"]]}
    levels, orders = chances or {}, means or {}
    for letter, sides in at.items():
        found[f"rule_{letter}"] = [rules[side] if rules else "" for side in sides]
    for letter, sides in at.items():
        both = list(zip(groups, sides, strict=True))
        found[f"chance_{letter}"] = [levels[group][side] if group in levels else None for group, side in both]
    for letter, sides in at.items():
        rates = [orders.get(side, {}).get(group) for group, side in zip(groups, sides, strict=True)]
        found[f"mean_of_orders_{letter}"] = [None if rate is None else rate.value for rate in rates]
    return found.drop(columns="side")


def latex(table: pd.DataFrame, named: Sequence[Named], of: str, caption: str) -> str:
    """The table in booktabs: group, n, both rates, gain with interval, discordant verdicts, p, Holm's p, κ."""
    several = len(named) > 2
    lines = []
    for row in lines_of(table):
        spread = f" [{_signed(row.low)}, {_signed(row.high)}]" if row.low == row.low else ""
        gain = f"${_signed(row.gain)}$" if row.gain == row.gain else "--"
        cells = [
            tex(title(str(row.group))), *([tex(named[row.side].label)] if several else []), f"{row.n:,}",
            *(written.number(100 * v) if v == v else "--" for v in (row.rate_a, row.rate_b)), gain + spread,
            f"{row.only_a:,}/{row.only_b:,}", *(tex(written.p_cell(p)) for p in (row.p, row.holm)),
            f"${row.kappa:.2f}$" if row.kappa == row.kappa else "--",
        ]  # fmt: skip
        lines.append(cells)
    a, b = "A" if several else f"A, {tex(named[0].label)}", "B" if several else f"B, {tex(named[1].label)}"
    heads = [tex(of), *(["B"] if several else []), "$n$", rf"{a} (\%)", rf"{b} (\%)", "B$-$A [95\\,\\%]",
             "only A/only B", "$p$", "$p$ (Holm)", r"$\kappa$"]  # fmt: skip
    columns = "ll" if several else "l"
    return latex_of.table(columns + "rrrrrrrr", [heads], lines, caption)
