"""What Equivariance is made of: the quads of all models, the table of rates and deviations, the violins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend import written
from backend.kinds import SPOKEN
from backend.metrics import statistics
from backend.metrics.core.registry import by_name
from backend.prior_names import prior_name
from backend.store.quads import deviations
from backend.store.quads.deviations import deviation_alpha
from backend.store.reasons import plane
from backend.store.scores import shared_clusters
from backend.store.scores.matrices import JOIN
from pages.equivariance import judged, to_copy
from pages.equivariance.view import MEASURES
from pages.equivariance.violins import RATIOS, Axis, Violin, axis_of, panel
from pages.equivariance.violins import draw as draw_violins
from pages.equivariance.violins import grid as violin_grid
from pages.shared.data import handing_on, stored
from pages.shared.data.frames import titles
from pages.shared.drawing import colours, finding
from pages.shared.drawing.numbers import DASH, count, score
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name, metric_tip

SCORES = ("text_score", "image_score", "group_score")
MOST_ROWS = 12
RATIO = Axis(*RATIOS, "", log=True)
WORST = {
    "v2_text": "text side deviates most",
    "v2_image": "image side deviates most",
    "v1": "v1 deviates most",
    "group_margin": "furthest from right",
}


def concepts(benchmark: stored.StoredBenchmark, kinds: Sequence[str]) -> list[str]:
    """The concepts of the quads of any model, where they say more than the subsets do; at most sixty."""
    run, kind = next((benchmark.runs[m], k) for m in benchmark.models for k in kinds if k in benchmark.kinds[m])
    return _concepts(run, kind)


@stored.kept()
def _concepts(run: str, kind: str) -> list[str]:
    tags = deviations.concepts(stored.store(), run, kind)
    found = list(dict.fromkeys(tag for some in tags for tag in some.split(JOIN) if tag))
    return found[:60] if len(found) > 1 else []


def quads(
    benchmark: stored.StoredBenchmark, models: Sequence[str], kind: str, scale: str, category: str
) -> pd.DataFrame:
    """The quads of all models with scores, deviations and verdicts; a column `model` tells them apart. category: a
    subset, `concept:NAME`, or `all`."""
    parts = [own(benchmark, model, kind, scale, category).assign(model=model) for model in models]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def of_options(benchmark: stored.StoredBenchmark, options: Any) -> pd.DataFrame:
    """The same as the page's options (`options.Options`) ask for."""
    return quads(benchmark, options.able, options.kind, options.scale, options.category)


def scored(benchmark: stored.StoredBenchmark, models: Sequence[str], kind: str, scale: str, category: str) -> bool:
    """Whether any of some models has a quad with scores in a category; reads no more of them than it takes to know."""
    frames = (own(benchmark, model, kind, scale, category) for model in models)
    return any(bool(frame["s11"].notna().any()) for frame in frames)


def own(benchmark: stored.StoredBenchmark, model: str, kind: str, scale: str, category: str) -> pd.DataFrame:
    """The same of one model."""
    return of_run(benchmark.runs[model], kind, scale, category)


@stored.kept()
def of_run(run: str, kind: str, scale: str, category: str) -> pd.DataFrame:
    """The same of a run; not to be changed."""
    found = in_category(stored.deviations(run, kind, scale), category)
    return found.assign(**{s: found[f"{s.removesuffix('_score')}_margin"].gt(0) for s in SCORES})


@stored.kept()
def reasons_of(run: str, kind: str, category: str) -> pd.DataFrame:
    """A run's quads in a category with binding, biases and cells (see `plane.quads`); not to be changed."""
    return in_category(plane.quads(stored.store(), run, kind), category)


def in_category(frame: pd.DataFrame, category: str) -> pd.DataFrame:
    """The rows of a subset, of `concept:NAME`, or of `all`; `subset` and `concept` are their columns."""
    what, _, name = category.rpartition(":")
    if frame.empty or category == "all":
        return frame
    if what == "concept":
        tags = frame["concept"].astype(str)
        having = {each for each in tags.unique() if name in each.split(JOIN)}
        return frame[tags.isin(having)]
    return frame[frame["subset"] == category]


