"""The answer in a few numbers: who is right more often, by how much, and how alike the two fail."""

from collections.abc import Mapping, Sequence

import pandas as pd
from markupsafe import Markup

from backend import written
from backend.store.rates.asking_orders import Told
from pages.compare.sides import Named
from pages.compare.view import LEVEL
from pages.shared.data import asked_orders
from pages.shared.data.frames import lines_of
from pages.shared.drawing import signs
from pages.shared.drawing.numbers import DASH, count, fixed


def html(
    overall: pd.DataFrame,
    rates: pd.DataFrame,
    named: Sequence[Named],
    told: Mapping[int, Told] | None = None,
    twins: Mapping[int, str] | None = None,
) -> Markup:
    """A panel a comparison with the baseline. overall: of `data.overall`; rates: of `compare.rates`, no groups.
    told: of sides (by position) whose choices were asked in several orders, on the shared items; twins: what is said of
    sides that have the baseline's own scores (`sides.twins`)."""
    own = {row.side: row for row in lines_of(rates)}
    panels = Markup().join(_panel(row, own, named, told or {}, twins or {}) for row in lines_of(overall))
    return Markup('<div class="cmp-panels">{}</div>').format(panels)


def tested(row: "pd.Series[float]", sides: int) -> str:
    """The p by which the page judges: Holm's, and over how many pairs where that is more than one."""
    pairs = sides * (sides - 1) // 2
    return written.p_value(row.holm) + (f", Holm over {pairs} pairs" if pairs > 1 else "")


def sentence(row: "pd.Series[float]", a: str, b: str, sides: int = 2) -> str:
    """The finding in words, for one row of `data.overall`, of so many sides; plain text."""
    if row.n == 0:
        return f"{a} and {b} have no verdict in common."
    points = f"{written.number(100 * abs(row.gain))} points"
    p = tested(row, sides)
    if not row.holm <= LEVEL:
        if row.gain == 0:
            return f"{b} and {a} are right equally often ({p})."
        return f"{b} differs from {a} by {points}, within chance ({p})."
    better, worse = (b, a) if row.gain > 0 else (a, b)
    return f"{better} beats {worse} by {points} ({p})."


def _side(letter: str, entry: Named, row: "pd.Series[float]", told: Told | None) -> tuple[str, str, str, str]:
    """A side's own number; where it was asked in several orders, their mean, with the strict one that the test uses."""
    name = f"{letter} · {entry.label}"
    if told is None:
        return name, _rate(row), entry.dot, "right, with its 95 % interval"
    mean = " ".join(filter(None, (written.percent(told.rate.value, told.rate.n), written.ends(told.rate.ci95))))
    note = f"right, mean of the orders of asking; in every order {_rate(row)}, which is what is compared; "
    return name, mean, entry.dot, note + asked_orders.said(told)


def _panel(
    row: "pd.Series[float]",
    own: "dict[int, pd.Series[float]]",
    named: Sequence[Named],
    told: Mapping[int, Told],
    twins: Mapping[int, str],
) -> Markup:
    a, b = named[0], named[int(row.side)]
    if row.n == 0:
        return Markup('<div class="fs-panel"><p class="cmp-said">{}</p></div>').format(sentence(row, a.label, b.label))
    alone = f"alone {written.p_value(row.p)}; " if len(named) > 2 else ""
    facts = [
        _side("A", a, own[0], told.get(0)),
        _side("B", b, own[int(row.side)], told.get(int(row.side))),
        ("B − A", _gain(row), "", "points; bootstrap over images, each subset at its own size"),
        ("test", tested(row, len(named)), "", f"{alone}{count(int(row.only_a + row.only_b), 'discordant verdict')}: "
         f"{int(row.only_b):,} for B, {int(row.only_a):,} for A"),
        ("agreement", f"κ {_number(row.kappa)}", "", f"{written.percent(row.agreement)} alike; κ 0 is chance"),
        ("shared failures", _share(row.overlap), "",
         f"of the failures of either; by chance {_share(row.overlap_chance)}"),
    ]  # fmt: skip
    cells = Markup().join(
        Markup(
            '<div class="cmp-fact"><span>{dot}{name}</span><b class="{look}">{value}</b><small>{note}</small></div>'
        ).format(dot=dot, name=name, look=look, value=value, note=note)
        for name, value, dot, note in facts
        for look in [signs.css_class(row.gain) if name == "B − A" and row.holm <= LEVEL else ""]
    )
    twin = Markup('<p class="cmp-twin">{}</p>').format(twins[int(row.side)]) if int(row.side) in twins else ""
    return Markup('<div class="fs-panel"><p class="cmp-said">{}</p>{}<div class="cmp-facts">{}</div></div>').format(
        sentence(row, a.label, b.label, len(named)), twin, cells
    )


def _rate(row: "pd.Series[float]") -> str:
    if row.value != row.value:
        return DASH
    few = written.counted(row.value, int(row.n))
    return few or " ".join(filter(None, (written.percent(row.value), written.ends((row.low, row.high)))))


def _gain(row: "pd.Series[float]") -> str:
    return f"{fixed(100 * row.gain, 1, signed=True)} {written.ends((row.low, row.high), signed=True)}".strip()


def _number(value: float) -> str:
    return fixed(value, 2)


def _share(value: float) -> str:
    return f"{written.percent(value, digits=0)}" if value == value else DASH
