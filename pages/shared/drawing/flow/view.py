"""What became of what: the flow from one system's cells to another's, each way a button that opens its items."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from backend import written
from backend.metrics.reasons.names import MEANINGS, NAMES, NOTHING_SEEN, meaning_of_group, of_group
from backend.protocols import Protocol
from backend.store.compare import flow
from pages.shared.data.frames import lines_of
from pages.shared.drawing import cells, colours, component, signs

COLOURS = {**cells.COLOURS, "reversed": "#0072b2", "uncertain": "#c3c9cd", "wrong": "#d55e00"}
MEANS = {**MEANINGS, "wrong": "the verdict is wrong; why was not measured on both sides"}
#: What “right” means where it is no cell: of a quad it is one.
RIGHT = "the verdict is right; why was not measured on both sides"
_component = component.load("flipside_flow", Path(__file__).with_name("flow.js"), html='<div id="flow"></div>')


@dataclass(frozen=True)
class Way:
    """What a way through the flow is called, its sign ("" for none) and its colour."""

    name: str
    sign: str
    colour: str


@dataclass(frozen=True)
class Flow:
    """What is drawn. protocol: of the verdicts; by: of `flow.BY`; models, labels: of the two sides, left first; pair:
    their positions in the frames; ways: of each key of `flow.WHICH`'s values; same: what the legend calls what did not
    change."""

    protocol: Protocol
    by: str
    models: tuple[str, str]
    labels: tuple[str, str]
    pair: tuple[int, int]
    ways: Mapping[str, Way]
    same: str


def identity(a: str, b: str, which: str) -> str:
    """A way through the flow as it stands in the address.

    >>> identity("no_binding", "right", "fixed")
    'no_binding>right:fixed'
    """
    return f"{a}>{b}:{which}"


def identities(each: pd.DataFrame) -> list[str]:
    """The way that each verdict went. each: of `flow.ends`."""
    return [identity(*way) for way in zip(each["a"], each["b"], each["which"], strict=True)]


def way_said(link: Any, by: str) -> str:
    """A way in words: where from, where to, how many. by: of `flow.BY`."""
    return f"{name_of(link.a, by)} → {name_of(link.b, by)} · {link.n:,}"


def name_of(part: str, by: str) -> str:
    """What a part is called: a cell, or (by reasons) a reason, which may have the same word and be another thing.

    >>> name_of("no_binding", "cells"), name_of("no_binding", "reasons"), name_of("wrong", "reasons")
    ('no binding seen', 'no binding beyond luck', 'wrong')
    """
    return of_group(part) if by == "reasons" else NAMES.get(part, part)


def view(
    each: pd.DataFrame, table: pd.DataFrame, words: pd.DataFrame, drawn: Flow, marked: str, alt: str
) -> dict[str, Any]:
    """What the component draws. each: of `flow.ends`; table: its `flow.links`; words: of `flow.words`, the same rows as
    `each`; marked: a way, or any other word for none; alt: the picture in words."""
    known = all(flow.measured(words, k) for k in drawn.pair)
    sides = []
    for side, k, model, label in zip("ab", drawn.pair, drawn.models, drawn.labels, strict=True):
        dot = {"colour": colours.of_models([model])[model], "shape": colours.shape(model)}
        luck = words[f"mirrored_{k}"] if known and drawn.by == "cells" else None
        sides.append({"title": label, **dot, "parts": _parts(each[side], luck, len(each), label, drawn, known)})
    ways = []
    for link in lines_of(table):
        way = drawn.ways[str(link.which)]
        ends = (name_of(str(end), drawn.by) for end in (link.a, link.b))
        on = f"{' → '.join(ends)}: {int(str(link.n)):,} of {len(each):,}"
        sure = f" On {link.certified:,} of them the reason is certified on both sides." if known else ""
        ways.append(
            {"id": identity(str(link.a), str(link.b), str(link.which)), "a": link.a, "b": link.b, "n": link.n,
             "sure": link.certified if known else link.n, "colour": way.colour, "sign": way.sign, "name": way.name,
             "which": link.which, "tip": f"{on}, {way.name}.{sure} Show them below."}
        )  # fmt: skip
    return {"sides": sides, "ways": ways, "total": len(each), "marked": marked, "measured": known,
            "luck": known and drawn.by == "cells", "same": drawn.same, "alt": alt}  # fmt: skip


def _parts(
    column: pd.Series, luck: pd.Series | None, total: int, label: str, drawn: Flow, known: bool
) -> list[dict[str, Any]]:  # fmt: skip
    """The parts of one side that have items, in their order. known: whether reasons are measured on both sides; else
    the parts are verdicts alone."""
    counts = column.value_counts()
    decoys = luck.value_counts() if luck is not None else pd.Series(dtype=int)
    made = []
    for part in flow.parts(drawn.protocol):
        n = int(counts.get(part, 0))
        if not n:
            continue
        by_luck = min(n, int(decoys.get(part, 0))) if luck is not None and part not in NOTHING_SEEN else 0
        beside = f"; luck alone would put {int(decoys.get(part, 0)):,} there" if by_luck else ""
        name, meaning = name_of(part, drawn.by), MEANS.get(part, "") if known or part != "right" else RIGHT
        if known and drawn.by == "reasons" and part in MEANINGS:
            meaning = meaning_of_group(part)
        made.append(
            {"key": part, "name": name, "n": n, "luck": by_luck, "colour": COLOURS.get(part, signs.QUIET),
             "hatched": part == "uncertain", "share": of_all(n, total),
             "tip": f"{label}: {name}, {n:,} of {total:,}{beside}. {meaning[:1].upper()}{meaning[1:]}."}
        )  # fmt: skip
    return made


def of_all(n: int, total: int) -> str:
    """How many items a part has, of how many; of few their count alone, which says both.

    >>> of_all(192, 300), of_all(7, 7), of_all(3, 7)
    ('192 · 64.0 %', '7 of 7', '3 of 7')
    """
    return written.counted(n / total, total) or f"{n:,} · {written.percent(n / total)}"


def told(table: pd.DataFrame, ways: Mapping[str, Way], by: str, most: int = 8) -> str:
    """The largest ways on which the verdict changed, in words. table: of `flow.links`; by: of `flow.BY`."""
    moved = table[table["which"].isin(["fixed", "broke"])].sort_values("n", ascending=False)
    said = "; ".join(f"{ways[str(link.which)].name}: {way_said(link, by)}" for link in lines_of(moved.head(most)))
    return said or "No verdict changed."


def draw(spec: dict[str, Any], key: str, on_opened: Any) -> None:
    """The flow. on_opened: called when a way is clicked, before the page runs again; `opened` then says which."""
    _component(data=spec, key=key, on_opened_change=on_opened)


def opened(key: str) -> str:
    """The identity of the way that was clicked; "" for none."""
    result: Any = component.state(key)
    return str((result.get("opened") if result else None) or "")


def has_reasons(protocol: Protocol) -> bool:
    """Whether items of a protocol can have cells at all.

    >>> has_reasons(Protocol.QUAD), has_reasons(Protocol.RETRIEVAL)
    (True, False)
    """
    return len(flow.parts(protocol)) > len(flow.VERDICTS)


def why_pale(by: str) -> str:
    """How to read what is hatched and pale. by: of `flow.BY`."""
    bands = "A band’s pale part: the reason is certified on one side at most, so luck may have moved the item."
    if by == "reasons":
        return (
            "Each item stands under its certified reason; “uncertain” where the evidence does not tell it from luck, "
            f"whatever its scores say. {bands}"
        )
    return f"Hatched: as many as luck alone would put there. {bands}"


__all__ = [
    "COLOURS", "MEANS", "Flow", "Way", "draw", "has_reasons", "identities", "identity", "name_of", "opened",
    "told", "view", "way_said", "why_pale",
]  # fmt: skip
