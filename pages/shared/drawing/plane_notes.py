"""What the parts of a plane mean, written around it: a label inside would hide points."""

from collections.abc import Sequence
from typing import Any

#: Pixels that the labels take above a plane, below the bar of buttons; and below it, under ticks and axis title.
ABOVE, BELOW = 64, 40
#: So far below the plane its lower labels begin.
_DOWN = 42


def corners(texts: Sequence[str], ink: str, size: float = 11.5) -> list[dict[str, Any]]:
    """Annotations of Plotly at the four corners, outside: upper left, upper right, lower left, lower right. Leave
    `ABOVE` and `BELOW` more pixels of margin for two lines each.

    >>> [(note["x"], note["yanchor"], note["text"]) for note in corners(["a", "b", "c", "d"], "#000")][1:3]
    [(1, 'bottom', 'b'), (0, 'top', 'c')]
    """
    places = ((0, 1), (1, 1), (0, 0), (1, 0))
    return [note(text, x, y, ink, size) for text, (x, y) in zip(texts, places, strict=True)]


def note(text: str, x: int, y: int, ink: str, size: float = 11.5) -> dict[str, Any]:
    """One of them: x 0 or 1 (left, right), y 0 or 1 (below, above)."""
    side = "right" if x else "left"
    return {
        "xref": "paper", "yref": "paper", "x": x, "y": y, "xanchor": side, "yanchor": "bottom" if y else "top",
        "yshift": 2 if y else -_DOWN, "showarrow": False, "text": text, "align": side,
        "font": {"size": size, "color": ink},
    }  # fmt: skip
