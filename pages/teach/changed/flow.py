"""What became of what: the flow from one checkpoint's cells to the other's, each way a button that opens its items."""

from typing import Any

import pandas as pd

from pages.shared.drawing import signs
from pages.shared.drawing.flow import view as shared
from pages.shared.drawing.flow.view import COLOURS, Flow, Way, draw, has_reasons, identity, name_of, opened, way_said
from pages.teach.changed import said
from pages.teach.changed.choice import LAST, Asked, Change

#: Of a way through the flow.
WAYS = {
    "fixed": Way("fixed", "✓", signs.GAIN),
    "broke": Way("broken", "✗", signs.LOSS),
    "kept": Way("right on both", "", signs.QUIET),
    "both": Way("wrong on both", "", signs.QUIET),
}


def view(
    each: pd.DataFrame, links: pd.DataFrame, words: pd.DataFrame, change: Change, asked: Asked, marked: str
) -> dict[str, Any]:
    """What the component draws. each: of `flow.ends`; links: of `flow.links`, what became of them; words: of
    `flow.words`, the same rows as `each`; marked: a way."""
    left, after = change.named[asked.left], change.named[LAST]
    drawn = Flow(
        asked.protocol, asked.parts, (left.model, after.model), (left.label, after.label), (asked.left, LAST), WAYS,
        "verdict as before",
    )  # fmt: skip
    return shared.view(each, links, words, drawn, marked, alt(links, change, asked, len(each)))


def alt(table: pd.DataFrame, change: Change, asked: Asked, total: int) -> str:
    """The picture in words, for those who cannot see it."""
    a, b = change.named[asked.left].label, change.named[LAST].label
    return f"Flow of {said.items(asked, total)} from {a} to {b}. {shared.told(table, WAYS, asked.parts)}"


def caption(known: bool, asked: Asked, lacking: str) -> str:
    """How to read it."""
    click = "A click on a band shows its items below."
    if not known:
        return (
            "Bands: how many verdicts went which way. No reasons, because they are not measured for both"
            + (f": {lacking}." if lacking else ".") + f" {click}"
        )  # fmt: skip
    return f"{shared.why_pale(asked.parts)} {click}"


__all__ = [
    "COLOURS", "WAYS", "alt", "caption", "draw", "has_reasons", "identity", "name_of", "opened", "view", "way_said",
]  # fmt: skip