def rows(frame: pd.DataFrame, models: Sequence[str]) -> list[dict[str, object]]:
    """For each model its three scores (a `Rate` each) and the mean size of each deviation, raw and scale-free."""
    found = []
    for model in models:
        own = frame[frame["model"] == model]
        line: dict[str, object] = {"model": model, **rates_of(own)}
        for name in MEASURES:
            line[name] = _mean(own[name])
            line[f"{name}_scale_free"] = _mean(own[f"{name}_scale_free"])
            line[f"{name}_over_margin"] = _median(own[f"{name}_over_margin"])
        found.append(line)
    return found


def rates_of(own: pd.DataFrame) -> dict[str, statistics.Rate]:
    """The three scores of one model's quads."""
    clusters, found = shared_clusters.of_items(own["cluster"]), {}
    for name in SCORES:
        margin = own[f"{name.removesuffix('_score')}_margin"].to_numpy()
        found[name] = statistics.rate(margin > 0, ~np.isnan(margin), margin == 0, clusters)
    return found


def table(benchmark: stored.StoredBenchmark, frame: pd.DataFrame, options: Any) -> None:
    """Rates left, mean absolute deviations right. options: of the page."""
    models = having(frame, options.able)
    runs = tuple(benchmark.runs[m] for m in models)
    html, n = _table(runs, models, options.kind, options.scale, options.category, options.model, frame)
    show(html)
    without = [colours.labels(benchmark.models)[m] for m in options.able if m not in models]
    chart_caption(
        f"Rates in per cent with their 95 % interval, n = {count(n, 'quad')}; ties count as failures. Deviations: mean "
        f"absolute value ({options.unit}); in small print the scale-free value (σ) and the value over the margin. A "
        "good model has high rates and a small σ."
        + prior_said(benchmark, models, options.kind)
        + of_part(benchmark, frame, models, options)
        + (f" Not in the table, for want of scored quads: {', '.join(without)}." if without else "")
    )


def scored_of(frame: pd.DataFrame, model: str) -> int:
    """How many quads of a frame of `quads` have a model's scores."""
    return int((frame["s11"].notna() & (frame["model"] == model)).sum())


def of_part(benchmark: stored.StoredBenchmark, frame: pd.DataFrame, models: Sequence[str], options: Any) -> str:
    """Which models have judged some of the quads only (`judged.caption`)."""
    return judged.caption(benchmark, options, [(model, scored_of(frame, model)) for model in models])


def prior_said(benchmark: stored.StoredBenchmark, models: Sequence[str], kind: str) -> str:
    """What is taken from the scores of v1 and of the text side, which compare captions of different likelihood; "" for
    kinds without a prior."""
    if kind not in SPOKEN:
        return ""
    names = colours.labels(benchmark.models)
    found = {m: deviation_alpha(stored.store(), benchmark.runs[m], kind) for m in models}
    sources: dict[str, list[str]] = {}
    for model, (alpha, source) in found.items():
        taken = f"α = {alpha:g}, P(t) from {prior_name(source)}" if source else "α = 0: there is no P(t)"
        sources.setdefault(taken, []).append(names[model])
    told = "; ".join(f"{', '.join(of)}: {taken}" for taken, of in sources.items())
    return (
        f" v1 and the text side compare different captions, so log P(t) is taken from their scores ({told}); with it "
        "they would measure the prior. On the image side it cancels; the spread and the margin that all three are "
        "divided by are without it, rates and planes with it."
    )


def having(frame: pd.DataFrame, models: Sequence[str]) -> tuple[str, ...]:
    """The models that have quads in a frame of `quads`, in their order."""
    there = set(frame.loc[frame["s11"].notna(), "model"]) if len(frame) else set()
    return tuple(m for m in models if m in there)


