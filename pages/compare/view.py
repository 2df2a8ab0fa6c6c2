"""What Compare draws, as plain chart specifications: the slope chart, and the gains with their intervals."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from backend import written
from backend.taxonomy import title
from backend.written import p_cell
from pages.compare.sides import Named
from pages.shared.data.frames import lines_of
from pages.shared.drawing import signs
from pages.shared.drawing.numbers import fixed
from pages.shared.drawing.signs import QUIET

LEVEL = 0.05
#: Pixels between two labels, and of a row of the gains.
LABEL_GAP, ROW = 16, 17


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places for labels as near as can be (least squares) to where they are wanted, at least a gap from each other and
    inside [low, high]; evenly spread where there is no room.

    >>> apart([0.5, 0.5, 0.9], 0.1, 0.0, 1.0)
    [0.45, 0.55, 0.9]
    """
    n = len(wanted)
    if n and gap * (n - 1) >= high - low:
        gap = (high - low) / max(1, n - 1)
    order = sorted(range(n), key=lambda k: wanted[k])
    # With the k-th label moved down by k gaps the order alone has to hold: isotonic regression by pooling.
    blocks: list[list[float]] = []
    for place, k in enumerate(order):
        blocks.append([wanted[k] - place * gap, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            value, count = blocks.pop()
            blocks[-1] = [
                (blocks[-1][0] * blocks[-1][1] + value * count) / (blocks[-1][1] + count),
                blocks[-1][1] + count,
            ]
    level = [value for value, count in blocks for _ in range(int(count))]
    found = [0.0] * n
    for place, k in enumerate(order):
        inside = min(max(level[place], low), high - (n - 1) * gap)
        found[k] = round(inside + place * gap, 9)
    return found


def slope(rates: pd.DataFrame, tests: pd.DataFrame, named: Sequence[Named], dark: bool) -> dict[str, Any]:
    """Each group a line from side to side, its name and rate at both ends. rates, tests: of `compare.rates`, `against`.

    With two sides a line whose difference holds after Holm's correction has the colour of a gain or of a loss.
    """
    groups = list(dict.fromkeys(rates["group"]))
    height = max(260, min(620, LABEL_GAP * 2 * len(groups) + 120))
    last = len(named) - 1
    kept = tests[tests["side"] == last].set_index("group")
    lines, ends = [], []
    for side, align in ((0, "right"), (last, "left")):
        own = rates[(rates["side"] == side) & rates["value"].notna()]
        places = apart(own["value"].tolist(), LABEL_GAP / height * 1.04, 0.0, 1.0)
        for row, at in zip(lines_of(own), places, strict=True):
            name, number = title(row.group), written.number(100 * row.value)
            text = f"{name}  {number}" if align == "right" else f"{number}  {name}"
            off = -0.1 if align == "right" else last + 0.1
            ends.append({"side": side, "off": off, "value": row.value, "at": at, "text": text, "align": align})
    for row in lines_of(rates[rates["value"].notna()]):
        gain = kept.loc[row.group] if row.group in kept.index and last == 1 else None
        real = gain is not None and gain["holm"] <= LEVEL
        colour = signs.colour(gain["gain"]) if gain is not None and real else QUIET
        low, high = (written.number(100 * v) if v == v else "–" for v in (row.low, row.high))
        lines.append(
            {"group": title(row.group), "side": row.side, "value": row.value, "colour": colour,
             "real": bool(real), "n": row.n, "dot": named[row.side].colour, "model": named[row.side].label,
             "rate": f"{written.percent(row.value)} [{low}, {high}]"}
        )  # fmt: skip
    ink, paper = ("#e4e7e6", "#14181c") if dark else ("#1e252b", "#fdfdfb")
    room = 1.05 + 0.25 * (last - 1)
    x = {"type": "quantitative", "scale": {"domain": [-room, last + room], "nice": False}, "axis": None}
    y = {
        "type": "quantitative",
        "scale": {"domain": [-0.02, 1.02], "nice": False},
        "axis": {"values": [0, 0.25, 0.5, 0.75, 1], "format": "%", "title": "right", "offset": 4},
    }
    heads = [{"side": k, "text": entry.label, "up": k % 2 if last > 1 else 0} for k, entry in enumerate(named)]
    coloured = {"field": "colour", "type": "nominal", "scale": None}
    tooltip = [{"field": "group", "title": "concept"}, {"field": "model"}, {"field": "rate", "title": "right"},
               {"field": "n", "format": ","}]  # fmt: skip

    def label(align: str) -> dict[str, Any]:
        return {
            "data": {"values": [end for end in ends if end["align"] == align]},
            "mark": {"type": "text", "align": align, "baseline": "middle", "dx": -3 if align == "right" else 3,
                     "fontSize": 12.5, "color": ink, "limit": 190},
            "encoding": {"x": {"field": "off", **x}, "y": {"field": "at", **y}, "text": {"field": "text"}},
        }  # fmt: skip

    return {
        "width": "container",
        "height": height,
        "layer": [
            {"data": {"values": heads}, "mark": {"type": "rule", "color": QUIET, "opacity": 0.5},
             "encoding": {"x": {"field": "side", **x}}},
            {"data": {"values": ends}, "mark": {"type": "rule", "color": QUIET, "strokeWidth": 0.8},
             "encoding": {"x": {"field": "side", **x}, "x2": {"field": "off"}, "y": {"field": "value", **y},
                          "y2": {"field": "at"}}},
            {"data": {"values": lines}, "mark": {"type": "line", "strokeWidth": 2.4},
             "encoding": {"x": {"field": "side", **x}, "y": {"field": "value", **y}, "detail": {"field": "group"},
                          "color": coloured, "strokeDash": {"condition": {"test": "datum.real", "value": [1, 0]},
                                                          "value": [4, 3] if last == 1 else [1, 0]}}},
            {"data": {"values": lines},
             "mark": {"type": "point", "filled": True, "size": 75, "opacity": 1, "stroke": paper, "strokeWidth": 1.2},
             "encoding": {"x": {"field": "side", **x}, "y": {"field": "value", **y}, "tooltip": tooltip,
                          "color": {"field": "dot", "type": "nominal", "scale": None}}},
            label("right"), label("left"),
            *({"data": {"values": [head for head in heads if head["up"] == up]},
               "mark": {"type": "text", "y": -10 - 17 * up, "baseline": "bottom", "fontSize": 13, "fontWeight": 600,
                        "color": ink, "limit": 190},
               "encoding": {"x": {"field": "side", **x}, "text": {"field": "text"}}} for up in (0, 1)),
        ],
        "padding": {"left": 5, "right": 5, "top": 24 if last == 1 else 42, "bottom": 5},
    }  # fmt: skip


def by_gain(tests: pd.DataFrame) -> list[str]:
    """Groups, the largest gain of the first other side first; undefined ones last."""
    first = tests[tests["side"] == tests["side"].min()]
    return [str(name) for name in first.sort_values("gain", ascending=False, na_position="last")["group"]]


def gains(tests: pd.DataFrame, named: Sequence[Named], dark: bool) -> dict[str, Any]:
    """What each other side gains over the baseline in each group, sorted, with its interval; zero is no difference.

    Colour and mark say gain or loss; of several other sides each is named beside its number.
    """
    order = by_gain(tests)
    others = list(dict.fromkeys(tests["side"]))
    step = 0.7 / max(1, len(others))
    rows = []
    for row in lines_of(tests[tests["gain"].notna()]):
        shift = (others.index(row.side) - (len(others) - 1) / 2) * step
        entry = named[row.side]
        known = np.isfinite(row.low)
        colour, number = signs.colour(row.gain), fixed(100 * row.gain, 1, signed=True)
        rows.append(
            {"group": title(row.group), "at": order.index(row.group) + shift, "gain": row.gain,
             "low": row.low if known else row.gain, "high": row.high if known else row.gain, "colour": colour,
             "model": entry.label, "real": bool(row.holm <= LEVEL), "n": row.n, "discordant": row.only_a + row.only_b,
             "p": p_cell(row.p), "holm": p_cell(row.holm),
             "text": f"{number}  {entry.label}" if len(others) > 1 else number,
             "said": f"{number} {written.ends((row.low, row.high), signed=True)}".rstrip(),
             "shape": {1: "triangle-up", -1: "triangle-down", 0: "circle"}[int(np.sign(row.gain))],
             "end": row.high if row.gain >= 0 else row.low, "fill": colour if row.holm <= LEVEL else "none"}
        )  # fmt: skip
    reach = (
        max([abs(v) for r in rows for v in (r["low"], r["high"])], default=0.1) * (1.22 if len(others) < 2 else 1.6)
        + 0.02
    )
    ink = "#e4e7e6" if dark else "#1e252b"
    x = {"type": "quantitative", "scale": {"domain": [-reach, reach], "nice": False},
         "axis": {"labelExpr": "datum.value ? format(100 * datum.value, '+~g') : '0'", "tickCount": 5,
                  "title": f"← {named[0].label} is better · points · "
                  + (f"{named[1].label} is better →" if len(named) == 2 else "the other is better →"),
                  "titleFontWeight": 600}}  # fmt: skip
    words = json.dumps([title(name) for name in order])
    y = {"type": "quantitative", "scale": {"domain": [-0.6, len(order) - 0.4], "reverse": True},
         "axis": {"values": list(range(len(order))), "labelExpr": f"{words}[datum.value]", "title": None, "grid": False,
                  "ticks": False, "domain": False, "labelFontSize": 12.5, "labelLimit": 150}}  # fmt: skip
    painted = {"field": "colour", "type": "nominal", "scale": None}
    tooltip = [{"field": name, "title": title, **more} for name, title, more in (
        ("group", "concept", {}), ("model", "against the baseline", {}), ("said", "gain, points", {}),
        ("n", "n", {"format": ","}),
        ("discordant", "discordant", {"format": ","}), ("p", "p, exact", {}), ("holm", "p, Holm", {}))]  # fmt: skip
    return {
        "width": "container",
        "height": max(220, len(order) * (ROW * len(others) + 10) + 30),
        "layer": [
            {"data": {"values": [{"x": 0}]}, "mark": {"type": "rule", "color": QUIET, "strokeWidth": 1.2},
             "encoding": {"x": {"field": "x", **x}}},
            {"data": {"values": rows}, "mark": {"type": "rule", "strokeWidth": 2.4},
             "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}, "y": {"field": "at", **y},
                          "color": painted}},
            {"data": {"values": rows}, "mark": {"type": "point", "size": 80, "opacity": 1, "strokeWidth": 2},
             "encoding": {"x": {"field": "gain", **x}, "y": {"field": "at", **y}, "stroke": painted,
                          "shape": {"field": "shape", "type": "nominal", "scale": None},
                          "fill": {"field": "fill", "type": "nominal", "scale": None}, "tooltip": tooltip}},
            *({"data": {"values": [r for r in rows if (r["gain"] >= 0) == right]},
               "mark": {"type": "text", "align": "left" if right else "right", "dx": 7 if right else -7,
                        "baseline": "middle", "fontSize": 12, "color": ink},
               "encoding": {"x": {"field": "end", **x}, "y": {"field": "at", **y}, "text": {"field": "text"}}}
              for right in (True, False)),
        ],
    }  # fmt: skip
