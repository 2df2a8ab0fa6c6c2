"""The heat map of Robustness: rates on the originals, then all edits in their groups; and what is seen in it. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from backend import written
from backend.store.robustness.matrix import Cell
from pages.robustness.view import (
    GROUPS,
    MEASURES,
    PAPERS,
    Column,
    Original,
    clusters,
    full_scale,
    identity,
    said,
    sure,
    value_of,
    worst,
)
from pages.shared.drawing import colours, signs
from pages.shared.drawing.facts import facts
from pages.shared.drawing.numbers import count, listing
from pages.shared.frame import alpha, model_link, to_failures
from pages.shared.frame.tips import kind_name

#: The column of the rates that edits are measured against.
ORIGINALS: Final = "originals"
#: Up to this share an edition leaves some items out, as most do that find nothing to edit in them.
_MOST_OF: Final = 0.8


def spec(
    cells: Sequence[Cell],
    listed: Sequence[Column],
    measure: str,
    chosen: str = "",
    originals: Mapping[tuple[str, str], Original] | None = None,
    unit: str = "image",
    benchmark: str = "",
) -> dict[str, Any]:
    """What `heatmap.draw` takes: models down; across the rate on the originals, then all edits in their groups. chosen:
    the key of the cell that is open (`key_of`); unit: what a column counts as one, “item” where no two items share
    their images; benchmark: whose failures the rates on the originals lead to."""
    names, dots = colours.labels(c.model for c in cells), colours.of_models(c.model for c in cells)
    shown = {c.column for c in cells if value_of(c, measure)[0] is not None}
    listed = [column for column in listed if column.key in shown]
    keys, base = {column.key for column in listed}, originals or {}
    mine = {(c.model, c.kind, c.column): c for c in cells if c.column in keys}
    full = {
        group: full_scale([c for column in listed if column.group == group for c in _of(mine, column.key)])
        if measure == "drop" else 1.0
        for group in GROUPS
    }  # fmt: skip
    lines = list(dict.fromkeys((c.model, c.kind) for c in mine.values()))
    lines.sort(key=lambda line: (colours.order(names).index(line[0]), line[1]))
    spans = [(label, sum(column.group == group for column in listed)) for group, label in GROUPS.items()]
    # Where editions hold other items, a rate is of those of all of them, and no change beside it may be taken from it.
    of = any(_is_part(base.get((c.model, c.kind)), c) for c in mine.values())
    rows = [
        {
            "key": f"{model}\t{kind}", "label": names[model], "kind": kind_name(kind), "colour": dots[model],
            "tip": model,
            "shape": colours.shape(model),
            "cells": [
                *([_base(base.get((model, kind)), model, kind, names, benchmark, of=of)] if base else []),
                *(_entry(mine.get((model, kind, c.key)), c, measure, full[c.group], names) for c in listed),
            ],
        }
        for model, kind in lines
    ]  # fmt: skip
    marked = "" if not chosen else identity(*chosen.split("|", 2))
    return {
        "caption": f"{len(rows)} models and kinds by {len(listed)} edits, {MEASURES[measure]}",
        "groups": [*([{"label": "before", "span": 1}] if base else []),
                   *({"label": label, "span": span} for label, span in spans if span)],
        "columns": [*([_base_head(base)] if base else []),
                    *(_head(each, _of(mine, each.key), unit) for each in listed)],
        "rows": rows, "marked": marked, "foot": "compared on",
    }  # fmt: skip


def _is_part(original: Original | None, cell: Cell) -> bool:
    """Whether a change is of clearly fewer questions than the rate on the originals beside it."""
    return original is not None and cell.wins is None and cell.change.n < _MOST_OF * original.rate.n


def _of(mine: Mapping[tuple[str, str, str], Cell], column: str) -> list[Cell]:
    return [cell for key, cell in mine.items() if key[2] == column]


def _head(column: Column, cells: Sequence[Cell], unit: str) -> dict[str, Any]:
    """A column's head and foot."""
    seeds = "" if column.editions < 2 else f" · {column.editions} editions"
    share = "" if column.edited is None else f"; {written.share(column.edited)} of the captions were edited"
    return {
        "key": column.key, "label": column.title, "sub": column.family + seeds, "group": "",
        "tip": f"{column.title}: {PAPERS.get(column.paper, column.paper)}{share}.",
        "chance": _counted([clusters(cell) for cell in cells], "question" if column.group == "foils" else unit),
    }  # fmt: skip


