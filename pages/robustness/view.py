"""From cells to the matrix that is drawn: pure functions on `store.robustness.matrix.Cell`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from backend import written
from backend.finding import Finding
from backend.metrics.statistics import Rate
from backend.perturb import Effect
from backend.store.robustness.matrix import Cell
from backend.store.robustness.robustness import HEADLINE, RSUM, column_of
from pages.shared.drawing import colours, signs
from pages.shared.drawing.numbers import DASH, count, fixed
from pages.shared.frame.tips import kind_name, metric_tip, metric_title

#: Measure -> its label.
MEASURES: Final = {"drop": "change", "flipped": "flipped", "lost": "right → wrong", "won": "wrong → right"}
#: Groups of columns, each a table of its own, because a flip means something else in each.
GROUPS: Final = ("preserving", "changing", "foils")
PAPERS: Final = {"brittleness": "brittleness paper", "SVLC": "SVLC paper", "ARO": "ARO", "ours": "ours"}
#: The change in points at which the colour is full, unless a cell is larger.
FULL: Final = 0.1


@dataclass(frozen=True)
class Column:
    """One column: an edit with all its seeds. group: of GROUPS."""

    key: str
    title: str
    group: str
    family: str
    paper: str
    editions: int
    edited: float | None


def columns(table: pd.DataFrame) -> list[Column]:
    """The columns of a benchmark's editions (rows of `editions.pairs`), in the order of their names."""
    found = {}
    own = table.drop_duplicates("hash")
    own = own.assign(column=[column_of(line) for line in own.itertuples()])
    for key, part in own.groupby("column", sort=False):
        line: Any = part.iloc[0]
        group = "foils" if line.way == "foils" else "preserving" if line.effect == Effect.PRESERVING else "changing"
        only = {"truth": ", true captions only", "foils": ", false captions only"}.get(line.texts, "")
        asked = int(part["texts_asked"].sum())
        share = float(part["texts_edited"].sum()) / asked if asked else None
        found[str(key)] = Column(
            str(key), f"{line.title}{only}", group, str(line.family), str(line.paper), len(part), share
        )
    order = {name: k for k, name in enumerate(GROUPS)}
    return sorted(found.values(), key=lambda column: (order[column.group], column.family, column.key))


def value_of(cell: Cell, measure: str) -> tuple[float | None, tuple[float, float] | None]:
    """What a cell shows, as a fraction, with its interval. The change is after − before, as everywhere: a loss is
    negative. Captions set against their edits show the share of captions that win, whatever the measure."""
    if cell.wins is not None:
        return cell.wins.value, cell.wins.ci95
    if cell.sums is not None:
        return changed(cell.sums.drop, cell.sums.ci95) if measure == "drop" else (None, None)
    if measure == "drop":
        return changed(cell.change.drop, cell.change.ci95)
    rate: Rate = getattr(cell.change, measure)
    return rate.value, rate.ci95


def changed(drop: float | None, ci95: tuple[float, float] | None) -> tuple[float | None, tuple[float, float] | None]:
    """A drop (before − after) as a change (after − before), with its interval.

    >>> changed(0.25, (0.125, 0.5))
    (-0.25, (-0.5, -0.125))
    """
    return (None if drop is None else 0.0 - drop), (None if ci95 is None else (0.0 - ci95[1], 0.0 - ci95[0]))


