"""The stacked bars of cells: for each model and subset, what would have to change for it to be right."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from backend import written
from backend.metrics.reasons.names import CELLS, MEANINGS, NAMES, NOTHING_SEEN, of_group
from backend.protocols import Protocol
from backend.store.reasons import bars as bars_
from backend.taxonomy import title
from pages.shared.data.cell_bars import Bar, Missing
from pages.shared.drawing import colours, component
from pages.shared.drawing.numbers import listing
from pages.shared.drawing.signs import PART
from pages.shared.frame.tips import kind_name

HERE = Path(__file__).parent
TITLE = "What would have to change for the model to be right?"
#: What a click on a part does, at the end of `caption`.
OPENS = "A click on a part opens its items."
#: Okabe and Ito's colours: green is right by the image, grey is nothing seen, the others are what outvotes it.
COLOURS = {
    "right": "#009e73", "outvoted_by_caption": "#e69f00", "outvoted_by_image": "#56b4e9",
    "outvoted_by_both": "#cc79a7", "no_binding": "#8c959d",
    "grounded": "#009e73", "by_bias": "#e69f00", "outvoted": "#cc79a7", "no_evidence": "#8c959d",
}  # fmt: skip
#: Cell -> what would have to change, for the legend.
CHANGES = {
    "right": "nothing", "outvoted_by_caption": "less caption bias", "outvoted_by_image": "less image bias",
    "outvoted_by_both": "less of both biases", "no_binding": "learn who belongs to whom",
    "grounded": "nothing", "by_bias": "use the image", "outvoted": "less bias of the captions",
    "no_evidence": "see it in the image",
}  # fmt: skip
#: Behind how many items of a cell without evidence are certified to have none: it is not all that are.
_ELSEWHERE = " (and of items in other cells, which show no more than luck gives: Failures counts both)"
#: More bars of one subset than this stand in two columns, those that are right most often first.
MANY = 12
_component = component.load("flipside_cells", HERE / "cells.js", html='<div id="cells"></div>')


def view(bars: Sequence[Bar], missing: Sequence[Missing], marked: Sequence[str] = ()) -> dict[str, Any]:
    """What the component draws: a part for each protocol, never two in one bar; in it a panel for each model with a bar
    for each subset, or, of several models on one subset, one panel with a bar for each.
    marked: ids of parts to be outlined."""
    names = colours.labels([bar.model for bar in bars] + [each.model for each in missing])
    parts = []
    for protocol in CELLS:
        own = [bar for bar in bars if bar.protocol == protocol]
        lacking = [each for each in missing if each.protocol == protocol]
        if not own and not lacking:
            continue
        rows = list(dict.fromkeys((bar.model, bar.kind) for bar in own))
        by_model = len({bar.group for bar in own}) > 1 or len(rows) < 2
        if by_model:
            panels = [_panel(names, row, [bar for bar in own if (bar.model, bar.kind) == row]) for row in rows]
        else:
            each = [_row(bar, names[bar.model], kind_name(bar.kind)) for bar in own]
            head = title(own[0].group)
            head = "" if head.casefold() in protocol.info.title.casefold() else head  # "choice" says no more
            panels = [
                {"title": head if len(each) <= MANY else "", "sub": "", "colour": "", "shape": "", "rows": some,
                 "many": len(each) > MANY}
                for some in _columns(own, each)
            ]  # fmt: skip
        parts.append(
            {"title": protocol.info.title.capitalize(), "legend": [_legend(cell) for cell in CELLS[protocol]],
             "panels": panels, "missing": _lacking(lacking, names)}
        )  # fmt: skip
    return {"parts": parts, "marked": list(marked)}


def of_one(bars: Sequence[Bar], missing: Sequence[Missing]) -> dict[str, Any]:
    """What the component draws of one model alone, under one kind: a bar for each subset, protocols with the same cells
    under one legend, and no name above them."""
    names = colours.labels([bar.model for bar in bars] + [each.model for each in missing])
    parts: dict[tuple[str, ...], list[Protocol]] = {}
    for protocol, cells in CELLS.items():
        if protocol in {bar.protocol for bar in bars} | {each.protocol for each in missing}:
            parts.setdefault(cells, []).append(protocol)
    drawn = []
    for cells, protocols in parts.items():
        rows = [_row(bar, title(bar.group), "") for of in protocols for bar in bars if bar.protocol == of]
        panel = {"title": "", "sub": "", "colour": "", "shape": "", "rows": rows}
        drawn.append(
            {"title": " and ".join(of.info.title for of in protocols).capitalize(), "short": True,
             "legend": [_legend(cell) for cell in cells], "panels": [panel] if rows else [],
             "missing": _lacking([each for each in missing if each.protocol in protocols], names, len(protocols) > 1)}
        )  # fmt: skip
    return {"parts": drawn, "marked": []}


def matrix(
    bars: Sequence[Bar], missing: Sequence[Missing], told: Mapping[tuple[str, str], tuple[str, str]],
    marked: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """What the component draws in one line a model: a column for each protocol and subset, a bar in each, and below it
    in a word how many bind at least; the whole sentence stands where that is pointed at.

    told: (model, kind) -> the address of the model's page and what is said of the model, in the order of the lines.
    """
    names = colours.labels([bar.model for bar in bars] + [each.model for each in missing])
    columns = list(dict.fromkeys((bar.protocol, bar.group) for of in CELLS for bar in bars if bar.protocol == of))
    by_place = {(bar.model, bar.kind, bar.protocol, bar.group): bar for bar in bars}
    having = {(bar.model, bar.kind) for bar in bars}
    rows = [
        {"label": names[model], "sub": kind_name(kind), "key": f"{model}\t{kind}", "href": href, "tip": tip,
         "colour": colours.of_models([model])[model], "shape": colours.shape(model),
         "cells": [_cell(by_place.get((model, kind, *column))) for column in columns]}
        for (model, kind), (href, tip) in told.items() if (model, kind) in having
    ]  # fmt: skip
    legends: dict[tuple[str, ...], list[str]] = {}
    for protocol in dict.fromkeys(protocol for protocol, _ in columns):
        legends.setdefault(CELLS[protocol], []).append(protocol.info.title)
    return {
        "parts": [], "marked": list(marked),
        "matrix": {
            "columns": [{"title": title(group), "group": _beside(protocol, group)} for protocol, group in columns],
            "rows": rows, "first": MANY * (2 if len(columns) < 3 else 1), "missing": _lacking(missing, names, True),
            "read": caption(len(bars)),
            "legends": [{"title": " and ".join(titles).capitalize(), "legend": [_legend(cell) for cell in cells]}
                        for cells, titles in legends.items()],
        },
    }  # fmt: skip


def _beside(protocol: Protocol, group: str) -> str:
    """What a column's items are, unless its name says so."""
    return "" if title(group).casefold() in protocol.info.title.casefold() else protocol.info.title


