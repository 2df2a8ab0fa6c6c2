"""Checkpoints as curves: accuracy, EqSim deviation and α* over the steps of one training."""

from collections.abc import Mapping, Sequence
from math import isfinite

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend import written
from backend.items import SIMILARITIES
from backend.metrics.alpha import star_number
from backend.prior_names import prior_name
from backend.store.queries import Checkpoint
from backend.store.rates.rates import headlines
from backend.taxonomy import title
from pages.compare import data, steps, to_copy
from pages.compare.steps import Panel, Point
from pages.shared.data import commands, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours, finding
from pages.shared.drawing.numbers import interval, score
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name, kinds_help

MEASURES = {"v2_text": "v2, text side", "v2_image": "v2, image side", "v1": "v1"}


def how(benchmark: stored.StoredBenchmark) -> str:
    """What says so."""
    run = commands.run("hf:FOLDER", commands.words(benchmark), "itc", "--series my-training --step 2000")
    return f"Say in each run which checkpoint it is: {run}. For a run that is there already nothing is scored again."


def keys(known: Mapping[str, Sequence[Checkpoint]], benchmark: stored.StoredBenchmark) -> None:
    """Put the section's choices in place."""
    names = list(known)
    if names:
        address.option("series", names, names[0])
        kinds = list(dict.fromkeys(k for points in known.values() for p in points for k in benchmark.kinds[p.model]))
        address.option("series_kind", kinds, kinds[0])


def draw(benchmark: stored.StoredBenchmark, known: Mapping[str, Sequence[Checkpoint]]) -> None:
    """The section below its heading."""
    if not known:
        empty("No run here says which checkpoint of a training it is", how(benchmark))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Series", list(known), key="series", index=address.index("series"), width=260) or next(
            iter(known)
        )
        points = known[name]
        kinds = [k for k in benchmark.kinds[points[0].model] if all(k in benchmark.kinds[p.model] for p in points)]
        if st.session_state["series_kind"] not in kinds and kinds:
            st.session_state["series_kind"] = kinds[0]
        kind = st.segmented_control(
            "Score kind",
            kinds,
            key="series_kind",
            default=address.value("series_kind"),
            required=True,
            format_func=lambda k: f"{plain(kind_name(k))} ({k})",
            help=kinds_help(kinds),
        )
    if not kinds or not kind:
        empty("These checkpoints have no score kind in common", "Run them with the same --kinds.")
        return
    dots, names = colours.of_models(benchmark.models), colours.labels(benchmark.models)
    show(steps.legend({names[p.model]: (colours.dot(p.model), p.step) for p in points}))
    found = data.accuracy(points, kind, headlines(kind))
    panels = accuracy_panels(found, names, dots)
    steps.draw(steps.grid(panels, 0, 1, percent=True, unit="per cent right"), "steps-right")
    chart_caption(
        f"Share right of each subset over {points[0].step:,.0f} to {points[-1].step:,.0f} steps, by the headline "
        "metric of its protocol, with the 95 % interval; dotted: chance. Dots have their models' own colours."
    )
    _to_copy(to_copy.steps(panels, name, "the rate", (kind_name(kind), benchmark.name), True), "right", benchmark)
    if kind in SIMILARITIES:
        _deviations(benchmark, points, kind, names, dots, name)
    _alpha(benchmark, points, names, dots, name)


def accuracy_panels(found: pd.DataFrame, names: Mapping[str, str], dots: Mapping[str, str]) -> list[Panel]:
    """A panel a subset and metric."""
    panels = []
    for (group, _), part in found.groupby(["group", "metric"], sort=False):
        points = [
            Point(row.step, row.value, _known(row.lo), _known(row.hi), dots[row.model],
                  f"{names[row.model]}, step {row.step:,.0f}: {interval(row.value, row.n, _ends(row))}")
            for row in lines_of(part.sort_values("step")) if isfinite(row.value)
        ]  # fmt: skip
        chance = part["chance"].dropna()
        panels.append(Panel(title(str(group)), points, float(chance.iloc[0]) if len(chance) else None))
    return panels