def spec(
    cells: Sequence[Cell], listed: Sequence[Column], measure: str, chosen: str = "", captioned: str = ""
) -> dict[str, Any]:
    """What `heatmap.draw` takes: models down, edits across. chosen: the key of the cell that is open (`key_of`)."""
    names, dots = colours.labels(c.model for c in cells), colours.of_models(c.model for c in cells)
    shown = {c.column for c in cells if value_of(c, measure)[0] is not None}
    listed = [column for column in listed if column.key in shown]
    keys = {column.key for column in listed}
    mine = {(c.model, c.kind, c.column): c for c in cells if c.column in keys}
    full = full_scale(list(mine.values())) if measure == "drop" else 1.0
    lines = list(dict.fromkeys((c.model, c.kind) for c in mine.values()))
    lines.sort(key=lambda line: (colours.order(names).index(line[0]), line[1]))
    heads = []
    for column in listed:
        most = max((_clusters(c) for c in mine.values() if c.column == column.key), default=0)
        seeds = "" if column.editions < 2 else f" · {column.editions} editions"
        edited = (
            "" if column.edited is None else f"; {written.percent(column.edited, digits=0)} of the captions were edited"
        )
        heads.append(
            {
                "key": column.key, "label": column.title, "sub": column.family + seeds, "group": "",
                "tip": f"{column.title}: {PAPERS.get(column.paper, column.paper)}{edited}.",
                "chance": count(most, "image"),
            }
        )  # fmt: skip
    rows = [
        {
            "key": f"{model}\t{kind}", "label": names[model], "kind": kind_name(kind), "colour": dots[model],
            "tip": model,
            "shape": colours.shape(model),
            "cells": [_entry(mine.get((model, kind, c.key)), c, measure, full, names) for c in listed],
        }
        for model, kind in lines
    ]  # fmt: skip
    marked = "" if not chosen else _id(*chosen.split("|", 2))
    what = f"{len(rows)} models and kinds by {len(listed)} edits, {captioned or MEASURES[measure]}"
    return {
        "caption": what, "groups": [{"label": "", "span": len(listed)}], "columns": heads, "rows": rows,
        "marked": marked, "foot": "compared on",
    }  # fmt: skip


def full_scale(cells: Sequence[Cell]) -> float:
    """The size of a drop at which its colour is full: the largest of the table, at least FULL."""
    sizes = [abs(value) for c in cells if (value := value_of(c, "drop")[0]) is not None and c.wins is None]
    return max([FULL, *sizes])


def _clusters(cell: Cell) -> int:
    if cell.sums is not None:
        return cell.sums.clusters
    return cell.change.clusters if cell.wins is None else cell.wins.n


def _entry(
    cell: Cell | None, column: Column, measure: str, full: float, names: Mapping[str, str]
) -> dict[str, Any] | None:
    if cell is None:
        return None
    value, ci95 = value_of(cell, measure)
    if value is None:
        return None
    signed = measure == "drop" and cell.wins is None
    colour, ink = _painted(value, column.group, measure, full)
    low, high = ci95 or (value, value)
    neutral = 0.5 if cell.wins is not None else 0.0
    same = ci95 is not None and low <= neutral <= high and (signed or cell.wins is not None)
    sign = "−" if value < 0 and round(100 * value, 1) else "+" if signed and round(100 * value, 1) else ""
    return {
        "id": _id(cell.model, cell.kind, cell.column),
        "rate": value,
        "value": f"{sign}{written.number(100 * abs(value))}",
        "spread": written.ends(ci95, signed=signed),
        "mark": signs.OPEN if same else "",
        "printed": "",
        "colour": colour,
        "ink": ink,
        "tip": f"{names[cell.model]} · {kind_name(cell.kind)} · {column.title}: {said(cell)}. List the items.",
    }


def _painted(value: float, group: str, measure: str, full: float) -> tuple[str, str]:
    """(background, ink). Green is better for the model and vermilion worse, in every table: where the meaning was kept
    a change has a better side, and against its own edit a caption shall win more often than by guessing. Where order or
    meaning was destroyed a lost verdict is what reading does, so a change there has its size alone."""
    if group == "foils":
        return signs.balance(signs.around(value, 0.5))
    if group != "preserving" or measure == "flipped":
        return signs.strength(abs(value) / full)
    better = {"drop": value / full, "lost": -value, "won": value}[measure]
    return signs.balance(0.5 + better / 2)