@stored.kept()
def _table(
    runs: tuple[str, ...], models: tuple[str, ...], kind: str, scale: str, category: str, focus: str,
    _frame: pd.DataFrame,
) -> tuple[Markup, int]:  # fmt: skip
    """(HTML, number of quads). The frame follows from what stands before it."""
    del runs, kind, scale, category
    names = colours.labels(models)
    heads = Markup().join(
        Markup('<th scope="col" title="{}">{}<br>chance {}</th>').format(
            metric_tip(name), name.replace("_", " "), written.percent(by_name(name).level() or 0.0)
        )
        for name in SCORES
    )
    heads += Markup().join(
        Markup(
            '<th scope="col" title="mean of |{}|; σ: over the standard deviation of the quads\' cells; '
            '÷ margin: median of |deviation| / |group margin|">|{}|<br>σ · ÷ margin</th>'
        ).format(formula, title)
        for title, formula in MEASURES.values()
    )
    body = Markup()
    for line in rows(_frame, models):
        model = str(line["model"])
        cells = Markup()
        for name in SCORES:
            found = line[name]
            assert isinstance(found, statistics.Rate)  # noqa: S101 - narrows the type of a mixed row
            shown = DASH
            if found.value is not None:
                number, ends = written.cell(found.value, found.n, found.ci95)
                shown = Markup("<b>{}</b><small>{}</small>").format(number, ends)
            cells += Markup("<td>{}</td>").format(shown)
        for name in MEASURES:
            raw, free, over = line[name], line[f"{name}_scale_free"], line[f"{name}_over_margin"]
            cells += Markup("<td><b>{}</b><small>{} σ · {}</small></td>").format(score(raw), score(free), score(over))  # type: ignore[arg-type]
        row = Markup(' class="fs-focus"') if model == focus else ""
        body += Markup('<tr{}><th scope="row">{}{}</th>{}</tr>').format(row, colours.dot(model), names[model], cells)
    n = int(_frame.groupby("model").size().max())
    return (
        Markup(
            '<div class="fs-scroll" tabindex="0" role="region" aria-label="rates and deviations by model">'
            '<table class="fs-table"><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody>'
            "</table></div>"
        ).format(heads, body)
    ), n