def _deviations(
    benchmark: stored.StoredBenchmark,
    points: Sequence[Checkpoint],
    kind: str,
    names: Mapping[str, str],
    dots: Mapping[str, str],
    series: str,
) -> None:
    panels, top = [], 0.0
    for subset in benchmark.with_protocol("quad"):
        frame = data.deviation(points, kind, subset)
        for measure in ("v2_text", "v2_image"):
            made = [
                Point(row.step, row.value, _known(row.lo), _known(row.hi), dots[row.model],
                      f"{names[row.model]}, step {row.step:,.0f}: {score(row.value)} σ (n = {row.n:,})")
                for row in lines_of(frame[frame["measure"] == measure])
            ]  # fmt: skip
            top = max([top, *(point.high or point.value for point in made)])
            if made:
                panels.append(Panel(f"{title(subset)}, {MEASURES[measure]}", made))
    if panels:
        show(Markup('<h3 class="cmp-sub">EqSim deviation, scale-free</h3>'))
        made_of = steps.grid(panels, 0, _ceiling(top), percent=False, unit="deviation over σ")
        steps.draw(made_of, "steps-deviation")
        chart_caption(
            "Mean |deviation| of the quads over σ, the standard deviation of the subset's quad cells, so that a model "
            "whose scores merely shrink gains nothing (EqSim, Eq. 6); 0 is equivariant. Intervals: by halves of the "
            "quads, σ held fixed. Small alone proves nothing: a model that tells nothing apart is small, too."
        )
        setting = (f"{kind_name(kind)}, in standard deviations of the quads’ cells", benchmark.name)
        _to_copy(to_copy.steps(panels, series, "the mean deviation", setting), "deviation", benchmark)


def _alpha(
    benchmark: stored.StoredBenchmark, points: Sequence[Checkpoint], names: Mapping[str, str], dots: Mapping[str, str],
    series: str,
) -> None:  # fmt: skip
    show(Markup('<h3 class="cmp-sub">α*, how much of the language prior is best taken away</h3>'))
    panels = []
    for subset in benchmark.subsets:
        frame = data.alpha_star(points, subset)
        for metric, part in frame.groupby("metric", sort=False):
            made = [
                Point(row.step, row.alpha, row.lo, row.hi, dots[row.model],
                      f"{names[row.model]}, step {row.step:,.0f}: α* {star_number(row.alpha, (row.lo, row.hi))}, "
                      f"{written.percent(row.value)} right there, {written.percent(row.at_zero)} at α = 0, P(t) from "
                      f"{prior_name(row.prior)}")
                for row in lines_of(part)
            ]  # fmt: skip
            panels.append(Panel(f"{title(subset)}, {str(metric).replace('_', ' ')}", made))
    if panels:
        steps.draw(steps.grid(panels, 0, 1, percent=False, unit="α*"), "steps-alpha")
        chart_caption(
            "α* on all items of the subset: the middle of its plateau, the widest interval with the most items right; "
            "the bar is that plateau, not an error (VisualGPTScore, Eq. 7; Debias shows the whole curve)."
        )
        setting = ("in brackets its plateau on these items, no interval", benchmark.name)
        _to_copy(to_copy.steps(panels, series, "α*", setting), "alpha", benchmark)
    else:
        chart_caption(
            "α* needs generation scores with a prior, and no checkpoint of this series has them. Models that write "
            "captions have: --kinds gen,prior --prior images:20."
        )


def _to_copy(said: str, chart: str, benchmark: stored.StoredBenchmark) -> None:
    """The finding of one of the three grids; chart: how its key ends."""
    name = f"flipside-{benchmark.name}-steps-{chart}"
    link = address.named("benchmark", "series", "series_kind")
    finding.draw(said, f"steps-{chart}", f"steps-{chart}", name, link=link)


def _known(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _ends(row: "pd.Series[float]") -> tuple[float, float] | None:
    return (row.lo, row.hi) if isfinite(row.lo) and isfinite(row.hi) else None


def _ceiling(top: float) -> float:
    """A round number from top on.

    >>> _ceiling(0.83), _ceiling(2.1)
    (1.0, 2.5)
    """
    return next((step for step in (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0) if top <= step), top)
