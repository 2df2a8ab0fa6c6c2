"""The plane of Equivariance as a plain Plotly figure: (s22 − s21, s11 − s12), a point a quad."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend import written
from pages.equivariance.pick import half_of, plane, shares
from pages.shared.drawing.colours import NEAR, RIGHT, WRONG
from pages.shared.drawing.plane_notes import ABOVE, BELOW, corners

#: Column of the frame → (title, formula).
MEASURES = {
    "v1": ("v1", "s12 − s21"),
    "v2_text": ("v2, text side", "(s11 − s12) − (s22 − s21)"),
    "v2_image": ("v2, image side", "(s11 − s21) − (s22 − s12)"),
}
#: Verdict of a quad → (words, colour, plotly symbol).
CLASSES = {
    "group": ("group ✓", RIGHT, "circle"),
    "text": ("text ✓ image ✗", NEAR, "diamond"),
    "image": ("text ✗ image ✓", "#56b4e9", "triangle-up"),
    "none": ("both ✗", WRONG, "x"),
}
QUIET = "#8a949c"
#: So many points are drawn; of more quads a sample stands on a density of them all, and that is said.
DRAWN = 2400
CELLS = 72


def classes(text: Sequence[bool], image: Sequence[bool]) -> NDArray[np.str_]:
    """Which verdict each quad gets, as a key of `CLASSES`.

    >>> classes([True, True, False, False], [True, False, True, False]).tolist()
    ['group', 'text', 'image', 'none']
    """
    t, i = np.asarray(text, dtype=bool), np.asarray(image, dtype=bool)
    return np.where(t & i, "group", np.where(t, "text", np.where(i, "image", "none")))


def sample(n: int, most: int = DRAWN, seed: int = 0) -> NDArray[np.intp]:
    """Positions of the quads that are drawn, ascending: all, or an even sample of `most`.

    >>> len(sample(10)), len(sample(50_000))
    (10, 2400)
    """
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def scatter(
    frame: pd.DataFrame, unit: str, dark: bool, ringed: Collection[str] = (), whole: pd.DataFrame | None = None
) -> dict[str, Any]:
    """The plane for one model and kind, item ids in `customdata`. ringed: items that were picked in another plane.
    whole: all quads of the model, where `frame` is one category of them: they give the axes their scale and lie faint
    behind, so that a cloud that has collapsed does not look like a healthy one.

    Upper right: both images prefer their own caption. On the diagonal: equivariant. At the origin: collapsed.
    """
    points = plane(frame)
    half = half_of(points if whole is None else plane(whole))
    places = np.clip(points, -half, half)
    ink, faint = ("#e4e7e6", "#39424b") if dark else ("#1e252b", "#d5d9d3")
    which = classes(list(frame["text_score"].fillna(False)), list(frame["image_score"].fillna(False)))
    chosen = np.zeros(len(frame), dtype=np.bool_)
    chosen[sample(len(frame))] = True
    traces = [] if whole is None else [_others(frame, whole, half, dark)]
    traces += [_density(places, half, dark)] if len(frame) > DRAWN else []
    ids = frame["item_id"].to_numpy(dtype=object)
    for key, (words, colour, symbol) in CLASSES.items():
        own = which == key
        traces.append(
            _points(places, points, ids, own & chosen)
            | {"name": f"{words} {int(own.sum()):,}", "marker": {"color": colour, "symbol": symbol, "size": 6,
                                                               "opacity": 0.62}}
        )  # fmt: skip
    if len(ringed):
        marked = np.isin(ids, list(ringed)[:2000])
        ring = {"color": ink, "symbol": "circle-open", "size": 12, "line": {"width": 1.6}}
        traces.append(_points(places, points, ids, marked) | {"name": f"picked {int(marked.sum()):,}",
                                                                      "marker": ring})  # fmt: skip
    edge = half * 1.04
    axis = {"range": [-edge, edge], "zeroline": True, "zerolinecolor": QUIET, "gridcolor": faint, "nticks": 5}
    return {
        "data": traces,
        "layout": {
            "height": 400 + ABOVE + BELOW,
            "margin": {"l": 62, "r": 8, "t": ABOVE, "b": 84 + BELOW},
            "xaxis": axis | {"title": {"text": f"image 2: s22 − s21 ({unit})", "standoff": 6}},
            "yaxis": axis | {"title": {"text": f"image 1: s11 − s12 ({unit})", "standoff": 14}, "scaleanchor": "x"},
            "shapes": [{"type": "line", "x0": -edge, "y0": -edge, "x1": edge, "y1": edge, "layer": "below",
                        "line": {"dash": "dot", "width": 1.4, "color": QUIET}}],
            "annotations": _quadrants(shares(frame), ink),
            "legend": {"orientation": "h", "y": -0.27, "yanchor": "top", "x": 0, "font": {"size": 11}},
            "dragmode": "lasso",
        },
    }  # fmt: skip


def _others(frame: pd.DataFrame, whole: pd.DataFrame, half: float, dark: bool) -> dict[str, Any]:
    """The other quads of the model, faint and not to be picked; at most DRAWN of them, drawn at random."""
    rest = whole[~whole["item_id"].isin(frame["item_id"])]
    places = np.clip(plane(rest), -half, half)[sample(len(rest))]
    return {
        "type": "scatter", "mode": "markers", "x": places[:, 0], "y": places[:, 1], "hoverinfo": "skip",
        "name": f"other quads {len(rest):,}", "selected": {"marker": {"opacity": 0.3}},
        "unselected": {"marker": {"opacity": 0.3}},
        "marker": {"color": "#6d7983" if dark else "#b4bcb9", "size": 4, "opacity": 0.3},
    }  # fmt: skip


def _points(
    places: NDArray[np.float64], exact: NDArray[np.float64], ids: Any, keep: NDArray[np.bool_]
) -> dict[str, Any]:
    """A trace of markers; hovering says the exact place, also of what stands on the border."""
    told = np.empty((int(keep.sum()), 3), dtype=object)  # an array: Plotly looks at each entry of a list
    told[:, 0], told[:, 1:] = ids[keep], exact[keep].round(6)
    return {
        "type": "scatter", "mode": "markers", "x": places[keep, 0], "y": places[keep, 1], "customdata": told,
        "hovertemplate": "%{customdata[0]}<br>s22 − s21 = %{customdata[1]:.3g}<br>s11 − s12 = %{customdata[2]:.3g}"
        "<extra></extra>",
    }  # fmt: skip


def _density(places: NDArray[np.float64], half: float, dark: bool) -> dict[str, Any]:
    """How many of all quads lie in each cell of a grid, on a logarithmic scale of one grey."""
    known = places[np.isfinite(places).all(axis=1)]
    counts, _, _ = np.histogram2d(known[:, 1], known[:, 0], bins=CELLS, range=[[-half, half]] * 2)
    centres = ((np.arange(CELLS) + 0.5) / CELLS * 2 - 1) * half
    grey = "160,172,182" if dark else "70,82,92"
    return {
        "type": "heatmap", "x": centres, "y": centres, "z": np.log1p(counts).astype(np.float32),
        "customdata": counts.astype(np.int32), "showscale": False, "hoverinfo": "skip",
        "colorscale": [[0, f"rgba({grey},0)"], [1, f"rgba({grey},.75)"]],
    }  # fmt: skip


def _quadrants(share: dict[str, float], ink: str) -> list[dict[str, Any]]:
    """What each part of the plane means, and how much of it there is, written around it."""
    parts = {"caption1": "caption 1 wins both", "right": "both right", "swapped": "both swapped",
             "caption2": "caption 2 wins both"}  # fmt: skip
    return corners(
        [f"{words}<br><b>{written.percent(share[part], digits=0)}</b>" for part, words in parts.items()], ink
    )