def _base_head(base: Mapping[tuple[str, str], Original]) -> dict[str, Any]:
    return {
        "key": ORIGINALS, "label": "Right on the originals", "sub": "per cent", "group": "",
        "tip": "How often each model is right on the original captions of the items that were edited, in any "
        "edition that it was scored on; each change beside it is of its own edition's items. A small loss of "
        "a model at chance is no merit: it has nothing to lose.",
        "chance": _counted([original.rate.n for original in base.values()], "item"),
    }  # fmt: skip


def _counted(each: Sequence[int], of: str) -> str:
    """On how many the models of a column were compared: a range where editions of several sizes make them differ.

    >>> _counted([200, 200], "item"), _counted([40, 200], "item"), _counted([], "item")
    ('200 items', '40–200 items', '0 items')
    """
    least, most = min(each, default=0), max(each, default=0)
    return count(most, of) if least == most else f"{least:,}–{count(most, of)}"


def behind(benchmark: str, model: str, kind: str) -> dict[str, str]:
    """The address of the failures behind a rate on the originals, which its link has and a click goes to."""
    return {"benchmark": benchmark, "model": model, "kind": kind} | alpha.along()


def _base(
    original: Original | None, model: str, kind: str, names: Mapping[str, str], benchmark: str, *, of: bool
) -> dict[str, Any] | None:
    """The cell of the originals. of: whether it says of how many items it is."""
    if original is None or original.rate.value is None:
        return None
    rate, value, chance = original.rate, original.rate.value, original.chance
    at = 0.5 if chance is None or original.mark == signs.OPEN else signs.around(value, chance)
    colour, ink = signs.balance(at)
    says = {signs.DOWN: ", below chance", signs.OPEN: ", not to be told from chance"}.get(original.mark, "")
    whole = written.rate(value, rate.n, rate.ci95)
    return {
        "id": identity(model, kind, ORIGINALS), "href": to_failures.href(behind(benchmark, model, kind)), "rate": value,
        "value": written.number(100 * value),
        "spread": original.against.removesuffix(" %") + (f" · n {rate.n:,}" if of else ""),
        "mark": original.mark, "printed": "", "colour": colour,
        "ink": ink,
        "tip": f"{names[model]} · {kind_name(kind)} on the originals: {whole}, {original.against or 'no chance'}"
        f"{says}; {count(rate.ties, 'tie')}. Open the failures.",
    }  # fmt: skip


def _entry(
    cell: Cell | None, column: Column, measure: str, full: float, names: Mapping[str, str]
) -> dict[str, Any] | None:
    if cell is None:
        return None
    value, ci95 = value_of(cell, measure)
    if value is None:
        return None
    signed = measure == "drop" and cell.wins is None
    beyond = sure(cell, measure)
    colour, ink = _painted(value, column.group, measure, full, beyond)
    tested = "" if cell.holm is None or not signed else f"; {written.p_value(cell.holm, 'p (Holm)')}"
    alone = signs.alone(ci95, cell.p, cell.holm, sure=beyond)
    alone = f" {alone}" if signed and alone else ""
    sign = "−" if value < 0 and round(100 * value, 1) else "+" if signed and round(100 * value, 1) else ""
    return {
        "id": identity(cell.model, cell.kind, cell.column),
        "rate": value,
        "value": f"{sign}{written.number(100 * abs(value))}",
        "spread": written.ends(ci95, signed=signed),
        "mark": _marked(value, column.group, signed, beyond, cell),
        "printed": "",
        "colour": colour,
        "ink": ink,
        "tip": f"{names[cell.model]} · {kind_name(cell.kind)} · {column.title}: {said(cell)}{tested}.{alone} "
        "List the items.",
    }


