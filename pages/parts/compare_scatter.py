"""Margins of A against those of B: four quadrants of right and wrong, for a lasso."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from backend.store.queries import Shared
from pages.parts.colours import RIGHT, WRONG
from pages.parts.compare_sides import Named
from pages.parts.compare_view import QUIET
from pages.parts.tips import kind_unit

#: More points than that are thinned, evenly over the verdicts.
MOST = 4000


def spec(found: Shared, named: Sequence[Named], dark: bool) -> dict[str, Any]:
    """A plane of the first two sides; item ids in `customdata`. What lies beyond the frame stands on its border."""
    keep = thinned(len(found))
    x, y = found.margin[keep, 0], found.margin[keep, 1]
    ids, concepts = found.frame["item_id"].to_numpy()[keep], found.frame["concept"].to_numpy()[keep]
    right = found.correct[keep]
    ink, faint = ("#e4e7e6", "#39424b") if dark else ("#1e252b", "#d5d9d3")
    paper = "rgba(20,24,28,.82)" if dark else "rgba(253,253,251,.85)"
    ends = [_reach(x), _reach(y)]
    kinds = (
        ("both right", right[:, 0] & right[:, 1], RIGHT, "circle"),
        (f"only {named[0].label} right", right[:, 0] & ~right[:, 1], named[0].colour, "triangle-down"),
        (f"only {named[1].label} right", ~right[:, 0] & right[:, 1], named[1].colour, "triangle-up"),
        ("both wrong", ~right[:, 0] & ~right[:, 1], WRONG, "x"),
    )
    traces = [
        {
            "type": "scattergl", "mode": "markers", "name": f"{name}  {int(inside.sum()):,}",
            # Arrays, not lists: Plotly checks a list point by point, five times as long.
            "x": np.clip(x[inside], -ends[0], ends[0]), "y": np.clip(y[inside], -ends[1], ends[1]),
            "customdata": np.column_stack([ids[inside], concepts[inside]]).astype(str).astype(object),
            "marker": {"color": colour, "symbol": symbol, "size": 6.5, "opacity": 0.65},
            "hovertemplate": "%{customdata[0]} · %{customdata[1]}<br>A %{x:.3g}, B %{y:.3g}<extra></extra>",
        }
        for name, inside, colour, symbol in kinds
    ]  # fmt: skip
    n = max(1, len(found))
    corners = (
        (0.985, 0.985, "right", "top", "both right", found.correct[:, 0] & found.correct[:, 1]),
        (0.985, 0.015, "right", "bottom", "only A right", found.correct[:, 0] & ~found.correct[:, 1]),
        (0.015, 0.985, "left", "top", "only B right", ~found.correct[:, 0] & found.correct[:, 1]),
        (0.015, 0.015, "left", "bottom", "both wrong", ~found.correct[:, 0] & ~found.correct[:, 1]),
    )
    notes = [
        {"xref": "paper", "yref": "paper", "x": at, "y": up, "xanchor": xa, "yanchor": ya, "showarrow": False,
         "text": f"{words}<br><b>{100 * int(inside.sum()) / n:.0f} %</b>", "align": xa, "bgcolor": paper,
         "borderpad": 3, "font": {"size": 12.5, "color": ink}}
        for at, up, xa, ya, words, inside in corners
    ]  # fmt: skip

    def axis(k: int) -> dict[str, Any]:
        letter = "AB"[k]
        unit = kind_unit(named[k].side.setting.kind)
        return {"range": [-ends[k] * 1.03, ends[k] * 1.03], "zeroline": True, "zerolinecolor": QUIET,
                "zerolinewidth": 1.6, "gridcolor": faint, "nticks": 7,
                "title": {"text": f"margin of {letter}, {plain_html(named[k].label)} ({unit})"}}  # fmt: skip

    for trace in traces:
        trace["name"] = plain_html(str(trace["name"]))
    return {
        "data": traces,
        "layout": {
            "height": 520, "margin": {"l": 62, "r": 40, "t": 8, "b": 92}, "xaxis": axis(0), "yaxis": axis(1),
            "annotations": notes, "legend": {"orientation": "h", "y": -0.14, "yanchor": "top", "x": 0},
            "modebar": {"orientation": "v"}, "dragmode": "lasso",
        },
    }  # fmt: skip


def selected_items(selection: Any) -> list[str]:
    """Item ids of a Plotly selection, each once, in the order in which they come.

    >>> selected_items({"points": [{"customdata": ["a/1", "x"]}, {"customdata": ["a/1", "x"]}, {}]})
    ['a/1']
    """
    points = selection.get("points", []) if isinstance(selection, Mapping) else []
    return list(dict.fromkeys(point["customdata"][0] for point in points if point.get("customdata")))


def plain_html(text: str) -> str:
    """A name for Plotly's texts, which read a little HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def thinned(n: int) -> slice:
    """Every k-th verdict, so that at most MOST are drawn.

    >>> thinned(100), thinned(10_000)
    (slice(None, None, 1), slice(None, None, 3))
    """
    return slice(None, None, max(1, -(-n // MOST)))


def _reach(values: "np.ndarray[Any, Any]") -> float:
    known = np.abs(values[np.isfinite(values)])
    return float(np.quantile(known, 0.995)) * 1.08 if len(known) and known.max() > 0 else 1.0
