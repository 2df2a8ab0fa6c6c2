"""What the Equivariance page draws, as plain chart specifications: violins of deviations, the plane of the two rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import gaussian_kde

from pages.parts.colours import NEAR, RIGHT, WRONG
from pages.parts.numbers import score

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


def classes(text: Sequence[bool], image: Sequence[bool]) -> NDArray[np.str_]:
    """Which verdict each quad gets, as a key of `CLASSES`.

    >>> classes([True, True, False, False], [True, False, True, False]).tolist()
    ['group', 'text', 'image', 'none']
    """
    t, i = np.asarray(text, dtype=bool), np.asarray(image, dtype=bool)
    return np.where(t & i, "group", np.where(t, "text", np.where(i, "image", "none")))


def density(values: NDArray[np.float64], low: float, high: float, points: int = 81) -> NDArray[np.float64]:
    """A density on an even grid over [low, high], its height scaled to 1; zeros where there is nothing to smooth."""
    grid = np.linspace(low, high, points)
    known = values[np.isfinite(values)]
    if len(known) < 3 or float(np.ptp(known)) == 0:
        return np.where(
            np.abs(grid - (known[0] if len(known) else 0)) <= (high - low) / points, float(len(known) > 0), 0
        )
    found = gaussian_kde(np.clip(known, low, high))(grid)
    return np.asarray(found / found.max(), dtype=np.float64)


def reach(frame: pd.DataFrame, column: str) -> float:
    """Half the width of an axis that shows all but the farthest 2 %."""
    known = np.abs(frame[column].to_numpy(dtype=np.float64))
    known = known[np.isfinite(known)]
    return float(np.quantile(known, 0.98)) * 1.1 if len(known) and known.max() > 0 else 1.0


def violins(
    frame: pd.DataFrame,
    column: str,
    models: Sequence[str],
    names: Mapping[str, str],
    colours: Mapping[str, str],
    *,
    title: str,
    unit: str,
    absolute: bool,
    labels: bool,
) -> dict[str, Any]:
    """One panel: a violin a model of one deviation, with its median; zero is perfectly equivariant."""
    half = reach(frame, column)
    low, high = (0.0, half) if absolute else (-half, half)
    grid = np.linspace(low, high, 81)
    shapes: list[dict[str, Any]] = []
    middles: list[dict[str, Any]] = []
    for row, model in enumerate(models):
        values = frame.loc[frame["model"] == model, column].to_numpy(dtype=np.float64)
        values = np.abs(values) if absolute else values
        known = values[np.isfinite(values)]
        if not len(known):
            continue
        height = density(values, low, high) * 0.42
        base = {"model": names[model], "at": -row}
        shapes += [base | {"x": float(x), "up": -row + float(h), "down": -row - float(h)}
                   for x, h in zip(grid, height, strict=True)]  # fmt: skip
        q1, q2, q3 = (float(q) for q in np.quantile(np.clip(known, low, high), (0.25, 0.5, 0.75)))
        size = float(np.abs(known).mean())
        middles.append(base | {"q1": q1, "median": q2, "q3": q3, "n": len(known), "mean": score(size)})
    scale = {"domain": [names[m] for m in models], "range": [colours[m] for m in models]}
    colour = {"field": "model", "type": "nominal", "scale": scale, "legend": None}
    tooltip = [
        {"field": "model", "title": "model"},
        {"field": "median", "title": "median", "format": ".3~g"},
        {"field": "mean", "title": "mean |deviation|"},
        {"field": "n", "title": "quads"},
    ]
    y = {
        "type": "quantitative",
        "scale": {"domain": [-len(models) + 0.5, 0.55]},
        "axis": _names([names[m] for m in models]) if labels else None,
    }
    x = {
        "type": "quantitative",
        "scale": {"domain": [low, high], "nice": False},
        "axis": {"tickCount": 3, "title": unit},
    }
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 13, "fontWeight": 600, "offset": 6},
        "width": "container",
        "height": 46 * len(models) + 8,
        "layer": [
            {"data": {"values": [{"x": 0}]}, "mark": {"type": "rule", "color": QUIET, "strokeWidth": 1},
             "encoding": {"x": {"field": "x", **x}}},
            {"data": {"values": shapes}, "mark": {"type": "area", "opacity": 0.5, "line": False, "clip": True},
             "encoding": {"x": {"field": "x", **x}, "y": {"field": "up", **y}, "y2": {"field": "down"}, "color": colour,
                          "detail": {"field": "model"}}},
            {"data": {"values": middles}, "mark": {"type": "rule", "strokeWidth": 3, "clip": True},
             "encoding": {"x": {"field": "q1", **x}, "x2": {"field": "q3"}, "y": {"field": "at", **y},
                          "color": colour}},
            {"data": {"values": middles}, "mark": {"type": "point", "filled": True, "size": 52, "opacity": 1,
                                                  "stroke": "white", "strokeWidth": 1.2, "clip": True},
             "encoding": {"x": {"field": "median", **x}, "y": {"field": "at", **y}, "color": colour,
                          "tooltip": tooltip}},
        ],
    }  # fmt: skip


def _names(shown: Sequence[str]) -> dict[str, Any]:
    words = "[" + ", ".join("'" + name.replace("'", "’") + "'" for name in shown) + "]"
    return {
        "values": [-k for k in range(len(shown))],
        "labelExpr": f"{words}[-datum.value]",
        "title": None,
        "grid": False,
        "ticks": False,
        "domain": False,
        "labelLimit": 150,
        "labelFontSize": 13,
    }


def scatter(frame: pd.DataFrame, unit: str, dark: bool) -> dict[str, Any]:
    """The plane of the two rows for one model: (s22 − s21, s11 − s12), item ids in `customdata`.

    Upper right: both images prefer their own caption. On the diagonal: equivariant. At the origin: collapsed.
    """
    across, up = frame["s22"] - frame["s21"], frame["s11"] - frame["s12"]
    sizes = np.abs(np.concatenate([across, up]))
    known = sizes[np.isfinite(sizes)]
    half = float(np.quantile(known, 0.99)) * 1.12 if len(known) and known.max() > 0 else 1.0
    ink, faint = ("#e4e7e6", "#39424b") if dark else ("#1e252b", "#d5d9d3")
    paper = "rgba(20,24,28,.82)" if dark else "rgba(253,253,251,.85)"
    which = classes(list(frame["text_score"].fillna(False)), list(frame["image_score"].fillna(False)))
    traces: list[dict[str, Any]] = []
    for key, (words, colour, symbol) in CLASSES.items():
        chosen = frame[which == key]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": f"{words}  {len(chosen)}",
                "x": (chosen["s22"] - chosen["s21"]).clip(-half, half).tolist(),
                "y": (chosen["s11"] - chosen["s12"]).clip(-half, half).tolist(),
                "customdata": [[i, s] for i, s in zip(chosen["item_id"], chosen["subset"], strict=True)],
                "marker": {"color": colour, "symbol": symbol, "size": 7, "opacity": 0.7,
                           "line": {"width": 0.6, "color": "#14181c" if dark else "#ffffff"}},
                "hovertemplate": "%{customdata[0]}<br>s22 − s21 = %{x:.3g}<br>s11 − s12 = %{y:.3g}<extra></extra>",
            }
        )  # fmt: skip
    total = max(1, int((np.isfinite(across) & np.isfinite(up)).sum()))
    corners = (
        (0.985, 0.985, "right", "top", "both captions right", (across > 0) & (up > 0)),
        (0.015, 0.985, "left", "top", "caption 1 wins both", (across <= 0) & (up > 0)),
        (0.985, 0.015, "right", "bottom", "caption 2 wins both", (across > 0) & (up <= 0)),
        (0.015, 0.015, "left", "bottom", "both swapped", (across <= 0) & (up <= 0)),
    )
    notes = [
        {"xref": "paper", "yref": "paper", "x": x, "y": y, "xanchor": xa, "yanchor": ya, "showarrow": False,
         "text": f"{text}<br><b>{100 * int(inside.sum()) / total:.0f} %</b>", "align": xa,
         "bgcolor": paper, "borderpad": 3, "font": {"size": 12.5, "color": ink}}
        for x, y, xa, ya, text, inside in corners
    ]  # fmt: skip
    notes.append({"x": half * 0.62, "y": half * 0.62, "text": "equivariant", "showarrow": False, "textangle": -45,
                  "yshift": 11, "font": {"size": 11.5, "color": QUIET}})  # fmt: skip
    axis = {"range": [-half, half], "zeroline": True, "zerolinecolor": QUIET, "gridcolor": faint, "nticks": 7}
    return {
        "data": traces,
        "layout": {
            "height": 560,
            "margin": {"l": 62, "r": 40, "t": 8, "b": 92},
            "xaxis": axis | {"title": {"text": f"s22 − s21 ({unit})"}},
            "yaxis": axis | {"title": {"text": f"s11 − s12 ({unit})"}, "scaleanchor": "x"},
            "shapes": [{"type": "line", "x0": -half, "y0": -half, "x1": half, "y1": half, "layer": "below",
                        "line": {"dash": "dot", "width": 1.4, "color": QUIET}}],
            "annotations": notes,
            "legend": {"orientation": "h", "y": -0.13, "yanchor": "top", "x": 0, "font": {"size": 12.5}},
            "modebar": {"orientation": "v"},
            "dragmode": "lasso",
        },
    }  # fmt: skip


def selected_items(selection: Any) -> list[str]:
    """Item ids of a Plotly selection, in the order in which they come; selections are positions, ids are customdata."""
    points = (selection or {}).get("points", []) if isinstance(selection, Mapping) else []
    found = [point["customdata"][0] for point in points if point.get("customdata")]
    return list(dict.fromkeys(found))
