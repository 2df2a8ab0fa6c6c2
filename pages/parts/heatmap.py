"""The heat map of rates: models down, concepts across; every cell is a button with its number and its interval."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components import v2

from pages.parts.colours import CIVIDIS, along, ink_on
from pages.parts.numbers import DASH, interval

HERE = Path(__file__).parent
NONE = ("", "")
#: Explains the marks once per page.
LEGEND = "▾ below chance · ≈ not to be told from chance (its interval contains it) · darker is lower, 0 to 100 %"

_component = v2.component(
    "flipside_heat_map",
    html='<div id="heat"></div>',
    css=(HERE / "heatmap.css").read_text(encoding="utf-8"),
    js=(HERE / "heatmap.js").read_text(encoding="utf-8"),
)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what is asked of the models. `chance` as a fraction, or None where there is none."""

    key: str
    label: str
    sub: str
    tip: str
    chance: float | None
    group: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One model under one score kind."""

    key: str
    label: str
    kind: str
    colour: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One rate. printed: the published rate that may stand beside it, a fraction; source: where it is printed."""

    value: float | None
    n: int
    ci95: tuple[float, float] | None
    ties: int = 0
    printed: float | None = None
    source: str = ""


def mark(cell: Cell, chance: float | None) -> str:
    """How a rate stands to chance: `▾` below it, `≈` where the interval contains it, nothing above.

    >>> mark(Cell(0.02, 400, (0.01, 0.03)), 1 / 6), mark(Cell(0.17, 400, (0.14, 0.2)), 1 / 6)
    ('▾', '≈')
    """
    if cell.ci95 is None or chance is None:
        return ""
    low, high = cell.ci95
    return "▾" if high < chance else "≈" if low <= chance else ""


def view(
    rows: Sequence[Row],
    columns: Sequence[Column],
    cells: Mapping[tuple[str, str], Cell],
    marked: tuple[str, str] = NONE,
) -> dict[str, Any]:
    """What the component draws; a pair (row key, column key) without a rate becomes a dash. marked: a cell that the
    reader is pointed to."""
    groups: list[dict[str, Any]] = []
    for column in columns:
        if groups and groups[-1]["label"] == column.group:
            groups[-1]["span"] += 1
        else:
            groups.append({"label": column.group, "span": 1})
    heads = [asdict(c) | {"chance": f"{100 * c.chance:.1f} %" if c.chance is not None else DASH} for c in columns]
    lines = [asdict(r) | {"cells": [_entry(r, c, cells.get((r.key, c.key))) for c in columns]} for r in rows]
    caption = f"Rates of {len(rows)} models on {len(columns)} concepts, in per cent"
    caption += "; arrow keys walk through the cells, Enter opens the failures behind one"
    return {"caption": caption, "groups": groups, "columns": heads, "rows": lines, "marked": "\n".join(marked)}


def _entry(row: Row, column: Column, cell: Cell | None) -> dict[str, Any] | None:
    if cell is None or cell.value is None or not isfinite(cell.value):
        return None
    low, high = cell.ci95 or (cell.value, cell.value)
    colour = along(CIVIDIS, cell.value)
    which = mark(cell, column.chance)
    says = {"▾": ", below chance", "≈": ", not to be told from chance"}.get(which, "")
    ties = f", {cell.ties} ties counted as failures" if cell.ties else ""
    printed = f"{100 * cell.printed:.1f}" if cell.printed is not None else ""
    beside = f" Published: {100 * cell.printed:.2f} % ({cell.source})." if cell.printed is not None else ""
    return {
        "id": f"{row.key}\n{column.key}",
        "rate": cell.value,
        "value": f"{100 * cell.value:.1f}",
        "spread": f"± {100 * max(cell.value - low, high - cell.value):.1f}",
        "mark": which,
        "printed": printed,
        "colour": colour,
        "ink": ink_on(colour),
        "tip": f"{row.label} · {row.kind} · {column.label}, {column.sub}: {interval(cell.value, cell.n, cell.ci95)}"
        f"{says}{ties}.{beside} Open the failures.",
    }


def draw(spec: dict[str, Any], key: str, order: str = "") -> tuple[tuple[str, str] | None, str]:
    """The table; returns ((row key, column key) of the cell that was just clicked, the order now).

    order: the column that it is sorted by, a minus before it for best first; "" for the models' own order.
    """
    kept: Any = st.session_state.get(key)
    order = str((kept.get("order") if kept else None) or "") if kept is not None else order
    result: Any = _component(
        data=spec | {"order": order}, key=key, default={"order": order}, on_opened_change=_nothing,
        on_order_change=_nothing,
    )  # fmt: skip
    opened = result.opened if result is not None else None
    row, _, column = str(opened or "").partition("\n")
    return (row, column) if opened else None, str((result.order if result is not None else None) or "")


def _nothing() -> None:
    """A change reruns the page; what it is stands in the result."""
