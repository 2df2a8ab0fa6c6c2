"""Margins of A against those of B: four quadrants of right and wrong, for a lasso."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend import written
from backend.store.queries import Shared
from pages.compare.sides import Named
from pages.equivariance.pick import caught
from pages.shared.data.frames import titles
from pages.shared.drawing import signs
from pages.shared.drawing.plane_notes import ABOVE, BELOW, corners
from pages.shared.frame.tips import margin_unit

#: So many points are drawn at most; of more verdicts a sample of the items, and that is said.
MOST = 6000
Ends = tuple[float, float]


def spec(found: Shared, named: Sequence[Named], dark: bool, ends: Ends) -> dict[str, Any]:
    """A plane of the first two sides; item ids in `customdata`. What lies beyond the frame (`ends`) stands on its
    border. Legend and corners count every verdict, drawn or not."""
    keep = drawn(found.frame["item_id"].to_numpy())
    x, y = found.margin[:, 0], found.margin[:, 1]
    ids, concepts = found.frame["item_id"].to_numpy(), found.frame["concept"].to_numpy()
    a, b = found.correct[:, 0], found.correct[:, 1]
    ink, faint = ("#e4e7e6", "#39424b") if dark else ("#1e252b", "#d5d9d3")
    grey = "#9aa5af" if dark else "#6d7781"
    names = [plain_html(entry.label) for entry in named[:2]]
    # What both have right or both wrong says nothing on who is better: only the rest is coloured as gain and loss.
    kinds = (
        ("both right", "both right", a & b, grey, "circle", 0.45),
        ("both wrong", "both wrong", ~a & ~b, grey, "x-thin-open", 0.7),
        (f"{signs.DOWN} only {names[0]} right", "only A right", a & ~b, signs.LOSS, "triangle-down", 0.75),
        (f"{signs.UP} only {names[1]} right", "only B right", ~a & b, signs.GAIN, "triangle-up", 0.75),
    )
    traces = [
        {
            "type": "scattergl", "mode": "markers", "name": f"{name}  {int(inside.sum()):,}",
            # Arrays, not lists: Plotly checks a list point by point, five times as long.
            "x": np.clip(x[inside & keep], -ends[0], ends[0]), "y": np.clip(y[inside & keep], -ends[1], ends[1]),
            "customdata": _told(ids[inside & keep], concepts[inside & keep]),
            "marker": {"color": colour, "symbol": symbol, "size": 6.5, "opacity": opacity, "line": {"color": colour}},
            "hovertemplate": "%{customdata[0]} · %{customdata[1]}<br>A %{x:.3g}, B %{y:.3g}<extra></extra>",
        }
        for name, _, inside, colour, symbol, opacity in kinds
    ]  # fmt: skip
    n = max(1, len(found))
    share = {words: f"{words}<br><b>{written.percent(int(inside.sum()) / n)}</b> · {int(inside.sum()):,}"
             for _, words, inside, *_ in kinds}  # fmt: skip
    notes = corners([share[words] for words in ("only B right", "both right", "both wrong", "only A right")], ink, 12.5)

    def axis(k: int) -> dict[str, Any]:
        letter = "AB"[k]
        unit = margin_unit(named[k].side.setting.kind)
        return {"range": [-ends[k] * 1.03, ends[k] * 1.03], "zeroline": True, "zerolinecolor": signs.QUIET,
                "zerolinewidth": 1.6, "gridcolor": faint, "nticks": 7,
                "title": {"text": f"margin of {letter}, {names[k]} ({unit})"}}  # fmt: skip

    return {
        "data": traces,
        "layout": {
            "height": 520 + ABOVE + BELOW, "margin": {"l": 62, "r": 40, "t": ABOVE, "b": 92 + BELOW},
            "xaxis": axis(0), "yaxis": axis(1),
            "annotations": notes, "legend": {"orientation": "h", "y": -0.2, "yanchor": "top", "x": 0},
            "modebar": {"orientation": "v"}, "dragmode": "lasso",
        },
    }  # fmt: skip


def ends_of(found: Shared) -> Ends:
    """How far the frame reaches on either side of zero, for A and for B: all but the farthest margins of these
    verdicts. It is taken from the whole benchmark, so that choosing a subset does not stretch a model's margins."""
    return _reach(found.margin[:, 0]), _reach(found.margin[:, 1])


def selected(found: Shared, selection: Any, ends: Ends) -> list[str]:
    """Item ids of a Plotly selection, each once: every verdict inside its lassos and boxes, drawn or not; else the
    points that were clicked."""
    if not isinstance(selection, Mapping):
        return []
    hit = caught(np.clip(found.margin[:, :2], [-ends[0], -ends[1]], ends), selection)
    if hit is not None:
        return [str(i) for i in dict.fromkeys(found.frame["item_id"].to_numpy()[hit])]
    points = selection.get("points", [])
    return list(dict.fromkeys(str(point["customdata"][0]) for point in points if point.get("customdata")))


def plain_html(text: str) -> str:
    """A name for Plotly's texts, which read a little HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def drawn(ids: "NDArray[np.object_]", most: int = MOST) -> NDArray[np.bool_]:
    """Which verdicts are drawn, from the item id of each: all, or those of items drawn at random.

    Every item has its own fixed number, made of its id, and the lowest ones are drawn as long as there is room: all
    verdicts of an item or none, the same items in every comparison, whatever their order.

    >>> drawn(np.array(["a/1", "a/1", "a/2", "a/3"], dtype=object), most=2).sum() <= 2
    np.True_
    """
    if len(ids) <= most:
        return np.ones(len(ids), dtype=np.bool_)
    code, names = pd.factorize(ids)
    order = np.argsort(pd.util.hash_array(np.asarray(names, dtype=object)), kind="stable")
    kept = np.zeros(len(names), dtype=np.bool_)
    kept[order[np.cumsum(np.bincount(code)[order]) <= most]] = True
    return np.asarray(kept[code], dtype=np.bool_)


def _told(ids: "NDArray[np.object_]", concepts: "NDArray[np.object_]") -> "NDArray[np.object_]":
    """What hovering says: the item and its concept in plain words."""
    words = {joined: titles(str(joined)) for joined in pd.unique(concepts)}
    told = np.empty((len(ids), 2), dtype=object)
    told[:, 0], told[:, 1] = ids, [words[joined] for joined in concepts]
    return told


def _reach(values: "np.ndarray[Any, Any]") -> float:
    known = np.abs(values[np.isfinite(values)])
    return float(np.quantile(known, 0.995)) * 1.08 if len(known) and known.max() > 0 else 1.0