def _marked(value: float, group: str, signed: bool, beyond: bool, cell: Cell) -> str:
    """▲ ▼ ○ of a change; where the meaning is destroyed, and of shares, ○ alone (`signs`)."""
    if cell.wins is not None or (signed and group != "preserving"):
        return "" if beyond else signs.OPEN
    return signs.mark(value, beyond) if signed else ""


def _painted(value: float, group: str, measure: str, full: float, beyond: bool) -> tuple[str, str]:
    """(background, ink), by the rule of `signs`: green is better and vermilion worse where the meaning was kept; where
    order or meaning was destroyed a change has its size alone; against its own edit a caption shall win more often than
    by guessing. Within chance there is no colour."""
    if group == "foils":
        return signs.balance(signs.around(value, 0.5) if beyond else 0.5)
    if measure == "drop":
        return (
            signs.change(value, full, beyond) if group == "preserving" else signs.strength(beyond * abs(value) / full)
        )
    if group != "preserving" or measure == "flipped":
        return signs.strength(abs(value) / full)
    return signs.balance(0.5 + {"lost": -value, "won": value}[measure] / 2)


def seen(
    cells: Sequence[Cell],
    listed: Sequence[Column],
    originals: Mapping[tuple[str, str], Original],
    benchmark: str = "",
) -> Markup:
    """What is seen, in one line: the surest loss under an edit that keeps the meaning, with the rate that it starts
    from; and which models have nothing to lose. benchmark: on which the models' pages show them."""
    titles = {column.key: column.title for column in listed if column.group == "preserving"}
    known = [c for c in cells if c.column in titles and c.wins is None and value_of(c, "drop")[0] is not None]
    who = _named(cells)
    idle = [who[key] for key, original in originals.items() if original.mark and key in who]
    rest = Markup(" At chance or below, with nothing to lose: {}.").format(listing(idle)) if idle else Markup()
    if not known:
        return rest.strip()
    lost = [c for c in known if sure(c) and (value_of(c, "drop")[0] or 0.0) < 0]
    cell = worst(lost, list(titles))
    if cell is None:
        return Markup("No edit that keeps the meaning is seen to make any model right less often.{}").format(rest)
    value, ci95 = value_of(cell, "drop")
    low, high = ci95 or (float("nan"),) * 2
    points = facts(
        f"{written.number(100 * abs(value or 0.0))} points", n=cell.change.n or None, low=100 * low, high=100 * high,
        p=cell.holm, unit="points",
        note=f"Holm over all cells; of {count(len(known), 'change')} under such edits {len(lost)} are losses beyond "
        "chance",
    )  # fmt: skip
    before = originals.get((cell.model, cell.kind))
    start = ""
    if before is not None and before.rate.value is not None:
        level = f", {before.against}" if before.against else ""
        start = f" (right on {written.percent(before.rate.value, before.rate.n)} before{level})"
    return Markup('{} loses <b class="fs-loss">{}</b> under {}, which keeps the meaning{}.{}').format(
        model_link.named(cell.model, benchmark, who[cell.model, cell.kind]),
        points,
        titles[cell.column].lower(),
        start,
        rest,
    )


def _named(cells: Sequence[Cell]) -> dict[tuple[str, str], str]:
    """What each model and kind is called: by the model alone where it has one kind."""
    names = colours.labels(c.model for c in cells)
    pairs = dict.fromkeys((c.model, c.kind) for c in cells)
    kinds = Counter(model for model, _ in pairs)
    return {
        (model, kind): names[model] if kinds[model] == 1 else f"{names[model]} · {kind_name(kind)}"
        for model, kind in pairs
    }
