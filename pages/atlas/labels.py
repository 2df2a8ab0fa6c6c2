"""Where the names in the Atlas' plane stand: near their points, off each other, off marks and arrows as far as it goes.

The server does not know at which width the plane is drawn, so a place has to do at two of them: a narrow page's and a
wide one's. Everything is in pixels from the point.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: Widths of the drawing area in pixels for which a place has to do, and its height.
WIDTHS: Final = (480.0, 920.0)
HIGH: Final = 460.0
#: Of a letter's width and a line's height at the size of the names.
LETTER, LINE = 6.6, 16.0
#: Nearest edge of a name to its point, and in how many directions it is tried.
_REACHES: Final = (10.0, 18.0, 30.0, 46.0, 66.0, 90.0, 120.0)
_TURNS: Final = 16
#: Farther off than this, a thin line leads from a name to its point.
LEADER: Final = 12.0
#: What it costs to stand on a name, outside, on a mark, on a point of a line or of what leads to a name, and to be 100
#: pixels away. A mark that is hidden is worse than a name that is a little farther off.
_ON_NAME, _OUTSIDE, _ON_MARK, _ON_LINE, _ON_LEADER, _AWAY = 1000.0, 400.0, 4.0, 0.6, 4.0, 8.0
#: Points along a line that leads to a name.
_STEPS: Final = np.linspace(0.0, 1.0, 24)[:, None]


@dataclass(frozen=True)
class Name:
    """at: (2,) of its point, in the axes' units. gap: pixels that its mark needs."""

    at: Floats
    text: str
    gap: float = 0.0


@dataclass(frozen=True)
class Place:
    """The middle of a name, pixels to the right of its point and above it. leads: whether a line is needed."""

    right: float
    up: float
    leads: bool


def places(names: Sequence[Name], marks: Floats, lines: Floats, low: Floats, high: Floats) -> list[Place]:
    """One for each name, in their order: the first ones have the first choice, and none is left out.

    marks: (n, 2) all points; lines: (m, 2) points along arrows and other lines; low, high: (2,) ends of the axes.

    >>> two = [Name(np.array([5.0, 5.0]), "a"), Name(np.array([5.0, 5.0]), "b")]
    >>> nothing = np.zeros((0, 2))
    >>> found = places(two, nothing, nothing, np.zeros(2), np.full(2, 10.0))
    >>> (found[0].right, found[0].up) != (found[1].right, found[1].up)
    True
    """
    frames = [np.array([wide, HIGH]) / np.maximum(high - low, 1e-9) for wide in WIDTHS]
    taken: list[list[tuple[Floats, Floats]]] = [[] for _ in frames]
    leading = [np.zeros((0, 2)) for _ in frames]
    found = []
    for name in names:
        half = np.array([LETTER * len(name.text), LINE]) / 2
        tried = _candidates(half, name.gap)
        cost = np.array([_AWAY * reach / 100 for _, reach in tried])
        is_led = np.array([reach - name.gap > LEADER for _, reach in tried])
        for frame, boxes, led in zip(frames, taken, leading, strict=True):
            point = (name.at - low) * frame
            middles = point + np.array([offset for offset, _ in tried])
            ends = (high - low) * frame
            cost += _OUTSIDE * ((middles - half < 0) | (middles + half > ends)).any(axis=1)
            cost += _ON_MARK * _inside(middles, half + 4, (marks - low) * frame)
            cost += _ON_LINE * _inside(middles, half + 1, (lines - low) * frame)
            cost += _ON_LEADER * _inside(middles, half + 1, led)
            steps = point + _STEPS * (middles - point)[:, None]  # (k, steps, 2)
            for middle, other in boxes:
                cost += _ON_NAME * (np.abs(middles - middle) < half + other + 1).all(axis=1)
                cost += _ON_LEADER * is_led * (np.abs(steps - middle) < other + 2).all(axis=2).sum(axis=1)
        best = int(np.argmin(cost))
        offset, _ = tried[best]
        for k, frame in enumerate(frames):
            point = (name.at - low) * frame
            taken[k].append((point + offset, half))
            if is_led[best]:
                leading[k] = np.vstack([leading[k], point + _STEPS * offset])
        found.append(Place(float(offset[0]), float(offset[1]), bool(is_led[best])))
    return found


def along(start: Floats, end: Floats, n: int = 60) -> Floats:
    """(n, 2) points of a line, for `places`."""
    return np.asarray(start + (end - start) * np.linspace(0, 1, n)[:, None], dtype=np.float64)


def _candidates(half: Floats, gap: float) -> list[tuple[Floats, float]]:
    """Middles of a name around its point, with how far its nearest edge is from it: above first, then on both sides."""
    found = []
    for reach in _REACHES:
        for turn in sorted(range(_TURNS), key=lambda k: abs(k - _TURNS / 4)):
            way = np.array([np.cos(2 * np.pi * turn / _TURNS), np.sin(2 * np.pi * turn / _TURNS)])
            # So far that the box, pushed along `way`, only just leaves a square of this reach around the point.
            push = min((half[k] + reach + gap) / abs(way[k]) if abs(way[k]) > 1e-9 else np.inf for k in (0, 1))
            found.append((way * push, reach + gap))
    return found


def _inside(middles: Floats, half: Floats, points: Floats) -> Floats:
    """(k,) how many points stand in each box."""
    if not len(points):
        return np.zeros(len(middles))
    across, up = (np.abs(points[None, :, k] - middles[:, None, k]) < half[k] for k in (0, 1))
    return np.asarray((across & up).sum(axis=1), dtype=np.float64)
