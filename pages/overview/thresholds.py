"""Where to draw the line between yes and no: pc, pf, their mean and the smaller one over every threshold, exact."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from markupsafe import Markup

from backend import written
from backend.finding import Finding
from backend.kinds import PROBABILITIES
from backend.metrics.statistics import Rate
from backend.metrics.thresholds import DEFAULT, ThresholdCurve
from backend.store.rates.thresholds import rates_at, why_undefined
from backend.taxonomy import title
from pages.shared.data import stored
from pages.shared.drawing import colours, finding
from pages.shared.drawing.numbers import DASH
from pages.shared.frame import address
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name

#: Column → (name, Okabe–Ito colour, dash).
SHOWN = {
    "pc": ("true captions accepted (pc)", "#009e73", [1, 0]),
    "pf": ("foils rejected (pf)", "#d55e00", [6, 3]),
    "accuracy": ("their mean", "#0072b2", [1, 0]),
    "least": ("the smaller one", "#8a949c", [2, 2]),
}
#: Steps that are drawn at most; the numbers beside the slider are always the exact ones.
DRAWN = 600


def at(curve: ThresholdCurve, threshold: float) -> dict[str, float]:
    """The exact values at a threshold.

    >>> curve = ThresholdCurve(np.array([0.0, 0.4, 1.0]), np.array([1.0, 0.5, 0.0]), np.array([0.0, 1.0, 1.0]))
    >>> at(curve, 0.4)["pc"], at(curve, 0.39)["pf"]
    (0.5, 0.0)
    """
    place = max(0, int(np.searchsorted(curve.at, threshold, "right")) - 1)
    return {name: float(getattr(curve, name)[place]) for name in SHOWN}


def best(curve: ThresholdCurve) -> tuple[float, float]:
    """(threshold, value) with the highest mean of pc and pf, the smallest of equally good ones."""
    place = int(np.argmax(curve.accuracy))
    return float(curve.at[place]), float(curve.accuracy[place])


def area(curve: ThresholdCurve) -> float:
    """The area under the ROC curve, pc over 1 − pf, which no threshold changes; equal scores count one half.

    >>> area(ThresholdCurve(np.array([0.0, 0.4, 1.0]), np.array([1.0, 0.5, 0.0]), np.array([0.0, 1.0, 1.0])))
    0.75
    """
    accepted, rejected = np.concatenate([[1.0], curve.pc, [0.0]]), np.concatenate([[0.0], curve.pf, [1.0]])
    return float(np.trapezoid(accepted, rejected))


def spec(curve: ThresholdCurve, threshold: float) -> dict[str, Any]:
    """The chart: steps of the four curves, thinned where there are more than can be seen."""
    n = len(curve.at)
    keep = np.unique(np.linspace(0, n - 1, min(n, DRAWN)).round().astype(int))
    data = [
        {"threshold": float(curve.at[k]), "share": float(getattr(curve, name)[k]), "what": words}
        for name, (words, _, _) in SHOWN.items()
        for k in keep
    ]
    names = [words for words, _, _ in SHOWN.values()]
    x = {"field": "threshold", "type": "quantitative", "scale": {"domain": [0, 1], "nice": False},
         "title": "threshold on the probability"}  # fmt: skip
    y = {"field": "share", "type": "quantitative", "scale": {"domain": [0, 1]}, "title": "share",
         "axis": {"format": "%", "tickCount": 5}}  # fmt: skip
    shades = {"domain": names, "range": [shade for _, shade, _ in SHOWN.values()]}
    colour = {"field": "what", "type": "nominal", "scale": shades,
              "legend": {"orient": "top", "title": None, "labelLimit": 240, "columns": 2}}  # fmt: skip
    dash = {"field": "what", "type": "nominal", "scale": {"domain": names, "range": [d for _, _, d in SHOWN.values()]},
            "legend": None}  # fmt: skip
    return {
        "height": 280,
        "layer": [
            {"data": {"values": data}, "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
             "encoding": {"x": x, "y": y, "color": colour, "strokeDash": dash, "detail": {"field": "what"}}},
            {"data": {"values": [{"threshold": DEFAULT}]},
             "mark": {"type": "rule", "color": "#8a949c", "strokeDash": [3, 3]}, "encoding": {"x": x}},
            {"data": {"values": [{"threshold": threshold}]}, "mark": {"type": "rule", "strokeWidth": 2,
             "color": "#e69f00"}, "encoding": {"x": x}},
        ],
    }  # fmt: skip


def keys(benchmark: stored.StoredBenchmark) -> None:
    """Put the section's choices in place, before anything is drawn: threshold, model and kind, subset."""
    address.number("threshold", 0.0, 1.0, DEFAULT)
    pairs, choices = _pairs(benchmark), benchmark.with_protocol("choice")
    if pairs and choices:
        address.option("threshold_of", pairs, pairs[0])
        address.option("threshold_on", choices, choices[0])


def _pairs(benchmark: stored.StoredBenchmark) -> list[str]:
    """MODEL|KIND of all that gives probabilities."""
    able = colours.order(benchmark.models)
    return [f"{model}|{kind}" for model in able for kind in benchmark.kinds[model] if kind in PROBABILITIES]


