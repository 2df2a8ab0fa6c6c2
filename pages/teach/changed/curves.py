"""Deviation curves overlaid: EqSim's deviations and binding before, after, and after the plain training.

As in the EqSim paper's Figure 6: the tighter a curve about zero, the smaller the deviations. Drawn twice, in the unit
of the scores and over their standard deviation, because a raw deviation shrinks with the scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from backend import written
from pages.compare.sides import Named
from pages.compare.view import LEVEL
from pages.shared.data.frames import lines_of
from pages.shared.drawing import component, signs
from pages.shared.drawing.numbers import score
from pages.shared.frame.style import checked

#: Column of `spread.quads` -> (title, formula).
DRAWN = {
    "v1": ("v1", "s12 − s21"),
    "v2_text": ("v2, text side", "(s11 − s12) − (s22 − s21)"),
    "v2_image": ("v2, image side", "(s11 − s21) − (s22 − s12)"),
    "gamma": ("binding γ", "(s11 − s12 − s21 + s22) / 4"),
}
#: Measure of `spread.means` -> (title, what is better, 1 more, -1 less, 0 neither).
SIZES = {
    "|v1|": ("|v1|", -1), "|v2_text|": ("|v2|, text side", -1), "|v2_image|": ("|v2|, image side", -1),
    "gamma": ("γ, binding", 1), "|gamma|": ("|γ|", 0), "|c|": ("|c|, caption bias", -1), "|r|": ("|r|, image bias", -1),
}  # fmt: skip
BINS, WIDTH, HEIGHT = 160, 260, 118
LEFT, RIGHT, TOP, BOTTOM = 6, 6, 8, 20
#: Stroke of each position: before, after, the plain training.
DASHES = ("2 3", "", "7 4")

_component = component.load(
    "flipside_curves", component.DRAWN, html='<div class="tc-curves" data-drawn></div>', isolate_styles=False
)


@dataclass(frozen=True)
class Curve:
    """One system in one panel. values: float64 (n,); dash: of its stroke, "" for a plain line."""

    name: str
    colour: str
    dash: str
    values: NDArray[np.float64]


def half_axis(curves: Sequence[Curve]) -> float:
    """An axis symmetrical about zero, as far as all but the farthest 1 % of every curve."""
    ends = [float(np.quantile(np.abs(curve.values), 0.99)) for curve in curves if len(curve.values)]
    return (max(ends, default=0.0) or 1.0) * 1.08


def density(values: NDArray[np.float64], half: float) -> NDArray[np.float64]:
    """A smooth density on BINS cells from -half to half, of area at most 1 there (what lies beyond is left out).

    Cells smoothed by a Gaussian of Scott's width, 1.06 · sd · n^(-1/5).

    >>> at = density(np.array([0.0, 0.1, -0.1]), 1.0)
    >>> len(at), bool(np.isclose(at.sum() * 2 / BINS, 1.0))
    (160, True)
    """
    if not len(values):
        return np.zeros(BINS)
    cell = 2 * half / BINS
    counts, _ = np.histogram(values, bins=BINS, range=(-half, half))
    width = max(1.0, 1.06 * float(np.std(values)) * len(values) ** -0.2 / cell)
    smooth = gaussian_filter1d(counts.astype(np.float64), width, mode="constant")
    return np.asarray(smooth / (len(values) * cell), dtype=np.float64)


def panels(frames: Sequence[pd.DataFrame], named: Sequence[Named], unit: str) -> Markup:
    """The legend and two rows of panels, as HTML: in the unit of the scores, then over their standard deviation."""
    lines = legend(named)
    for over in (False, True):
        head = "over the standard deviation of the scores" if over else f"as scored ({unit})"
        cells = Markup()
        for column, (title, formula) in DRAWN.items():
            curves = [
                Curve(entry.label, entry.colour, DASHES[k], _known(frame[f"{column}_sd" if over else column]))
                for k, (entry, frame) in enumerate(zip(named, frames, strict=True))
            ]
            cells += panel(title, formula, curves, "" if over else unit)
        lines += Markup('<h3 class="cmp-sub">{}</h3><div class="tc-row">{}</div>').format(
            head[:1].upper() + head[1:], cells
        )
    return lines


def _known(values: "pd.Series[float]") -> NDArray[np.float64]:
    found = np.asarray(values.to_numpy(dtype=np.float64), dtype=np.float64)
    return np.asarray(found[np.isfinite(found)], dtype=np.float64)


def panel(title: str, formula: str, curves: Sequence[Curve], unit: str) -> Markup:
    """One panel: the curves on one axis with zero in its middle."""
    half = half_axis(curves)
    each = [density(curve.values, half) for curve in curves]
    top = max((float(line.max()) for line in each), default=0.0) or 1.0
    centres = (np.arange(BINS) + 0.5) / BINS

    def x(share: float) -> float:
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    base = HEIGHT - BOTTOM
    drawn = Markup('<line class="cmp-grid" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>').format(x(0.5), TOP, base)
    drawn += Markup('<line class="cmp-grid" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(LEFT, WIDTH - RIGHT, base, base)
    told = []
    for curve, line in zip(curves, each, strict=True):
        points = " ".join(
            f"{x(float(c)):.1f},{base - float(v) / top * (base - TOP):.1f}" for c, v in zip(centres, line, strict=True)
        )
        size = score(float(np.abs(curve.values).mean())) if len(curve.values) else written.DASH
        tip = f"{curve.name}: mean size {size} {unit}".rstrip() + f", n = {len(curve.values):,}"
        told.append(tip)
        drawn += Markup(
            '<g><title>{}</title><polyline class="tc-hit" points="{}"/><polyline class="tc-curve" points="{}" '
            'stroke="{}" stroke-dasharray="{}"/></g>'
        ).format(tip, points, points, curve.colour, curve.dash)
    for share, anchor, value in ((0.0, "start", -half), (0.5, "middle", 0.0), (1.0, "end", half)):
        drawn += Markup('<text class="cmp-tick" x="{:.1f}" y="{}" text-anchor="{}">{}</text>').format(
            x(share), HEIGHT - 6, anchor, score(value, signed=True) if value else "0"
        )
    return Markup(
        '<figure class="tc-panel"><figcaption>{}<small>{}</small></figcaption><svg viewBox="0 0 {} {}" role="img" '
        'aria-label="{}">{}</svg></figure>'
    ).format(title, formula, WIDTH, HEIGHT, f"{title}: " + "; ".join(told), drawn)


def legend(named: Sequence[Named]) -> Markup:
    """Which line is whose."""
    items = Markup().join(
        Markup(
            '<span class="cmp-who"><svg class="tc-key" viewBox="0 0 28 8" aria-hidden="true"><line x1="0" x2="28" '
            'y1="4" y2="4" stroke="{}" stroke-dasharray="{}"/></svg>{}<small>{}</small></span>'
        ).format(entry.colour, DASHES[k], entry.label, ("before", "after", "plain training")[k])
        for k, entry in enumerate(named)
    )
    return Markup('<p class="cmp-legend">{}</p>').format(items)


def draw(html: Markup, key: str) -> None:
    """Put them on the page: `st.html` takes SVG out."""
    _component(data={"html": checked(html)}, key=key)


def table(means: pd.DataFrame, named: Sequence[Named], order: Sequence[int], left: int, last: int) -> Markup:
    """Mean sizes of each, and how far after is from what it stands against, raw and over the standard deviation."""
    heads = Markup()
    for over in (False, True):
        unit = "over the scores’ standard deviation" if over else "as scored"
        for k in order:
            heads += Markup('<th scope="col" title="mean, {}">{}<small>{}</small></th>').format(
                unit, named[k].label, "/ sd" if over else "raw"
            )
        heads += Markup(
            '<th scope="col" title="{} − {}, {}, with its 95 % interval, paired by quad (random halves of the images)">'
            "difference<small>{}</small></th>"
        ).format(named[last].label, named[left].label, unit, "/ sd" if over else "raw")
    body = Markup()
    for measure, (title, better) in SIZES.items():
        cells = Markup()
        for over in (False, True):
            own = means[(means["measure"] == measure) & (means["over_sd"] == over)]
            of = {int(row.side): row for row in lines_of(own)}
            for k in order:
                cells += Markup('<td title="n = {:,}">{}</td>').format(of[k].n, score(of[k].mean))
            cells += _difference(of[last], better)
        body += Markup('<tr><th scope="row">{}</th>{}</tr>').format(title, cells)
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="Mean deviations and biases"><table '
        'class="fs-table cmp-tests tc-means"><thead><tr><th scope="col" title="mean over quads">mean of</th>{}</tr>'
        "</thead><tbody>{}</tbody></table></div>"
    ).format(heads, body)


def _difference(row: Any, better: int) -> Markup:
    value, low, high, p, holm = row.difference, row.low, row.high, row.p, row.holm
    if value != value:
        return Markup('<td class="tc-none">–</td>')
    look = signs.css_class(value * better) if holm <= LEVEL else ""
    ends = f"[{score(low, signed=True)}, {score(high, signed=True)}]" if low == low else ""
    tip = f"{written.p_value(p)}, by random halves of the images; {written.p_value(holm, 'Holm’s p')} over the table"
    return Markup('<td title="{}"><b class="{}">{}</b><small>{}</small></td>').format(
        tip, look, score(value, signed=True), ends
    )


def caption(frames: Sequence[pd.DataFrame], named: Sequence[Named], order: Sequence[int]) -> str:
    """How to read them, and what became of the scores themselves."""
    spread = ", ".join(f"{score(float(frames[k]['cells'].mean()))} {named[k].label}" for k in order)
    return (
        "The tighter a curve about zero, the smaller the deviations (EqSim, Figure 6); binding γ should lie right of "
        "zero. A raw deviation shrinks with the scores, without anything learned: their standard deviation is "
        f"{spread}. The lower row is over it. γ, c and r are those of docs/reasons.md: raw cosines have v1 = 2(r − c), "
        "v2 text side = 4c, v2 image side = 4r. In the table a difference has a colour where it is beyond chance "
        "(Holm’s p ≤ .05 over the table)."
    )
