"""What Equivariance is made of: the quads of all models, the table of rates and deviations, violins, the gallery."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from backend.metrics import statistics
from backend.metrics.chance import FIXED
from pages.parts import address, colours, gallery, item_view, stored
from pages.parts.equivariance_view import MEASURES
from pages.parts.equivariance_view import violins as violin_panel
from pages.parts.gallery import Card
from pages.parts.header import chart_caption
from pages.parts.numbers import DASH, score
from pages.parts.style import show
from pages.parts.tips import metric_tip

SCORES = ("text_score", "image_score", "group_score")
SHOWN = 8
WORST = {
    "v2_text": "text side deviates most",
    "v2_image": "image side deviates most",
    "v1": "v1 deviates most",
    "group_margin": "furthest from right",
}


def quads(benchmark: stored.Chosen, models: Sequence[str], kind: str, scale: str, category: str | None) -> pd.DataFrame:
    """The quads of all models with scores, deviations and verdicts; a column `model` tells them apart."""
    parts = []
    for model in models:
        found = stored.deviations(benchmark.runs[model], kind, scale)
        found = found if category is None else found[found["subset"] == category]
        verdicts = {s: found[f"{s.removesuffix('_score')}_margin"].gt(0) for s in SCORES}
        parts.append(found.assign(model=model, **verdicts))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def rows(frame: pd.DataFrame, models: Sequence[str]) -> list[dict[str, object]]:
    """For each model its three scores (a `Rate` each) and the mean size of each deviation, raw and scale-free."""
    found = []
    for model in models:
        own = frame[frame["model"] == model]
        line: dict[str, object] = {"model": model}
        for name in SCORES:
            margin = own[f"{name.removesuffix('_score')}_margin"]
            line[name] = statistics.rate((margin > 0).to_numpy(), margin.notna().to_numpy(), (margin == 0).to_numpy())
        for name in MEASURES:
            line[name] = _mean(own[name])
            line[f"{name}_scale_free"] = _mean(own[f"{name}_scale_free"])
            line[f"{name}_over_margin"] = _median(own[f"{name}_over_margin"])
        found.append(line)
    return found


def table(frame: pd.DataFrame, models: Sequence[str], focus: str, unit: str) -> None:
    """Rates left, mean absolute deviations right."""
    names, dots = colours.labels(models), colours.of_models(models)
    heads = "".join(
        f'<th scope="col" title="{escape(metric_tip(name))}">{name.replace("_", " ")}<br>chance {100 * FIXED[name]:.1f}'
        " %</th>"
        for name in SCORES
    )
    heads += "".join(
        f'<th scope="col" title="mean of |{escape(formula)}|; σ: over the standard deviation of the quads\' cells; '
        f'÷ margin: median of |deviation| / |group margin|">|{escape(title)}|<br>σ · ÷ margin</th>'
        for title, formula in MEASURES.values()
    )
    body = ""
    for line in rows(frame, models):
        model = str(line["model"])
        cells = ""
        for name in SCORES:
            found = line[name]
            assert isinstance(found, statistics.Rate)  # noqa: S101 - narrows the type of a mixed row
            low, high = found.ci95 or (0.0, 0.0)
            spread = max((found.value or 0) - low, high - (found.value or 0))
            shown = (
                f"<b>{100 * found.value:.1f}</b><small>± {100 * spread:.1f}</small>"
                if found.value is not None
                else DASH
            )
            cells += f"<td>{shown}</td>"
        for name in MEASURES:
            raw, free, over = line[name], line[f"{name}_scale_free"], line[f"{name}_over_margin"]
            cells += f"<td><b>{score(raw)}</b><small>{score(free)} σ · {score(over)}</small></td>"  # type: ignore[arg-type]
        dot = f'<i class="fs-dot" style="background:{dots[model]}"></i>'
        row = ' class="fs-focus"' if model == focus else ""
        body += f'<tr{row}><th scope="row">{dot}{escape(names[model])}</th>{cells}</tr>'
    n = int(frame.groupby("model").size().max())
    show(
        f'<div class="fs-scroll" tabindex="0" role="region" aria-label="rates and deviations by model">'
        f'<table class="fs-table"><thead><tr><th></th>{heads}</tr></thead><tbody>{body}</tbody>'
        "</table></div>"
    )
    chart_caption(
        f"Rates in per cent with half their 95 % interval, n = {n:,} quads; ties fail. Deviations: mean absolute value "
        f"({unit}), small: scale-free and over the margin. A model is good where rates are high and σ is small."
    )


def violins(frame: pd.DataFrame, models: Sequence[str], unit: str, absolute: bool) -> None:
    """Three pairs of panels: each deviation raw, and beside it scale-free."""
    names, dots = colours.labels(models), colours.of_models(models)
    grid = st.grid(3, min_column_width=300, gap="small")
    for name, (title, _) in MEASURES.items():
        with grid.cell():
            for column, end in zip(st.columns([3, 2], gap="xsmall"), ("", "_scale_free"), strict=True):
                spec = violin_panel(
                    frame, f"{name}{end}", models, names, dots, title=title if not end else "scale-free",
                    unit=unit if not end else "σ", absolute=absolute, labels=not end,
                )  # fmt: skip
                says = f"{title} {'scale-free' if end else ''}: a violin for each model"
                column.vega_lite_chart(spec, alt=says, key=f"v-{name}{end}")


def gallery_of(
    benchmark: stored.Chosen, own: pd.DataFrame, ids: Sequence[str], model: str, kind: str
) -> tuple[str | None, list[str]]:
    """The selected quads, or the worst ones; (the opened item, the ids that ← and → walk along)."""
    if ids:
        order = list(ids)
        st.markdown(f"**{len(order):,} selected** · double-click the plane to let go")
    else:
        by = st.selectbox(
            "Worst quads", list(WORST), key=address.one("worst", list(WORST), "v2_text"), format_func=WORST.__getitem__
        )
        order = worst(own, by or "v2_text")
    cards = []
    index = own.set_index("item_id")
    for item_id in order[:SHOWN]:
        detail = stored.item(benchmark.hash, item_id)
        line: Any = index.loc[item_id]
        head = (
            f"{item_id} · v1 {score(line.v1, signed=True)} · v2 text {score(line.v2_text, signed=True)} · image "
            f"{score(line.v2_image, signed=True)}"
        )
        html = item_view.card(detail, "group_score", kind, [model], heading=head, width=66)
        cards.append(Card(item_id, html, f"item {item_id}"))
    opened = gallery.draw(cards, "quads", compact=True)
    if len(order) > SHOWN:
        chart_caption(f"… and {len(order) - SHOWN:,} more; open one and walk on with →.")
    return opened, order


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
