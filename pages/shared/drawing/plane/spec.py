"""What a plane on a canvas shows, as plain values, and how it goes to the browser: columns, not a record a point.

Both axes are symmetric around zero. A point beyond the frame stands on its border, but says its own numbers.
"""

import hashlib
import json
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Symbol = Literal["circle", "diamond", "square", "triangle-up", "triangle-down", "x", "x-thin", "ring"]
#: Colours of grid, text and zero lines, in light and in dark.
INK, FAINT = ("#1e252b", "#e4e6e1"), ("#d5d9d3", "#39424b")
#: No more marks than this: a point's is one byte.
MOST_MARKS = 255
#: From so many points on they are drawn smaller and fainter, down to the look of eight times as many.
FEW = 2500


@dataclass(frozen=True)
class Mark:
    """How the points of one class look. name: in the legend, with how many there are; size: pixels across."""

    name: str
    colour: str
    symbol: Symbol
    size: float = 6.0
    opacity: float = 0.62


@dataclass(frozen=True)
class Axis:
    """From -half to half, both inclusive. size_alone: ticks have no sign, since below zero other things are counted."""

    title: str
    half: float
    size_alone: bool = False


@dataclass(frozen=True)
class Line:
    """One number that hovering says: what stands before it, its values float (n,), and its unit."""

    label: str
    values: NDArray[np.float64]
    unit: str = ""


@dataclass(frozen=True)
class Corner:
    """What a corner of the plane means, in words, how much of all lies there, and what else is said of that."""

    words: str
    share: str = ""
    more: str = ""


#: Upper left, upper right, lower left, lower right.
Corners = tuple[Corner, Corner, Corner, Corner]


@dataclass(frozen=True)
class Points:
    """n points. x, y: float (n,), as measured; mark: (n,) positions among the plane's marks; ids: (n,) texts that a
    click gives back; words: (n,) texts below the id, or None; lines: numbers that hovering says."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    mark: NDArray[np.integer[Any]]
    ids: "NDArray[np.object_]"
    words: "NDArray[np.object_] | None" = None
    lines: tuple[Line, ...] = ()

    def some(self, at: NDArray[np.intp]) -> "Points":
        """Those at these positions, in this order, which is that of drawing; those without a place are left out."""
        at = at[np.isfinite(self.x[at]) & np.isfinite(self.y[at])]
        lines = tuple(Line(line.label, line.values[at], line.unit) for line in self.lines)
        words = None if self.words is None else self.words[at]
        return Points(self.x[at], self.y[at], self.mark[at], self.ids[at], words, lines)


#: Places (m, 2) and their one mark.
Behind = tuple[NDArray[np.float64], Mark]


@dataclass(frozen=True)
class Plane:
    """A whole plane. clip: half the width and height within which points stand.

    corners: what the four corners mean; side: the same of the right
    border, written upwards; legend: whether the marks are named below; square: a unit is as long on both axes.
    behind: faint points that cannot be picked; wedge: a shaded polygon (k, 2) with its colour;
    diagonal: a dotted line where both are equal; ringed: ids of points that are circled.
    """

    across: Axis
    up: Axis
    clip: tuple[float, float]
    marks: tuple[Mark, ...]
    points: Points
    corners: Corners
    side: str = ""
    legend: bool = True
    square: bool = False
    behind: Behind | None = None
    wedge: tuple[Sequence[tuple[float, float]], str] | None = None
    diagonal: bool = False
    ringed: Collection[str] = field(default=())


def look(n: int) -> tuple[float, float]:
    """Size (pixels) and opacity of a point where n are drawn: smaller and fainter ones where they would lie on each
    other, so that one sees where most of them are.

    >>> look(500), look(20_000)
    ((6.0, 0.62), (3.2, 0.45))
    """
    share = min(1.0, max(0.0, float(np.log(max(n, 1) / FEW) / np.log(8))))
    return round(6 - 2.8 * share, 2), round(0.62 - 0.17 * share, 3)


def data(plane: Plane, dark: bool, height: int) -> dict[str, Any]:
    """What the component draws. height: of the plot itself, pixels.

    ValueError for more marks than a byte can say.
    """
    if len(plane.marks) > MOST_MARKS:
        raise ValueError(f"a plane has at most {MOST_MARKS} marks, not {len(plane.marks)}")
    points = plane.points
    ringed = np.isin(points.ids, list(plane.ringed)) if len(plane.ringed) else np.zeros(len(points.ids), dtype=np.bool_)
    said: dict[str, Any] = {
        "x": packed(points.x, "f4"), "y": packed(points.y, "f4"), "mark": packed(points.mark, "u1"),
        "ids": [str(i) for i in points.ids], "words": _dictionary(points.words),
        "lines": [
            {"label": line.label, "unit": line.unit, "values": packed(line.values, "f4")} for line in points.lines
        ],
    }  # fmt: skip
    said["version"] = hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]  # the same columns are read once
    behind = plane.behind
    return {
        "ink": INK[dark], "faint": FAINT[dark], "height": height,
        "across": _axis(plane.across), "up": _axis(plane.up), "clip": list(plane.clip), "square": plane.square,
        "marks": [vars(mark) for mark in plane.marks], "legend": plane.legend,
        "corners": [vars(corner) for corner in plane.corners], "side": plane.side,
        "wedge": {"path": [list(at) for at in plane.wedge[0]], "colour": plane.wedge[1]} if plane.wedge else None,
        "diagonal": plane.diagonal,
        "behind": {
            "x": packed(behind[0][:, 0], "f4"), "y": packed(behind[0][:, 1], "f4"), "mark": vars(behind[1]),
        } if behind else None,
        "ringed": packed(np.flatnonzero(ringed), "u4"),
        "points": said,
    }  # fmt: skip


def ringed(drawn: Mapping[str, Any], ids: Collection[str]) -> dict[str, Any]:
    """What the component draws (`data`) with other points marked as picked elsewhere. ids: of these."""
    wanted = set(ids)
    here = [place for place, each in enumerate(drawn["points"]["ids"]) if each in wanted] if wanted else []
    return {**drawn, "ringed": packed(np.asarray(here), "u4")}


def packed(values: NDArray[Any], kind: str) -> str:
    """An array as base64 of little-endian numbers.

    >>> packed(np.array([1, 2]), "u1")
    'AQI='
    """
    return b64encode(np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes()).decode()


def _axis(axis: Axis) -> dict[str, Any]:
    return {"title": axis.title, "half": axis.half, "sizeAlone": axis.size_alone}


def _dictionary(words: "NDArray[np.object_] | None") -> dict[str, Any] | None:
    """Texts as the different ones and, for each point, which."""
    if words is None:
        return None
    code, names = pd.factorize(np.asarray(words, dtype=object))
    return {"of": packed(code, "u4"), "names": [str(name) for name in names]}
