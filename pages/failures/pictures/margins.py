"""The histogram of margins above the gallery: how far from flipping the verdicts are, and a filter by just that."""

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from backend.store.failures.margins import Histogram
from pages.failures import data
from pages.failures.filters import Filters
from pages.shared.drawing import component
from pages.shared.drawing.colours import VERDICTS
from pages.shared.drawing.numbers import count, score
from pages.shared.frame.tips import margin_unit

#: What a near miss is, in one line (glossary).
NEAR = (
    "A wrong verdict whose margin is smaller than what edits that keep the meaning push it towards zero by (the 90th "
    "percentile of eight or more edits that differ for the model)."
)
#: Of less than this share of the wrong verdicts near misses are told in words: as colour they are slivers that nobody
#: sees.
DRAWN = 0.1
_KEY = "failures-margins"
_component = component.load(
    "flipside_failures_margins",
    Path(__file__).with_suffix(".js"),
    html=(
        '<div id="margins"><div class="head"><b>Margin</b><span class="legend"></span>'
        '<span class="nearly"></span>'
        '<span class="told" role="status"></span>'
        '<button type="button" class="clear">All margins</button></div>'
        '<div class="stage" tabindex="0" role="application"></div>'
        '<div class="axis" aria-hidden="true"><span class="low"></span><span class="zero-label">0 · flips here</span>'
        '<span class="high"></span></div></div>'
    ),
)


def is_drawn(chosen: Filters) -> bool:
    """Whether there is anything to draw: not where no verdict has a margin, nor where verdicts are all that there is
    (`asking_orders.has_margins`): theirs are two bars that say what the rate says."""
    if chosen.left is None or chosen.left.spread is None:
        return False
    return data.has_margins(chosen.wanted) or chosen.wanted.margin is not None


def draw(chosen: Filters) -> None:
    """The bars under all filters but margin and verdict."""
    spread = chosen.left.spread if chosen.left else None
    if spread is None or not is_drawn(chosen):
        return
    bounds = chosen.bounds
    _component(
        data=view(spread, chosen.shown, chosen.wanted.margin, margin_unit(chosen.wanted.setting.kind, chosen.model)),
        key=_KEY, on_brushed_change=partial(_brushed, spread, bounds, chosen.shown),
    )  # fmt: skip


def view(spread: Histogram, shown: str, margin: tuple[float, float] | None, unit: str) -> dict[str, Any]:
    """What the component draws. shown: wrong, right or all, what is listed; margin: the filter, None for none; zero: at
    which edge the verdict flips."""
    step = spread.edges[1] - spread.edges[0]
    near = f", {sum(spread.near):,} of these near misses" if spread.near else ""
    told = "Drag over bars, or click one, to list only these."
    if margin is not None:
        told = f"{score(margin[0], signed=True)} to {score(margin[1], signed=True)}"
    return {
        "edges": list(spread.edges), "right": list(spread.right), "wrong": list(spread.wrong),
        "zero": spread.edges.index(0.0), "digits": max(0, len(f"{step:.6f}".rstrip("0").partition(".")[2])),
        "near": list(spread.near), "near_drawn": _drawn(spread), "legend": legend(spread),
        "near_said": near_said(spread), "near_tip": NEAR,
        "show": shown, "chosen": None if margin is None else list(bars(spread, margin)), "told": told,
        "alt": f"Histogram of margins ({unit}): {sum(spread.wrong):,} wrong{near}, {sum(spread.right):,} right. "
        "Arrow keys go from bar to bar, with Shift they take more in, Enter lists them, Delete lists all.",
    }  # fmt: skip


def legend(spread: Histogram) -> list[dict[str, str]]:
    """What the colours are: the class of a bar's part, its words with their sign, and what they mean.

    >>> [each["words"] for each in legend(Histogram((), (), (2,), (), (0.0, 0.0), near=(1,)))]
    ['✗ wrong', '≈ near miss', '✓ right']
    """
    parts = {"wrong": "", "near": NEAR, "right": ""} if _drawn(spread) else {"wrong": "", "right": ""}
    return [{"part": part, "words": " ".join(reversed(VERDICTS[part])), "tip": tip} for part, tip in parts.items()]


def _drawn(spread: Histogram) -> bool:
    """Whether near misses have a colour of their own."""
    return bool(sum(spread.near)) and sum(spread.near) >= DRAWN * sum(spread.wrong)


def near_said(spread: Histogram) -> str:
    """How many are near misses, and of how many that is known; "" where it is of none.

    >>> near_said(Histogram((), (), (90,), (), (0.0, 0.0), near=(28,), asked=73))
    '≈ 28 near misses among the 73 wrong that edited captions were scored for'
    >>> near_said(Histogram((), (), (90,), (), (0.0, 0.0)))
    ''
    """
    if not spread.asked:
        return ""
    said = count(sum(spread.near), "near miss", "near misses")
    return f"≈ {said} among the {spread.asked:,} wrong that edited captions were scored for"


def bars(spread: Histogram, margin: tuple[float, float]) -> tuple[int, int]:
    """The first and the last bar that a filter reaches into.

    >>> spread = Histogram((-0.2, -0.1, 0.0, 0.1), (0, 0, 1), (1, 1, 0), (-0.15, -0.05, 0.05), (-0.15, 0.05))
    >>> bars(spread, (-0.1, 0.0)), bars(spread, (-9.0, 9.0)), bars(spread, (0.02, 0.03))
    ((1, 1), (0, 2), (2, 2))
    """
    last = len(spread.right) - 1
    first = next((k for k in range(last) if spread.edges[k + 1] > margin[0]), last)
    return first, next((k for k in range(first, last) if spread.edges[k + 1] >= margin[1]), last)


def _brushed(spread: Histogram, bounds: tuple[float, float], shown: str) -> None:
    """Take over what was brushed, before the page runs again."""
    found: Any = st.session_state.get(_KEY)
    st.session_state.update(brushed(str(found.get("brushed") or "") if found else "", spread, bounds, shown))


def brushed(said: str, spread: Histogram, bounds: tuple[float, float], shown: str) -> dict[str, Any]:
    """The filters that a brush sets: the margin, and what is shown where nothing that is shown lies under the brush;
    none where nothing does. said: the first and the last bar, or "all"; bounds: what a filter that is none has.

    >>> spread = Histogram((-0.1, 0.0, 0.1), (0, 4), (3, 0), (-0.05, 0.05), (-0.05, 0.05), (False,) * 3)
    >>> brushed("1 1", spread, (-0.05, 0.05), "wrong")
    {'margin': (0.0, 0.05), 'show': 'right'}
    >>> brushed("0 1", spread, (-0.05, 0.05), "wrong"), brushed("x", spread, (0.0, 1.0), "all")
    ({'margin': (-0.05, 0.05)}, {})
    """
    if said == "all":
        return {"margin": bounds}
    parts = said.split()
    if len(parts) != 2 or not all(part.isdecimal() and len(part) < 4 for part in parts):
        return {}
    first, last = (min(int(part), len(spread.right) - 1) for part in parts)
    low, high = spread.chosen(first, last)
    low, high = (bounds[0] if first == 0 else low), (bounds[1] if last == len(spread.right) - 1 else high)
    under = {"right": sum(spread.right[first : last + 1]), "wrong": sum(spread.wrong[first : last + 1])}
    if not any(under.values()):
        return {}
    found: dict[str, Any] = {"margin": (low, high)}
    if shown in under and not under[shown]:
        found["show"] = "right" if shown == "wrong" else "wrong"
    return found
