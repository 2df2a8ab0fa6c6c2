"""The plane of reasons as a plain Plotly figure: binding across, the larger bias up or down, a point a quad."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.metrics.reasons.names import NAMES
from pages.equivariance.view import DRAWN, QUIET, sample
from pages.shared.drawing.cells import COLOURS
from pages.shared.drawing.plane_notes import BELOW, note

#: Cell -> (colour, plotly symbol): the colours of the bars on Overview and Failures.
LOOKS = {
    "right": (COLOURS["right"], "circle"),
    "outvoted_by_caption": (COLOURS["outvoted_by_caption"], "triangle-up"),
    "outvoted_by_image": (COLOURS["outvoted_by_image"], "diamond"),
    "outvoted_by_both": (COLOURS["outvoted_by_both"], "square"),
    "no_binding": (COLOURS["no_binding"], "x"),
}


def places(frame: pd.DataFrame) -> NDArray[np.float64]:
    """(n, 2): across γ; up |c| where the caption bias is the larger one, else down |r|. So a quad is right exactly
    where it lies farther right than from the middle line."""
    c, r = np.abs(frame["c"].to_numpy(float)), np.abs(frame["r"].to_numpy(float))
    return np.stack([frame["gamma"].to_numpy(float), np.where(c >= r, c, -r)], axis=1)


def halves(points: NDArray[np.float64]) -> tuple[float, float]:
    """Half the width and half the height that show all but the farthest 1 %; the width at least 0.4 of the height."""
    if not len(points):
        return 1.0, 1.0
    across, up = (float(v) * 1.12 for v in np.quantile(np.abs(points), 0.99, axis=0))
    up = up or 1.0
    return max(across, 0.4 * up), up


def shown(frame: pd.DataFrame, whole: pd.DataFrame) -> NDArray[np.float64]:
    """Where points stand: what lies beyond the frame that `whole` gives stands on its border."""
    half = np.array(halves(places(whole)))
    return np.clip(places(frame), -half, half)


def figure(frame: pd.DataFrame, whole: pd.DataFrame, dark: bool, ringed: Collection[str] = ()) -> dict[str, Any]:
    """The plane of one model and kind, item ids in `customdata`. frame: rows of `store.reasons.plane.quads` that are
    shown; whole: all of the model's, which give the axes their scale."""
    at = shown(frame, whole)
    across, up = halves(places(whole))
    ink, faint = ("#e4e7e6", "#39424b") if dark else ("#1e252b", "#d5d9d3")
    drawn = np.zeros(len(frame), dtype=np.bool_)
    drawn[sample(len(frame))] = True
    cell = frame["cell"].to_numpy()
    traces = [_mirror(at[drawn], dark)]
    for name, (colour, symbol) in LOOKS.items():
        own = cell == name
        marker = {"color": colour, "symbol": symbol, "size": 6, "opacity": 0.62}
        traces.append(_points(frame, at, own & drawn) | {"name": f"{NAMES[name]} {int(own.sum()):,}", "marker": marker})
    if len(ringed):
        marked = np.isin(frame["item_id"].to_numpy(), list(ringed)[:DRAWN])
        ring = {"color": ink, "symbol": "circle-open", "size": 12, "line": {"width": 1.6}}
        traces.append(_points(frame, at, marked) | {"name": f"picked {int(marked.sum()):,}", "marker": ring})
    axis = {"zeroline": True, "zerolinecolor": QUIET, "gridcolor": faint, "nticks": 7}
    marks = _marks(up)
    edge = 1.04
    reach = min(across, up) * edge
    right = f"M0,0 L{reach},{reach} L{across * edge},{reach} L{across * edge},{-reach} L{reach},{-reach} Z"
    return {
        "data": traces,
        "layout": {
            "height": 560,
            "margin": {"l": 66, "r": 24, "t": 48, "b": 44 + BELOW},
            "xaxis": axis | {"range": [-across * edge, across * edge],
                             "title": {"text": "binding γ (σ of the model's scores)", "standoff": 6}},
            "yaxis": axis | {"range": [-up * edge, up * edge],
                             "tickvals": marks, "ticktext": [f"{abs(mark):g}" for mark in marks],
                             "title": {"text": "← image |r| · the larger bias (σ) · caption |c| →", "standoff": 10}},
            "shapes": [{"type": "path", "path": right, "layer": "below", "line": {"width": 0},
                        "fillcolor": "rgba(0,158,115,.14)"}],
            "annotations": _notes(ink),
            "showlegend": False,  # the table beside it has the same marks, with their numbers
            "dragmode": "lasso",
        },
    }  # fmt: skip


def _marks(up: float) -> list[float]:
    """Round values on both sides of the middle line.

    >>> _marks(0.55)
    [-0.4, -0.2, 0.0, 0.2, 0.4]
    """
    step = next((size for size in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0) if up / size < 4), 5.0)
    most = int(up / step)
    return [round(k * step, 6) for k in range(-most, most + 1)]


def _mirror(at: NDArray[np.float64], dark: bool) -> dict[str, Any]:
    """Every drawn quad's decoy, faint and not to be picked: the same quad with its binding turned round."""
    look = {"color": "#7c8891" if dark else "#aab2af", "size": 4, "opacity": 0.35}
    return {
        "type": "scatter", "mode": "markers", "x": -at[:, 0], "y": at[:, 1], "hoverinfo": "skip",
        "name": "mirrored: what luck alone would give", "marker": look, "selected": {"marker": {"opacity": 0.35}},
        "unselected": {"marker": {"opacity": 0.35}},
    }  # fmt: skip


def _points(frame: pd.DataFrame, at: NDArray[np.float64], keep: NDArray[np.bool_]) -> dict[str, Any]:
    told = np.empty((int(keep.sum()), 5), dtype=object)  # an array: Plotly looks at each entry of a list
    own = frame[keep]
    told[:, 0] = own["item_id"].to_numpy()
    told[:, 1:4] = own[["gamma", "c", "r"]].to_numpy(float).round(6)
    told[:, 4] = [
        NAMES[cell] + (", order alone does not decide" if nested else "")
        for cell, nested in zip(own["cell"], own["nested"], strict=True)
    ]
    return {
        "type": "scatter", "mode": "markers", "x": at[keep, 0], "y": at[keep, 1], "customdata": told,
        "hovertemplate": "<b>%{customdata[0]}</b><br>%{customdata[4]}<br>binding γ = %{customdata[1]:.3g} σ<br>"
        "caption bias c = %{customdata[2]:.3g} σ<br>image bias r = %{customdata[3]:.3g} σ<extra></extra>",
    }  # fmt: skip


def _notes(ink: str) -> list[dict[str, Any]]:
    """What each part of the plane means, written around it."""
    right = {
        "xref": "paper", "yref": "paper", "x": 1, "y": 0.5, "xanchor": "left", "yanchor": "middle", "showarrow": False,
        "text": "right: binding beats both biases", "textangle": 90, "font": {"size": 11.5, "color": ink},
    }  # fmt: skip
    return [
        note("no binding seen", 0, 1, ink), note("↑ binds, but one caption gets more under both images", 1, 1, ink),
        note("↓ binds, but one image gets more with both captions", 1, 0, ink), right,
    ]  # fmt: skip
