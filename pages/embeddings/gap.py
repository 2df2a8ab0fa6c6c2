"""How far apart each model puts images and captions: the table of gaps and the cosines of pairs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from markupsafe import Markup

from backend import written
from backend.finding import Finding
from pages.embeddings.data import Apart
from pages.embeddings.view import densities
from pages.shared.drawing import colours, finding
from pages.shared.drawing.numbers import DASH, score
from pages.shared.drawing.scales import scale
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption
from pages.shared.frame.style import show

GAP_TIP = (
    "Length of the difference between the centroid of the images and the centroid of the captions, vectors "
    "L2-normalised; 0 to 2 (Liang et al. 2022, Mind the Gap, section 4). 95 % interval: by halves of the items."
)
FLOOR_TIP = "The length that sampling alone would show if there were no gap (root mean square)."
#: Sort of pair → colour, dash.
PAIRS = {
    "together": ("#009e73", []),
    "same item, not together": ("#d55e00", [6, 3]),
    "different items": ("#8c8c8c", [2, 3]),
}


def table(found: Sequence[Apart], focus: str) -> None:
    """A line a model."""
    names = colours.labels([a.model for a in found])
    lines = []
    for one in found:
        dot = colours.dot(one.model)
        cells = [f"{one.n_images:,}", f"{one.n_texts:,}", *_numbers(one)]
        mark = Markup(' class="fs-focus"') if one.model == focus else ""
        inner = Markup().join(Markup("<td>{}</td>").format(cell) for cell in cells)
        lines.append(Markup("<tr{}><th scope='row'>{}{}</th>{}</tr>").format(mark, dot, names[one.model], inner))
    heads = [
        ("model", ""), ("images", ""), ("captions", ""), ("modality gap", GAP_TIP), ("floor", FLOOR_TIP),
        ("cosine, together", "Mean cosine of images with their own captions, 95 % interval over items."),
        ("same item, not together", "Mean cosine of images with the wrong captions of their own item: the hard foils."),
        ("different items", "Mean cosine of images with captions of other items, a seeded sample of pairs."),
    ]  # fmt: skip
    head = Markup().join(Markup('<th scope="col" title="{}">{}</th>').format(tip, name) for name, tip in heads)
    show(
        Markup(
            '<div class="fs-scroll" tabindex="0" role="region" aria-label="Modality gap of each model"><table '
            'class="fs-table fs-gaps"><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>'
        ).format(head, Markup().join(lines))
    )
    chart_caption(
        "Gap: distance between the centroids of images and captions on the unit sphere, 0 to 2, with its 95 % interval "
        "over items (Liang et al. 2022). A gap is no failure in itself: it moves all cosines alike. What matters: how "
        "far the first cosine lies above the other two, and whether the hard foils lie above strangers."
    )


def _numbers(one: Apart) -> list[str]:
    if one.gap is None:
        return [Markup('<span title="this model reads captions alone">{}</span>').format(DASH), *[DASH] * 4]
    gap = _with_interval(one.gap.size, one.gap.ci95)
    matched = _with_interval(*one.matched) if one.matched else DASH
    pairs = one.cosines
    wrong = (pairs.foils, pairs.others) if pairs else ()
    means = [float(values.mean()) if len(values) else None for values in wrong]
    return [gap, score(one.gap.floor), matched, *(score(mean) for mean in means)]


def _with_interval(value: float, ci95: tuple[float, float] | None) -> Markup | str:
    if ci95 is None:
        return score(value)
    return Markup("{} <small>[{}, {}]</small>").format(score(value), score(ci95[0]), score(ci95[1]))


def to_copy(one: Apart, name: str, setting: Sequence[str]) -> str:
    """The mean cosines of the three sorts of pairs in one sentence; "" without pairs that belong together. name: of the
    model; setting: which part of which benchmark, in words."""
    pairs, matched = one.cosines, one.matched
    if pairs is None or matched is None:
        return ""
    others = [
        f"{score(float(values.mean()))} {words}"
        for values, words in ((pairs.foils, "for pairs of one item that do not belong together"),
                              (pairs.others, "for a sample of pairs of different items")) if len(values)
    ]  # fmt: skip
    claim = f"Under {name} images and their own captions have a cosine of {{}}"
    claim += f", against {' and '.join(others)}" if others else ""
    setting = ("no test", *setting)
    return Finding(claim, len(pairs.matched), setting, matched[0], matched[1], unit="on average", counted="pairs").said


def chart(one: Apart, name: str, benchmark: str, part: str) -> None:
    """Distributions of the cosines of pairs that belong together and of those that do not. benchmark, part: in words,
    for the finding."""
    if one.cosines is None:
        return
    found = one.cosines
    groups = {"together": found.matched, "same item, not together": found.foils, "different items": found.others}
    rows = densities({key: np.asarray(values) for key, values in groups.items()})
    if not rows:
        return
    rows = [row | {"said": written.percent(row["share"])} for row in rows]
    there = [key for key in PAIRS if any(row["group"] == key for row in rows)]
    shades = {"domain": there, "range": [PAIRS[key][0] for key in there]}
    dash = {"domain": there, "range": [PAIRS[key][1] or [1, 0] for key in there]}
    legend = {"orient": "top", "title": None, "labelLimit": 260, "symbolStrokeWidth": 2.5}
    spec: dict[str, Any] = {
        "data": {"values": rows},
        "height": 300,
        "mark": {"type": "line", "interpolate": "step", "strokeWidth": 2.2},
        "encoding": {
            "x": {"field": "cosine", "type": "quantitative", "title": f"cosine of image and caption, {name}",
                  "scale": scale(rows, "cosine", nice=False), "axis": {"tickCount": 8}},
            "y": {"field": "share", "type": "quantitative", "title": "share of the pairs", "axis": {"format": "%"},
                  "scale": scale(rows, "share", zero=True)},
            "color": {"field": "group", "type": "nominal", "scale": shades, "legend": legend},
            "strokeDash": {"field": "group", "type": "nominal", "scale": dash, "legend": legend},
            "tooltip": [{"field": "group", "title": "pairs"}, {"field": "cosine", "format": ".3f"},
                        {"field": "said", "title": "share"}, {"field": "n", "title": "pairs in all", "format": ","}],
        },
    }  # fmt: skip
    st.vega_lite_chart(
        spec, alt=f"Cosines of {name}: pairs that belong together and pairs that do not", key="pair-cosines"
    )
    said = "Where the green curve does not overlap the others, one threshold on the cosine tells them apart."
    if len(found.foils):
        said += " Where the hard foils (dashed) lie on it, the model does not see what the words change."
    chart_caption(said)
    finding.draw(
        to_copy(one, name, (part, benchmark)), "pair-cosines", "pair-cosines", f"flipside-{benchmark}-cosines",
        link=address.named("benchmark", "model", "part"),
    )  # fmt: skip
