"""The heat map of rates: models down, concepts across (turned where these are many); every cell is a link, or
a button, with its number and its interval, coloured by how far it is from chance."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from backend import written
from backend.written import cell as written_cell
from pages.shared.drawing import colours, component, signs
from pages.shared.drawing.numbers import DASH, count, interval

if TYPE_CHECKING:  # it brings SciPy, for which the first picture of a server does not wait
    from backend.metrics.core.registry import Direction

HERE = Path(__file__).parent
NONE = ("", "")
#: Explains the marks once per page.
LEGEND = (
    f"Green: above chance, grey: at it, vermilion: below, full colour at 100 % and 0 %; {signs.DOWN} the interval lies "
    f"below chance, {signs.OPEN} it contains chance; shades of blue: no chance level is defined"
)
#: With more columns than that, models stand across and concepts down: a page scrolls down, and names keep their width.
MOST_ACROSS = 14

_component = component.load("flipside_heat_map", HERE / "heatmap.js", html='<div id="heat"></div>')


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what is asked of the models. `chance` as a fraction, or None where there is none. unit: of
    what is no share and stands as it is, chance too, without colour; None for shares. direction: which of its values
    are better, for the order "best first"."""

    key: str
    label: str
    sub: str
    tip: str
    chance: float | None
    group: str = ""
    unit: str | None = None
    direction: "Direction" = "higher"

    @property
    def level(self) -> str:
        """The chance level as it is written."""
        if self.chance is None:
            return DASH
        return written.percent(self.chance) if self.unit is None else f"{written.number(self.chance, 2)} {self.unit}"


