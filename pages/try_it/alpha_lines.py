"""One item over α: each comparison is a straight line, the item is right where all lines are above zero.

A Vega-Lite chart whose slider lives in the browser: moving it asks the server nothing. The verdict beside the slider is
decided by the exact interval, not by the drawn lines.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from pages.shared.drawing.colours import NEAR, RIGHT, WRONG

_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3])


def spec(
    lines: Sequence[tuple[str, float, float]],
    low: float,
    high: float,
    colour: str,
    upto: float = 1.0,
    start: float = 0.0,
) -> dict[str, Any]:
    """The chart.

    lines: name, margin at α = 0, slope. (low, high): the open interval of α in which the item is right.
    """
    names = [name for name, _, _ in lines]
    ends = [
        {"comparison": name, "alpha": at, "margin": margin + slope * at, "base": margin, "slope": slope}
        for name, margin, slope in lines
        for at in (0.0, upto)
    ]
    once = [{"comparison": name, "base": margin, "slope": slope} for name, margin, slope in lines]
    x = {"field": "alpha", "type": "quantitative", "scale": {"domain": [0, upto], "nice": False}, "title": "α"}
    y = {"field": "margin", "type": "quantitative", "title": "true − false (nats per token)"}
    dash = {
        "field": "comparison",
        "type": "nominal",
        "sort": names,
        "scale": {"domain": names, "range": [_DASHES[k % len(_DASHES)] for k in range(len(names))]},
        "legend": {"orient": "top", "title": None, "labelLimit": 320, "symbolStrokeColor": colour, "columns": 2},
    }
    inside = f"({_number(low)} < alpha && alpha < {_number(high)})"
    here = [{"calculate": "alpha", "as": "alpha"}, {"calculate": "datum.base + datum.slope * alpha", "as": "margin"}]
    layers: list[dict[str, Any]] = [
        {"data": {"values": ends}, "mark": {"type": "line", "color": colour, "strokeWidth": 2.2},
         "encoding": {"x": x, "y": y, "strokeDash": dash}},
        {"data": {"values": [{"zero": 0}]}, "mark": {"type": "rule", "color": "#8a949d", "strokeWidth": 1},
         "encoding": {"y": {"datum": 0}}},
        {"data": {"values": [{}]}, "transform": [{"calculate": "alpha", "as": "alpha"}],
         "mark": {"type": "rule", "strokeWidth": 2, "color": {"expr": f"{inside} ? '{RIGHT}' : '{WRONG}'"}},
         "encoding": {"x": x}},
        {"data": {"values": once}, "transform": here,
         "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1,
                  "color": {"expr": f"{inside} ? '{RIGHT}' : '{WRONG}'"}},
         "encoding": {"x": x, "y": y, "tooltip": [
             {"field": "comparison", "title": "comparison"},
             {"field": "margin", "title": "margin", "format": "+.3f"}]}},
    ]  # fmt: skip
    left, right = max(0.0, low), min(upto, high)
    if left < right:
        layers.insert(0, {
            "data": {"values": [{"from": left, "to": right}]},
            "mark": {"type": "rect", "color": RIGHT, "opacity": 0.1},
            "encoding": {"x": {**x, "field": "from"}, "x2": {"field": "to"}}})  # fmt: skip
    flips = [end for end in (low, high) if isfinite(end) and 0 <= end <= upto]
    if flips:
        layers.append({
            "data": {"values": [{"alpha": end, "label": f"flips at {end:.3f}"} for end in flips]},
            "encoding": {"x": x},
            "layer": [
                {"mark": {"type": "rule", "color": NEAR, "strokeDash": [3, 3], "strokeWidth": 1.5}},
                {"mark": {"type": "text", "align": "left", "dx": 5, "baseline": "bottom", "y": {"expr": "height - 6"},
                          "color": NEAR, "fontSize": 12},
                 "encoding": {"text": {"field": "label"}}}]})  # fmt: skip
    slider = {"input": "range", "min": 0, "max": upto, "step": 0.001, "name": "α"}
    verdict = {
        "text": {"expr": f"'α = ' + format(alpha, '.3f') + ({inside} ? '   ✓ right' : '   ✗ wrong')"},
        "color": {"expr": f"{inside} ? '{RIGHT}' : '{WRONG}'"},
        "anchor": "start",
        "fontSize": 15,
    }
    params = [{"name": "alpha", "value": start, "bind": slider}]
    return {"params": params, "title": verdict, "height": 320, "layer": layers}


def _number(value: float) -> str:
    """A number in Vega's expression language, which knows no infinity."""
    return repr(min(max(value, -1e9), 1e9))
