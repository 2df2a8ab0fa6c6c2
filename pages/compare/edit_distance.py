"""Compare: T2T accuracy over the edit-distance gap, how far words speak against the meaning."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from backend import written
from backend.store.compare.edit_distance import Line, lines
from backend.store.reasons.encoder import CHANCE_T2T
from pages.compare import to_copy
from pages.shared.data import stored
from pages.shared.drawing import colours, finding
from pages.shared.drawing.scales import scale
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption

GREY = "#8a949c"


def draw(benchmark: stored.StoredBenchmark) -> None:
    """The curves of all models with T2T verdicts; nothing without any."""
    found = known(benchmark.hash)
    if not found:
        return
    alt = "; ".join(
        f"{colours.label(line.model)} {written.percent(line.parts[0].accuracy.value)} to "
        f"{written.percent(line.parts[-1].accuracy.value)}"
        for line in found
    )
    st.vega_lite_chart(spec(found), key="edit-distance", alt=f"T2T accuracy over the edit-distance gap: {alt}")
    chart_caption(
        "After VISLA, figure 8 (which draws the distances, not accuracy): T2T accuracy of a fifth of the triplets "
        "each, over the gap = edit distance of the two true captions − that of the false one to the nearer of them, in "
        "characters; points stand at the median, bars are 95 % intervals over images. A model that follows words "
        "falls to the right, where paraphrases look less alike than the false caption does. Dashed: guessing."
    )
    finding.draw(
        to_copy.edit_distance(found, benchmark.name), "edit-distance", "edit-distance",
        f"flipside-{benchmark.name}-edit-distance", link=address.named("benchmark"),
    )  # fmt: skip


@stored.kept("Measuring edit distances …")
def known(benchmark: str) -> list[Line]:
    """The curves, see `edit_distance.lines`."""
    return lines(stored.store(), benchmark)


def spec(found: Sequence[Line]) -> dict[str, Any]:
    """A line a model with the intervals of its points."""
    names, shades = colours.labels(line.model for line in found), colours.of_models(line.model for line in found)
    rows = [
        {
            "model": names[line.model], "gap": part.middle, "value": part.accuracy.value, "n": part.accuracy.n,
            "between": f"{part.low} to {part.high}",
            "said": written.percent(part.accuracy.value),
            "low": (part.accuracy.ci95 or (part.accuracy.value,) * 2)[0],
            "high": (part.accuracy.ci95 or (part.accuracy.value,) * 2)[1],
        }
        for line in found for part in line.parts
    ]  # fmt: skip
    x = {
        "field": "gap",
        "type": "quantitative",
        "title": "edit-distance gap, characters",
        "scale": scale(rows, "gap", zero=True, nice=False),
    }
    y = {"type": "quantitative", "title": "T2T accuracy", "axis": {"format": "%", "tickCount": 5},
         "scale": {"domain": [0, 1]}}  # fmt: skip
    listed = colours.order(names)
    colour = {"field": "model", "type": "nominal", "legend": {"title": None, "orient": "top", "columns": 4},
              "scale": {"domain": [names[m] for m in listed], "range": [shades[m] for m in listed]}}  # fmt: skip
    tips = [
        {"field": "model"},
        {"field": "between", "title": "gap"},
        {"field": "said", "title": "value"},
        {"field": "n"},
    ]
    return {
        "height": 300, "data": {"values": rows},
        "layer": [
            {"data": {"values": [{"at": CHANCE_T2T}]}, "mark": {"type": "rule", "color": GREY, "strokeDash": [3, 3]},
             "encoding": {"y": {**y, "field": "at"}}},
            {"mark": {"type": "rule", "opacity": 0.6}, "encoding": {
                "x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}},
            {"mark": {"type": "line", "point": {"filled": True, "size": 60}}, "encoding": {
                "x": x, "y": {**y, "field": "value"}, "color": colour, "tooltip": tips}},
        ],
    }  # fmt: skip