def _cell(bar: Bar | None) -> dict[str, Any] | None:
    if bar is None:
        return None
    ends = None if bar.low is None or bar.high is None else (bar.low, bar.high)
    state = bars_.state(bar.share, ends) if bar.share is not None and ends is not None else ""
    words = f"≥ {bars_.least(ends)}" if state == "bound" and ends is not None else state or "no interval"
    part = f"{PART} {max(1, 100 * bar.items // bar.of)} %" if bar.of else ""
    return _row(bar, title(bar.group), "") | {"brief": words, "part": part, "state": state.replace(" ", "-")}


def uncertain(bars: Sequence[Bar]) -> str:
    """Why some bars are uncertain, a sentence with a blank behind it; "" where none is."""
    each = [(bar.share, bar.low, bar.high) for bar in bars]
    many = any(
        bars_.state(share, (low, high)) == "uncertain"
        for share, low, high in each if share is not None and low is not None and high is not None
    )  # fmt: skip
    return (
        "Uncertain: the 95 % interval leaves out luck, but one 1.7 times as wide, as so many bars need, does not. "
        * many
    )


def caption(n: int, click: str = OPENS) -> str:
    """How to read so many bars. click: what one on a part does.

    >>> caption(0)
    ''
    >>> "this bar luck alone, it would be said with a probability of about 0.1 %" in caption(1)
    True
    >>> "these 580 bars luck alone, it would be said of one or more with a probability of about 37 %" in caption(580)
    True
    """
    if not n:
        return ""
    by_luck = 100 * (1 - (1 - bars_.BY_LUCK) ** n)
    these, of = ("this bar", "") if n == 1 else (f"these {n:,} bars", " of one or more")
    return (
        "Each bar is a model's items of one subset. Hatched: as many as luck alone would put there, so the plain parts "
        "are what is more than luck. “At least” is the lower end of the 95 % interval of the share beyond luck, which "
        "stands below it. It is said where an interval 1.7 times as wide lies above 0, too (were "
        f"{these} luck alone, it would be said{of} with a probability of about "
        f"{written.number(by_luck, 0 if by_luck >= 10 else 1)} %); “uncertain” is said where that of 95 % alone does. "
        f"{click}"
    )