def said(cell: Cell) -> str:
    """A cell in words."""
    if cell.wins is not None:
        return (
            f"the caption wins over its edit in {_percent(cell.wins.value)}{_range(cell.wins.ci95)} of "
            f"{count(cell.wins.n, 'question')}, by guessing in 50 %"
        )
    if cell.sums is not None:
        sums = cell.sums
        before, after = (DASH if v is None else written.number(100 * v) for v in (sums.before, sums.after))
        change, within = changed(sums.drop, sums.ci95)
        return f"rsum {before} → {after} of 600, change {_points(change)}{_range(within)}; n = {sums.n:,}"
    found = cell.change
    change, within = changed(found.drop, found.ci95)
    parts = [f"{_percent(found.before)} → {_percent(found.after)} right, change {_points(change)}{_range(within)}"]
    parts.append(
        f"{written.percent(found.lost.value or 0)} right → wrong, {written.percent(found.won.value or 0)} wrong → right"
    )
    if cell.spread is not None:
        of = f"between {len(cell.drops)} editions is {fixed(100 * cell.spread, 1)} points"
        parts.append(f"the change's standard deviation {of}")
    return "; ".join(parts) + f"; n = {found.n:,}"


def to_copy(cell: Cell, column: str, model: str, where: Sequence[str]) -> str:
    """A cell in one sentence with what it rests on; "" where it has no change, and for sums of recalls. column: its
    title; model: by name; where: metric, kind, subset and benchmark in words."""
    if cell.wins is not None:
        claim = f"Under {model} the caption wins over its own edit ({column}) in {{}}, by guessing in 50 %"
        return Finding(claim, cell.wins.n, where, cell.wins.value, cell.wins.ci95, counted="questions").said
    found = cell.change
    change, ends = changed(found.drop, found.ci95)
    if cell.sums is not None or change is None or found.before is None or found.after is None:
        return ""
    rates = f"{_percent(found.before)} before, {_percent(found.after)} after"
    claim = f"{column} leaves {model} right as often, a difference of {{}}: {rates}"
    if change:
        claim = f"{column} makes {model} right {'more' if change > 0 else 'less'} often by {{}}: {rates}"
    if change < 0:
        change, ends = -change, ends and (-ends[1], -ends[0])
    test = "exact sign-flip test, images as units"
    return Finding(claim, found.n, where, change, ends, cell.p, test, points=True, counted="verdicts").said


def key_of(model: str, kind: str, column: str) -> str:
    """A cell's name in addresses."""
    return f"{model}|{kind}|{column}"


def find(cells: Sequence[Cell], key: str) -> Cell | None:
    """The cell of a name in an address."""
    return next((c for c in cells if key_of(c.model, c.kind, c.column) == key), None)


def opened_key(opened: tuple[str, str]) -> str:
    """The name of the cell that was clicked in the heat map."""
    model, _, kind = opened[0].partition("\t")
    return key_of(model, kind, opened[1])


def worst(cells: Sequence[Cell], keys: Sequence[str]) -> Cell | None:
    """The cell that has certainly lost most among some columns (by the end of its interval nearest to a gain; captions
    that lose to their edits count as lost): what is shown until one is chosen."""

    def high(cell: Cell) -> float:
        value, ci95 = value_of(cell, "drop")
        return ci95[1] if ci95 is not None else (value or 0.0) + 1.0

    own = [c for c in cells if c.column in keys and value_of(c, "drop")[0] is not None]
    return min(own, key=high, default=None)


def metric_name(metric: str) -> str:
    """A metric for the sidebar."""
    return {HEADLINE: "each item by its own metric", RSUM: "rsum, the sum of all recalls"}.get(metric) or metric_title(
        metric
    )


def metric_help(metrics: Sequence[str]) -> str:
    """What each choice means."""
    return "\n\n".join(
        ["**Each item by its own metric**: quads by the group score, triplets and choices by accuracy, pools by R@1."]
        + [metric_tip(name) for name in metrics if name != HEADLINE]
    )


def _id(model: str, kind: str, column: str) -> str:
    return f"{model}\t{kind}\n{column}"


def _percent(value: float | None) -> str:
    return "–" if value is None else written.percent(value)


def _points(value: float | None) -> str:
    return "–" if value is None else f"{fixed(100 * value, 1, signed=True)} points"


def _range(ci95: tuple[float, float] | None) -> str:
    return f" {written.ends(ci95)}" if ci95 else ""
