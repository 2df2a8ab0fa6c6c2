"""Distributions of EqSim's deviations as small drawings: one violin a model or category, with its median and quartiles.

Drawn here as SVG rather than by a chart library: nine panels appear at once, in the page's own colours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from pages.shared.drawing import component
from pages.shared.drawing.numbers import score
from pages.shared.frame.style import checked

HERE = Path(__file__).parent
BINS = 96
WIDE, ROW = 300, 25
#: |deviation| / |margin| has a heavy tail: its axis is logarithmic over this range, what lies beyond stands at an end.
RATIOS = (0.01, 100.0)

_component = component.load(
    "flipside_violins",
    component.DRAWN,
    html='<div class="fs-drawing" data-drawn></div>',
    style=HERE / "violins.css",
    isolate_styles=False,
)


@dataclass(frozen=True)
class Violin:
    """One row. values: float64 (n,), NaN where undefined; dot: its model's mark as HTML."""

    name: str
    colour: str
    values: NDArray[np.float64]
    dot: Markup | None = None


@dataclass(frozen=True)
class Axis:
    """low and high end; log: logarithmic; unit for people."""

    low: float
    high: float
    unit: str
    log: bool = False

    def place(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Positions 0 … 1 along the axis; what lies beyond stands at an end.

        >>> Axis(0.01, 100.0, "", log=True).place(np.array([0.0, 1.0, 1000.0])).tolist()
        [0.0, 0.5, 1.0]
        """
        with np.errstate(divide="ignore"):
            ends = np.log10([self.low, self.high]) if self.log else np.array([self.low, self.high])
            shown = np.log10(values) if self.log else values
        return np.asarray(np.clip((shown - ends[0]) / (ends[1] - ends[0]), 0.0, 1.0), dtype=np.float64)

    def ticks(self) -> list[float]:
        """Where to write a number."""
        if self.log:
            return [0.01, 0.1, 1.0, 10.0, 100.0]
        return [self.low, (self.low + self.high) / 2, self.high]


def axis_of(rows: Sequence[Violin], unit: str, absolute: bool) -> Axis:
    """An axis that shows all but the farthest 2 %, symmetric about zero where deviations are signed."""
    every = np.abs(np.concatenate([row.values for row in rows])) if rows else np.zeros(0)
    every = every[np.isfinite(every)]
    half = float(np.quantile(every, 0.98)) * 1.1 if len(every) and every.max() > 0 else 1.0
    return Axis(0.0 if absolute else -half, half, unit)


def density(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """A smooth density of positions in [0, 1] on `BINS` cells, its height scaled to 1; zeros without any.

    Cells smoothed by a Gaussian of Scott's width (n^(-1/5) standard deviations), reflected at both ends.

    >>> float(density(np.array([0.5])).max()), float(density(np.zeros(0)).max())
    (1.0, 0.0)
    """
    counts, _ = np.histogram(positions, bins=BINS, range=(0.0, 1.0))
    if not len(positions):
        return np.zeros(BINS)
    width = max(0.8, float(np.std(positions)) * len(positions) ** -0.2 * BINS)
    smooth = gaussian_filter1d(counts.astype(np.float64), width, mode="reflect")
    return np.asarray(smooth / smooth.max(), dtype=np.float64)


def panel(rows: Sequence[Violin], axis: Axis, says: str) -> Markup:
    """All rows on one axis, as HTML. says: what it shows, for those who cannot see it."""
    tall = ROW * len(rows)
    marks = axis.place(np.array(axis.ticks())).tolist()
    drawn = [
        Markup('<path class="fs-v-grid" vector-effect="non-scaling-stroke" d="M{},0V{}"/>').format(_x(t), tall)
        for t in marks
    ]
    told = []
    for k, row in enumerate(rows):
        known = row.values[np.isfinite(row.values)]
        if len(known):
            shape, line = _violin(row, known, axis, ROW * (k + 0.5))
            drawn.append(shape)
            told.append(line)
        else:
            told.append(f"{row.name}: nothing")
    ends = Markup().join(Markup("<span>{}</span>").format(_tick(tick, axis.low < 0)) for tick in axis.ticks())
    return Markup(
        '<svg class="fs-v" style="height:{tall}px" viewBox="0 0 {wide} {tall}" preserveAspectRatio="none" role="img" '
        'aria-label="{says}. {told}">{drawn}</svg><div class="fs-v-ticks" '
        'aria-hidden="true">{ends}</div>'
    ).format(tall=tall, wide=WIDE, says=says, told="; ".join(told), drawn=Markup().join(drawn), ends=ends)


def _violin(row: Violin, known: NDArray[np.float64], axis: Axis, middle: float) -> tuple[Markup, str]:
    """(the shape with its quartiles, the same in words)."""
    heights = density(axis.place(known)) * (ROW / 2 - 2)
    centres = ((np.arange(BINS) + 0.5) / BINS).tolist()
    upper = [f"{_x(c)},{middle - h:.1f}" for c, h in zip(centres, heights.tolist(), strict=True)]
    lower = [f"{_x(c)},{middle + h:.1f}" for c, h in zip(centres, heights.tolist(), strict=True)]
    quartiles = np.quantile(known, (0.25, 0.5, 0.75))
    a, b, c = axis.place(quartiles).tolist()
    size = score(float(np.abs(known[np.isfinite(known)]).mean()))
    line = f"{row.name}: median {score(float(quartiles[1]), signed=axis.low < 0)}, mean size {size}"
    kept = Markup('stroke="{}" vector-effect="non-scaling-stroke" stroke-linecap="round"').format(row.colour)
    return (
        Markup(
            '<g><title>{line}, n = {n:,}</title><path d="M{outline}z" '
            'fill="{colour}" opacity=".5"/><path d="M{first},{middle}H{third}" {kept} stroke-width="3"/>'
            '<path class="fs-v-rim" d="M{second},{middle}h0" vector-effect="non-scaling-stroke"/>'
            '<path d="M{second},{middle}h0" {kept} stroke-width="7"/></g>'
        ).format(
            line=line,
            n=len(known),
            outline="L".join(upper + lower[::-1]),
            colour=row.colour,
            first=_x(a),
            middle=middle,
            third=_x(c),
            kept=kept,
            second=_x(b),
        )
    ), line


def grid(panels: Sequence[Sequence[tuple[str, Markup]]], rows: Sequence[Violin], titles: Mapping[str, str]) -> Markup:
    """Panels (what, SVG) in rows under each other, the names of the violins left of each row, as HTML. titles: of the
    rows, with their formula."""
    names = Markup().join(
        Markup('<li style="height:{}px">{}{}</li>').format(ROW, row.dot or "", row.name) for row in rows
    )
    body = Markup()
    for (title, formula), line in zip(titles.items(), panels, strict=True):
        cells = Markup().join(
            Markup("<figure><figcaption>{}</figcaption>{}</figure>").format(what, drawn) for what, drawn in line
        )
        head = Markup("<b>{}</b><small>{}</small>").format(title, formula)
        body += Markup('<div class="fs-v-name">{}<ul>{}</ul></div>{}').format(head, names, cells)
    return Markup('<div class="fs-violins">{}</div>').format(body)


def draw(html: Markup, key: str) -> None:
    """Put them on the page: `st.html` takes SVG out."""
    _component(data={"html": checked(html)}, key=key)


def _x(position: float) -> str:
    return f"{position * WIDE:.1f}"


def _tick(value: float, signed: bool) -> str:
    return "0" if value == 0 else f"{value:g}" if value in (0.01, 0.1, 1.0, 10.0, 100.0) else score(value, signed)