def _columns(bars: Sequence[Bar], rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The rows as they are, or of many two columns by how many items are right. bars: of the rows."""
    if len(rows) <= MANY:
        return [rows]
    right = [next(iter(bar.counts.values()))[0] / max(bar.n, 1) for bar in bars]
    ordered = [rows[at] for at in sorted(range(len(rows)), key=lambda at: -right[at])]
    half = (len(ordered) + 1) // 2
    return [ordered[:half], ordered[half:]]


def _panel(names: dict[str, str], row: tuple[str, str], bars: Sequence[Bar]) -> dict[str, Any]:
    model, kind = row
    dot = {"colour": colours.of_models([model])[model], "shape": colours.shape(model)}
    return {"title": names[model], "sub": f"{kind_name(kind)} · {bars[0].scale}", **dot,
            "rows": [_row(bar, title(bar.group), "") for bar in bars]}  # fmt: skip


def _legend(cell: str) -> dict[str, Any]:
    return {"name": NAMES[cell], "change": CHANGES[cell], "colour": COLOURS[cell], "tip": MEANINGS[cell]}


def _row(bar: Bar, label: str, sub: str) -> dict[str, Any]:
    whose = f"{colours.label(bar.model)} · {title(bar.group)}"
    parts = []
    total = sum(items for items, _ in bar.counts.values())  # bar.n counts those whose evidence has a size
    for cell, (items, decoys) in bar.counts.items():
        if not items:
            continue
        luck = 0 if cell in NOTHING_SEEN else min(decoys, items)
        by_luck = "" if cell in NOTHING_SEEN else f"; luck alone would put {decoys:,} there"
        reasons = ""
        if cell in bar.certified:
            reasons = f"; of {bar.certified[cell]:,} of them the evidence certifies “{of_group(cell)}”"
            reasons += _ELSEWHERE if cell in NOTHING_SEEN else ""
        parts.append(
            {"id": "\t".join((bar.model, bar.kind, bar.group, cell)), "share": items / total, "luck": luck / items,
             "colour": COLOURS[cell], "text": written.number(100 * items / total, 0),
             "tip": f"{whose}: {NAMES[cell]} by the scores alone, {items:,} of {total:,} "
             f"({written.percent(items / total, total)}){by_luck}{reasons}. {MEANINGS[cell].capitalize()}. "
             "Open these items."}
        )  # fmt: skip
    head, ends = least(bar)
    head += f"; {bar.items:,} of {bar.of:,} judged" if bar.of else ""
    return {"label": label, "sub": sub, "parts": parts, "least": head, "ends": ends, "notes": list(bar.notes),
            "colour": colours.of_models([bar.model])[bar.model] if sub else "",
            "shape": colours.shape(bar.model) if sub else ""}  # fmt: skip


def least(bar: Bar) -> tuple[str, str]:
    """How many bind at least, or that none is seen to, and the ends of its interval (`bars.said`)."""
    ends = None if bar.low is None or bar.high is None else (bar.low, bar.high)
    return bars_.said(bar.protocol, bar.share, ends)


def _lacking(missing: Sequence[Missing], names: dict[str, str], several: bool = False) -> list[dict[str, Any]]:
    """An entry a reason: of which models, under which kinds; each model once. several: whether what is told of holds
    several protocols, so that it is said of which of them."""
    found = []
    for why in dict.fromkeys(each.why for each in missing):
        own = [each for each in missing if each.why == why]
        alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
        for model in dict.fromkeys(each.model for each in own):
            of = [each for each in own if each.model == model]
            kinds = tuple(dict.fromkeys(kind_name(each.kind) for each in of))
            protocols = tuple(dict.fromkeys(each.protocol.info.title for each in of)) if several else ()
            alike.setdefault((kinds, protocols), []).append(names[model])
        said = [
            f"{listing(models, len(models))} ({listing(kinds)}){' on ' if protocols else ''}{listing(protocols)}"
            for (kinds, protocols), models in alike.items()
        ]
        runs = (
            why
            if len({each.model for each in own}) == 1
            else why.replace("captions of this run", "captions of these runs")
        )
        commands = [each.command for each in own if each.command]
        found.append({"name": "; ".join(said), "why": runs, "commands": list(dict.fromkeys(commands))})
    return found


def draw(spec: dict[str, Any], key: str, on_opened: Any = None) -> tuple[str, str, str, str] | None:
    """The bars; returns (model, kind, group, cell) of the part that was just clicked. on_opened: called before the page
    runs again; `opened` then says which part it was."""
    result: Any = _component(data=spec, key=key, on_opened_change=on_opened or _nothing, on_named_change=_nothing)
    return parsed(result.opened if result is not None else None)


def named(key: str) -> str:
    """The line of `matrix` whose name was just clicked, its model and kind; "" for none."""
    result: Any = component.state(key)
    return str((result.get("named") if result else None) or "")


def opened(key: str) -> tuple[str, str, str, str] | None:
    """The part that was clicked, for the callback of `draw`."""
    result: Any = component.state(key)
    return parsed(result.get("opened") if result else None)


def parsed(said: str | None) -> tuple[str, str, str, str] | None:
    """An id of a part; None for none, and for what is no id.

    >>> parsed("m\\titc\\ts\\tright"), parsed("x"), parsed(None)
    (('m', 'itc', 's', 'right'), None, None)
    """
    found = tuple(str(said).split("\t")) if said else ()
    return (found[0], found[1], found[2], found[3]) if len(found) == 4 else None


def _nothing() -> None:
    """A click reruns the page; what it was stands in the result."""
