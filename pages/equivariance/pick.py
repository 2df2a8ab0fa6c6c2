"""Which quads lie where in the plane (s22 − s21, s11 − s12): inside a drawn lasso or box, or in a quadrant.

A lasso is answered from all quads and not from the points that happen to be drawn.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Points = NDArray[np.float64]

#: Part of the plane → what it means.
PARTS = {
    "swapped": "both captions swapped",
    "caption1": "caption 1 wins both",
    "caption2": "caption 2 wins both",
    "collapsed": "nearest the origin",
    "right": "both captions right",
}


def plane(frame: pd.DataFrame) -> Points:
    """(n, 2): across s22 − s21, what image 2 makes of its captions; up s11 − s12, what image 1 makes of its own."""
    return np.stack([(frame["s22"] - frame["s21"]).to_numpy(float), (frame["s11"] - frame["s12"]).to_numpy(float)], 1)


def half_of(points: Points) -> float:
    """Half the width of a square frame around the origin that shows all but the farthest 1 %."""
    known = np.abs(points[np.isfinite(points)])
    return float(np.quantile(known, 0.99)) * 1.12 if known.size and known.max() > 0 else 1.0


def inside(points: Points, xs: Sequence[float], ys: Sequence[float]) -> NDArray[np.bool_]:
    """Which points lie inside a polygon, by the even-odd rule; (n,), False for NaN.

    >>> inside(np.array([[0.5, 0.5], [2.0, 0.5]]), [0, 1, 1, 0], [0, 0, 1, 1]).tolist()
    [True, False]
    """
    x, y = points[:, 0], points[:, 1]
    found = np.zeros(len(points), dtype=np.bool_)
    ax, ay = np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
    bx, by = np.roll(ax, -1), np.roll(ay, -1)
    for x1, y1, x2, y2 in zip(ax, ay, bx, by, strict=True):
        if y1 != y2:
            crosses = (y1 > y) != (y2 > y)
            found ^= crosses & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return found


def caught(places: Points, selection: Mapping[str, Any]) -> NDArray[np.bool_] | None:
    """Which places (n, 2), as they are drawn, lie inside the lassos and boxes of a selection; None for none."""
    if not (selection.get("lasso") or selection.get("box")):
        return None
    hit = np.zeros(len(places), dtype=np.bool_)
    for area in selection.get("lasso") or ():
        hit |= inside(places, area["x"], area["y"])
    for area in selection.get("box") or ():
        (x1, x2), (y1, y2) = sorted(area["x"]), sorted(area["y"])
        hit |= (places[:, 0] >= x1) & (places[:, 0] <= x2) & (places[:, 1] >= y1) & (places[:, 1] <= y2)
    return hit


def selected(frame: pd.DataFrame, selection: Mapping[str, Any], whole: pd.DataFrame | None = None) -> list[str]:
    """Item ids of a selection (`canvas.selection`): all quads inside its lassos and boxes. whole: the quads that gave
    the frame its scale, where these are others."""
    points = plane(frame)
    half = half_of(points if whole is None else plane(whole))
    shown = np.clip(points, -half, half)  # what lies beyond the frame stands on its border
    return picked_ids(frame["item_id"].to_numpy(), shown, selection)


def picked_ids(ids: NDArray[Any], places: Points, selection: Mapping[str, Any]) -> list[str]:
    """The same where each item of ids (n,) stands at its place (n, 2), as it is drawn."""
    hit = caught(places, selection)
    return [] if hit is None else [str(i) for i in ids[hit]]


def in_part(frame: pd.DataFrame, part: str) -> pd.DataFrame:
    """The quads in a part of the plane, the clearest first: farthest into a quadrant, or nearest to the origin."""
    across, up = plane(frame).T
    known = np.isfinite(across) & np.isfinite(up)
    if part == "collapsed":
        far = np.maximum(np.abs(across), np.abs(up))
        return frame.iloc[np.argsort(np.where(known, far, np.inf), kind="stable")[: int(known.sum())]]
    keep = _quadrants(across, up)[part] & known
    depth = np.minimum(np.abs(across), np.abs(up))
    order = np.flatnonzero(keep)
    return frame.iloc[order[np.argsort(-depth[order], kind="stable")]]


def shares(frame: pd.DataFrame) -> dict[str, float]:
    """The share of the quads with a place in each quadrant; zeros without any."""
    across, up = plane(frame).T
    known = np.isfinite(across) & np.isfinite(up)
    n = max(1, int(known.sum()))
    return {part: int((keep & known).sum()) / n for part, keep in _quadrants(across, up).items()}


def _quadrants(across: NDArray[np.float64], up: NDArray[np.float64]) -> dict[str, NDArray[np.bool_]]:
    """A comparison that ties is no win, so a border belongs to the caption that the image does not prefer."""
    return {
        "right": (across > 0) & (up > 0),
        "caption1": (across <= 0) & (up > 0),
        "caption2": (across > 0) & (up <= 0),
        "swapped": (across <= 0) & (up <= 0),
    }