def draw(benchmark: stored.StoredBenchmark) -> None:
    """The section; nothing where the benchmark has no choices."""
    choices = benchmark.with_protocol("choice")
    if not choices:
        return
    pairs = _pairs(benchmark)
    chosen = bool(address.chosen_among(("threshold", "threshold_of", "threshold_on")))
    with fold("Where to draw the line between yes and no?", "overview-thresholds", ":material/tune:", chosen) as box:
        if not box.open:
            return
        if pairs:
            _fragment(benchmark, pairs, choices)
            return
        kinds = dict.fromkeys(k for m in benchmark.models for k in benchmark.kinds[m] if why_undefined(k))
        empty(
            "No model here gives probabilities",
            "Thresholds need kinds itm or vqa: score a model with one on the Runs page. "
            + " ".join(f"{kind_name(k)} ({k}): {why_undefined(k)}." for k in kinds),
        )


@st.fragment
def _fragment(benchmark: stored.StoredBenchmark, pairs: list[str], choices: list[str]) -> None:
    """Choosers, slider, chart and numbers; only this part reruns when the slider moves."""
    names = colours.labels(pair.rpartition("|")[0] for pair in pairs)
    left, middle, right = st.columns([2, 2, 3], vertical_alignment="bottom")
    with left:
        pair = st.selectbox(
            "Model and kind", pairs, key="threshold_of", index=address.index("threshold_of"),
            format_func=lambda said: f"{names[said.rpartition('|')[0]]} · {said.rpartition('|')[2]}",
        ) or pairs[0]  # fmt: skip
    model, _, kind = pair.rpartition("|")
    with middle:
        subset = st.selectbox(
            "Subset", choices, key="threshold_on", index=address.index("threshold_on"), format_func=title
        ) or choices[0]  # fmt: skip
    with right:
        threshold = st.slider(
            "Threshold",
            0.0,
            1.0,
            step=0.01,
            key=address.number("threshold", 0.0, 1.0, DEFAULT),
            value=address.value("threshold"),
            help="A caption is called true of the image from this probability on (VALSE judges one caption at a "
            "time so; its own threshold is 0.5).",
        )
    address.end()
    curve = stored.threshold_curve(benchmark.runs[model], kind, subset)
    if curve is None:
        empty("Not scored", f"{names[model]} has no {kind} scores of {subset}.")
        return
    show(numbers_html(curve, float(threshold)))
    st.vega_lite_chart(spec(curve, float(threshold)), key="threshold-chart", alt=(
        f"Share of true captions accepted and of foils rejected by {names[model]} over the threshold"
    ))  # fmt: skip
    run = benchmark.runs[model]
    finding.draw(
        to_copy(
            rates_at(stored.store(), run, kind, float(threshold), subset), curve, float(threshold),
            (names[model], title(subset), kind_name(kind), benchmark.name),
        ),
        "threshold-chart", "threshold-chart", f"flipside-{benchmark.name}-threshold",
        link=address.named("benchmark", "threshold", "threshold_of", "threshold_on"),
    )  # fmt: skip
    others = sorted({k for m in benchmark.models for k in benchmark.kinds[m] if why_undefined(k)})
    chart_caption(
        "A caption is accepted where its probability is above the threshold; a foil is rejected at or below it. Exact "
        "steps; dashed: VALSE's own threshold of 0.5. A best threshold far from 0.5 means a badly calibrated "
        "model. Undefined for " + "; ".join(f"{k} ({why_undefined(k).partition(':')[0]})" for k in others) + "."
    )


def numbers_html(curve: ThresholdCurve, threshold: float) -> Markup:
    """The four numbers at the threshold, and where the mean would be highest."""
    found = at(curve, threshold)
    parts = [
        Markup('<span class="fs-threshold"><i class="fs-dot" style="background:{}"></i>{} <b>{}</b></span>').format(
            colour, words, written.percent(found[name])
        )
        for name, (words, colour, _) in SHOWN.items()
    ]
    where, value = best(curve)
    most = written.percent(value) if np.isfinite(value) else DASH
    return Markup(
        '<p class="fs-thresholds">At <b>{threshold:.2f}</b>: {parts}<br>'
        "<small>Highest mean: {most} at {where:.3f}, chosen on these very items. At any threshold: AUROC "
        "{area:.3f}, the chance that a true caption scores above a foil.</small></p>"
    ).format(threshold=threshold, parts=Markup(" ").join(parts), most=most, where=where, area=area(curve))


def to_copy(rates: Mapping[str, Rate], curve: ThresholdCurve, threshold: float, of: tuple[str, ...]) -> str:
    """The curves at the chosen threshold in one sentence; "" without rates. rates: of `rates_at`; of: model, subset,
    score kind and benchmark in words."""
    pc, pf, both = (rates.get(name) for name in ("pc", "pf", "threshold_accuracy"))
    if pc is None or pf is None or both is None or pc.value is None:
        return ""
    name, subset, *setting = of
    where, most = best(curve)
    foils, mean = (f"{written.percent(r.value)} {written.ends(r.ci95)}".strip() for r in (pf, both))
    claim = (
        f"At a threshold of {threshold:.2f} {name} accepts {{}} of the true captions of {subset} and rejects {foils} "
        f"of the foils, on average {mean}; at any threshold the AUROC is {area(curve):.3f}, and the highest mean, "
        f"chosen on these very items, {written.percent(most)} at {where:.3f}"
    )
    return Finding(claim, pc.n, ("judged one caption at a time", *setting), pc.value, pc.ci95).said