@st.fragment
def violins(benchmark: stored.StoredBenchmark, frame: pd.DataFrame, options: Any) -> None:
    """Every deviation three times: in the score's own unit, scale-free, and over the margin. options: of the page."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        signed = st.segmented_control(
            "Deviations",
            ["signed", "absolute"],
            key="signed",
            required=True,
            help="v1 = s12 − s21; v2 = (s11 − s12) − (s22 − s21) on the text side, (s11 − s21) − (s22 − s12) on the "
            "image side (EqSim). Signed shows a lean, absolute the size.",
        )
        by = st.segmented_control(
            "A violin for each", ["models", "subsets", "concepts"], key="rows", required=True,
            format_func={"models": "model", "subsets": "subset of the model in focus",
                         "concepts": "concept of the model in focus"}.__getitem__,
        ) or "models"  # fmt: skip
    absolute = signed == "absolute"
    models = having(frame, options.able)
    html, n_rows = _violins(
        tuple(benchmark.runs[m] for m in models), models, options.kind,
        options.scale, options.category, options.model if by != "models" else "",
        options.unit if by == "models" else options.unit_of(options.kind, options.model), absolute, by, frame,
        frame if options.category == "all" else quads(benchmark, models, options.kind, options.scale, "all"),
    )  # fmt: skip
    draw_violins(html, "violins")
    more = f" The {MOST_ROWS} largest are shown." if by != "models" and n_rows == MOST_ROWS else ""
    chart_caption(
        f"{(signed or 'signed').capitalize()} deviations; zero is equivariant. Left: in the score's own unit. Middle: "
        "divided by the standard deviation of all quad cells of the subset, so that a model whose scores merely shrink "
        "gains nothing. Right: the size of each quad's deviation over its own margin, on a logarithmic axis; above 1 "
        "the deviation is larger than what decides the quad. Dot: median, bar: middle half; hold the pointer on one."
        + prior_said(benchmark, models, options.kind)
        + of_part(benchmark, frame, models, options)
        + more
    )
    names = {m: colours.labels(models)[m] for m in models}
    chart, note = handing_on.picture("violins", [benchmark.runs[m] for m in models])
    taken = "log P(t) taken away where there is one" if options.kind in SPOKEN else ""
    setting = (kind_name(options.kind), *options.rescaled(options.kind), taken, benchmark.name)
    focus = options.model if options.model in names else next(iter(names), options.model)
    which = judged.quads(benchmark, options, focus, options.kind, scored_of(frame, focus))
    finding.draw(
        to_copy.violins(names, frame, options.model, which, setting),
        "violins", chart, f"flipside-{benchmark.name}-deviations", note=note,
        link=address.named("benchmark", "kind", "category", "scale", "model", "signed", "rows"),
    )  # fmt: skip
    address.end()


@stored.kept()
def _violins(
    runs: tuple[str, ...], models: tuple[str, ...], kind: str, scale: str, category: str, focus: str,
    unit: str, absolute: bool, by: str, _frame: pd.DataFrame, _whole: pd.DataFrame,
) -> tuple[Markup, int]:  # fmt: skip
    """(HTML, how many violins are in each panel). The frames follow from what stands before them: the quads that are
    shown, and all of them, which give the axes their scale."""
    del runs, kind, scale, category
    rows = violin_rows(_frame, models, focus, by)
    every = violin_rows(_whole, models if by == "models" else (focus,), focus, "models")
    panels = []
    for name, (title, _) in MEASURES.items():
        line = []
        for end, of, what in (("", unit, unit), ("_scale_free", "σ", "scale-free, σ")):
            drawn = [shown.of(_frame, f"{name}{end}", absolute) for shown in rows]
            axis = axis_of([each.of(_whole, f"{name}{end}", absolute) for each in every], of, absolute)
            line.append((what, panel(drawn, axis, f"{title}, {what}")))
        drawn = [shown.of(_frame, f"{name}_over_margin", True) for shown in rows]
        line.append(("over the margin: |deviation| ÷ |group margin|", panel(drawn, RATIO, f"{title} over the margin")))
        panels.append(line)
    named = [shown.of(_frame, "v1", absolute) for shown in rows]
    return violin_grid(panels, named, dict(MEASURES.values())), len(rows)


@dataclass(frozen=True)
class Row:
    """A violin: which rows of the frame it is of."""

    name: str
    colour: str
    keep: pd.Series
    dot: Markup

    def of(self, frame: pd.DataFrame, column: str, absolute: bool) -> Violin:
        """Its values of one column."""
        values = frame.loc[self.keep, column].to_numpy(dtype=np.float64)
        return Violin(self.name, self.colour, np.abs(values) if absolute else values, self.dot)


def violin_rows(frame: pd.DataFrame, models: Sequence[str], focus: str, by: str) -> list[Row]:
    """A row a model; or of the model in focus one a subset or concept, the `MOST_ROWS` largest in their own order."""
    names, dots = colours.labels(models), colours.of_models(models)
    if by == "models":
        return [Row(names[m], dots[m], frame["model"] == m, colours.dot(m)) for m in models]
    own = frame["model"] == focus
    groups = frame["subset" if by == "subsets" else "concept"].astype(str)
    size = groups[own].value_counts()
    kept = set(size.index[:MOST_ROWS])
    mark, named = colours.dot(focus), (g for g in dict.fromkeys(groups[own]) if g in kept)
    return [Row(titles(g), dots[focus], own & (groups == g), mark) for g in named]


def worst(own: pd.DataFrame, by: str) -> list[str]:
    """Item ids, the worst first: the largest deviation in size, or the lowest group margin.

    >>> worst(pd.DataFrame({"item_id": ["a", "b"], "v1": [0.1, -0.3], "group_margin": [1.0, 2.0]}), "v1")
    ['b', 'a']
    """
    sizes = own[by] if by == "group_margin" else -own[by].abs()
    return [str(i) for i in own.loc[sizes.sort_values(kind="stable").index, "item_id"]]


def _mean(values: pd.Series) -> float | None:
    known = values.abs().dropna()
    return float(known.mean()) if len(known) else None


def _median(values: pd.Series) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.median()) if len(known) else None