@dataclass(frozen=True, slots=True)
class Row:
    """One model under one score kind. href: the address of the model's own page, "" where a name leads nowhere."""

    key: str
    label: str
    kind: str
    colour: str
    tip: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One rate. printed: the published rate that may stand beside it, in per cent as it is printed, "" for none;
    source: where it is printed. within: how many verdicts batching could turn over, and the rate were they all wrong,
    or right. disagreements, neither: of choices asked in several orders (see `store.rates`). of: how many items there
    are, where the model has judged fewer; None where all were judged."""

    value: float | None
    n: int
    ci95: tuple[float, float] | None
    ties: int = 0
    printed: str = ""
    source: str = ""
    within: tuple[int, float, float] | None = None
    disagreements: int | None = None
    neither: int = 0
    of: int | None = None

    @property
    def in_part(self) -> str:
        """Which share of the items the rate is of, in whole per cent; "" where it is of all.

        >>> [Cell(0.5, n, None, of=450).in_part for n in (249, 43, 1, 449)], Cell(0.5, 450, None).in_part
        (['55 %', '10 %', '< 1 %', '> 99 %'], '')
        """
        if not self.of:
            return ""
        share = round(100 * self.n / self.of)
        return f"{share} %" if 1 <= share <= 99 and 100 * self.n >= self.of else "< 1 %" if share < 50 else "> 99 %"


def mark(cell: Cell, chance: float | None) -> str:
    """How a rate stands to chance: `▼` below it, `○` where the interval contains it, nothing above.

    >>> mark(Cell(0.02, 400, (0.01, 0.03)), 1 / 6), mark(Cell(0.17, 400, (0.14, 0.2)), 1 / 6)
    ('▼', '○')
    """
    if cell.ci95 is None or chance is None:
        return ""
    low, high = cell.ci95
    return signs.DOWN if high < chance else signs.OPEN if low <= chance else ""


def view(
    rows: Sequence[Row],
    columns: Sequence[Column],
    cells: Mapping[tuple[str, str], Cell],
    marked: tuple[str, str] = NONE,
    compact: bool = False,
    leads: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> dict[str, Any]:
    """What the component draws; a pair (row key, column key) without a rate becomes a dash. marked: a cell that the
    reader is pointed to. compact: a line a row; intervals stand with the other facts where a cell is pointed at. More
    than MOST_ACROSS columns are turned: models across, what is asked of them down. leads: cell ->
    the address that it links to; any other is a button. A click on either is what `draw` returns."""
    entries = [[_entry(r, c, cells.get((r.key, c.key)), leads.get((r.key, c.key), "")) for c in columns] for r in rows]
    chances = [c.level for c in columns]
    caption = f"Rates of {len(rows)} models on {len(columns)} concepts, in per cent"
    caption += "; arrow keys walk through the cells, Enter opens the failures behind one"
    found: dict[str, Any] = {"caption": caption, "marked": "\n".join(marked), "compact": compact}
    if len(columns) > MOST_ACROSS:
        heads = [{"key": r.key, "label": r.label, "sub": r.kind, "tip": r.tip, "colour": r.colour, "chance": "",
                  "href": r.href, "shape": colours.shape(r.key.partition("\t")[0])} for r in rows]  # fmt: skip
        lines = [
            {"key": c.key, "label": c.label, "kind": f"{c.sub}; chance {chance}", "colour": "", "tip": c.tip,
             "group": c.group, "cells": [line[k] for line in entries]}
            for k, (c, chance) in enumerate(zip(columns, chances, strict=True))
        ]  # fmt: skip
        return found | {"groups": [], "columns": heads, "rows": lines, "turned": True}
    groups: list[dict[str, Any]] = []
    for label, some in groupby(columns, key=lambda column: column.group):
        subs = [column.sub for column in some]
        shared = compact and len(subs) > 1 and len(set(subs)) == 1  # said once, above all of them
        groups.append({"label": f"{label} · {subs[0]}" if shared else label, "span": len(subs), "shared": shared})
    told = [group["shared"] for group in groups for _ in range(group["span"])]
    heads = [
        asdict(c) | {"chance": chance, "sub": "" if said else c.sub}
        for c, chance, said in zip(columns, chances, told, strict=True)
    ]
    lines = [
        asdict(r) | {"cells": line, "shape": colours.shape(r.key.partition("\t")[0])}
        for r, line in zip(rows, entries, strict=True)
    ]
    return found | {"groups": groups, "columns": heads, "rows": lines}


def _entry(row: Row, column: Column, cell: Cell | None, href: str) -> dict[str, Any] | None:
    if cell is None or cell.value is None or not isfinite(cell.value):
        return None
    if column.unit is not None:
        number, ends = written.number(cell.value, 2), written.ends(cell.ci95, 1, 2)
        whole = written.measured(cell.value, column.unit, cell.n, cell.ci95)
    else:
        number, ends = written_cell(cell.value, cell.n, cell.ci95)
        whole = interval(cell.value, cell.n, cell.ci95)
    which = mark(cell, column.chance if column.unit is None else None)
    if column.chance is None or column.unit is not None:
        shown = signs.strength(0.0 if column.unit is not None else cell.value)
    else:
        shown = signs.balance(0.5 if which == signs.OPEN else signs.around(cell.value, column.chance))
    says = {signs.DOWN: ", below chance", signs.OPEN: ", not to be told from chance"}.get(which, "")
    ties = f", {count(cell.ties, 'tie')} counted as failures" if cell.ties else ""
    if cell.within and cell.within[0]:
        close, lowest, highest = cell.within
        ties += f", {count(close, 'margin')} within what batching can change ({written.ends((lowest, highest))})"
    if cell.disagreements is not None:
        ties += f", the orders of asking disagree on {cell.disagreements} items, {cell.neither} answers chose neither"
    if cell.of:
        ties += f"; of {cell.n:,} of the {cell.of:,} items there are: it has judged no others"
    beside = f" Published: {cell.printed} % ({cell.source})." if cell.printed else ""
    return {
        "id": f"{row.key}\n{column.key}",
        "href": href,
        "rate": {"higher": cell.value, "lower": -cell.value, "zero": -abs(cell.value)}[column.direction],
        "value": number,
        "spread": ends,
        "mark": which,
        "printed": cell.printed,
        "part": f"{signs.PART} {cell.in_part}" if cell.in_part else "",
        "colour": shown[0],
        "ink": shown[1],
        "tip": f"{row.label} · {row.kind} · {column.label}, {column.sub}: {whole}"
        f"{says}{ties}.{beside} Open the failures.",
    }


def scale(columns: Sequence[Column]) -> Markup:
    """The colour scale as HTML: from none right over chance to all right. columns: that it stands for; where they have
    one level of chance, it is named.

    >>> one, other = Column("a", "a", "s", "t", 0.25), Column("b", "b", "s", "t", 0.5)
    >>> "grey: chance (25.0 %)" in scale([one]), "each column’s own, in the last row" in scale([one, other])
    (True, True)
    """
    chances = [column.chance for column in columns if column.chance is not None and column.unit is None]
    shades = [f"light-dark({day}, {night})" for day, night in zip(*signs.BALANCE, strict=True)]
    level = dict.fromkeys(chances)
    words = f"chance ({written.percent(next(iter(level)))})" if len(level) == 1 else "chance"
    place = "beside its name" if len(columns) > MOST_ACROSS else "in the last row"
    own = "" if len(level) == 1 else f" (each column’s own, {place})"
    return Markup(
        '<p class="fs-scale"><span>none right</span><i style="background:linear-gradient(90deg,{})"></i>'
        "<span>all right</span><em>grey: {}{}</em><em>{} interval below chance</em><em>{} contains it</em></p>"
    ).format(",".join(shades), words, own, signs.DOWN, signs.OPEN)


def draw(spec: dict[str, Any], key: str, order: str = "") -> tuple[tuple[str, str] | None, str]:
    """The table; returns ((row key, column key) of the cell that was just clicked, the order now).

    order: the column that it is sorted by, a minus before it for best first; "" for the models' own order.
    """
    kept: Any = component.state(key)
    order = str((kept.get("order") if kept else None) or "") if kept is not None else order
    result: Any = _component(
        data=spec | {"order": order}, key=key, default={"order": order}, on_opened_change=_nothing,
        on_order_change=_nothing, on_named_change=_nothing,
    )  # fmt: skip
    opened = result.opened if result is not None else None
    row, _, column = str(opened or "").partition("\n")
    return (row, column) if opened else None, str((result.order if result is not None else None) or "")


def draw_still(told: str, key: str) -> None:
    """The table as a picture that leads nowhere, without what `draw` brings. told: a spec with its order as a JSON
    text: of columns and rows Streamlit asks whether they are data frames, for which it imports pandas."""
    _component(data={"still": told}, key=key)


def named(key: str) -> str:
    """The row whose name was just clicked, after `draw` of this key; "" for none."""
    result: Any = component.state(key)
    return str((result.get("named") if result else None) or "")


def _nothing() -> None:
    """A change reruns the page; what it is stands in the result."""
