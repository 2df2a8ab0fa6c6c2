"""Heat over an image: one or more maps of the same cells, linked, each with its own stated scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.live.scoring.occlusion import Grid
from pages.shared.drawing import component
from pages.shared.drawing.colours import CIVIDIS, DIVERGING
from pages.shared.drawing.numbers import score

HERE = Path(__file__).parent

_component = component.load("flipside_occlusion", HERE / "occlusion_map.js", html='<div id="occlusion"></div>')


@dataclass(frozen=True)
class Map:
    """One map. values: (rows, columns), NaN where not known; signed: diverging and centred at 0, else sequential."""

    title: str
    values: NDArray[np.float64]
    signed: bool = False


def limits(maps: Sequence[Map]) -> tuple[float, float]:
    """The range of the sequential maps together, so that they can be compared; 0 is always in it."""
    known = np.concatenate([m.values[np.isfinite(m.values)] for m in maps if not m.signed] or [np.zeros(1)])
    return float(min(known.min(initial=0.0), 0.0)), float(max(known.max(initial=0.0), 0.0))


def view(maps: Sequence[Map], grid: Grid, picture: str, unit: str) -> dict[str, Any]:
    """What the component draws. picture: a data URI; boxes are shares of the image's width and height."""
    low, high = limits(maps)
    drawn = []
    for one in maps:
        reach = float(np.abs(one.values[np.isfinite(one.values)]).max(initial=0.0))
        ends = (-reach, reach) if one.signed else (low, high)
        flat = [float(value) if isfinite(value) else None for value in one.values.ravel()]
        drawn.append(
            {
                "title": one.title,
                "low": ends[0],
                "high": ends[1],
                "scale": list(DIVERGING if one.signed else CIVIDIS),
                "range": f"{score(ends[0], signed=True)} … {score(ends[1], signed=True)} {unit}",
                "values": flat,
                "says": [score(value, signed=True) for value in flat],
                "alt": summary(one, unit),
            }
        )
    return {
        "picture": picture,
        "width": grid.width,
        "height": grid.height,
        "rows": grid.shape[0],
        "columns": grid.shape[1],
        "boxes": [list(box) for box in grid.boxes],
        "patches": [list(box) for box in grid.patches],
        "unit": unit,
        "maps": drawn,
    }


def summary(one: Map, unit: str) -> str:
    """The map in a sentence, for those who do not see it.

    >>> summary(Map("red", np.array([[0.1, -0.2]])), "cosine")
    'red: largest +0.100 cosine in row 1, column 1; smallest −0.200 in row 1, column 2'
    """
    known = np.isfinite(one.values)
    if not known.any():
        return f"{one.title}: nothing scored yet"
    filled = np.where(known, one.values, 0.0)
    top = np.unravel_index(np.where(known, filled, -np.inf).argmax(), filled.shape)
    low = np.unravel_index(np.where(known, filled, np.inf).argmin(), filled.shape)
    return (
        f"{one.title}: largest {score(float(filled[top]), signed=True)} {unit} in row {top[0] + 1}, "
        f"column {top[1] + 1}; smallest {score(float(filled[low]), signed=True)} in row {low[0] + 1}, "
        f"column {low[1] + 1}"
    )


def draw(spec: dict[str, Any], key: str) -> None:
    """The maps side by side; colours, numbers and highlighting need no server."""
    _component(data=spec, key=key)
