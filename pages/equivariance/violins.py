"""Distributions of EqSim's deviations as small drawings: one violin a model or category, with its median and quartiles.

Drawn here as SVG rather than by a chart library: nine panels appear at once, in the page's own colours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from streamlit.components import v2

from pages.shared.drawing.numbers import score

HERE = Path(__file__).parent
BINS = 96
WIDE, ROW = 300, 25
#: |deviation| / |margin| has a heavy tail: its axis is logarithmic over this range, what lies beyond stands at an end.
RATIOS = (0.01, 100.0)

_component = v2.component(
    "flipside_violins",
    html='<div class="fs-drawing"></div>',
    css=(HERE / "violins.css").read_text(encoding="utf-8"),
    js=(HERE / "violins.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


@dataclass(frozen=True)
class Violin:
    """One row. values: float64 (n,), NaN where undefined; dot: its model's mark as HTML."""

    name: str
    colour: str
    values: NDArray[np.float64]
    dot: str = ""


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


def panel(rows: Sequence[Violin], axis: Axis, says: str) -> str:
    """All rows on one axis, as HTML. says: what it shows, for those who cannot see it."""
    tall = ROW * len(rows)
    marks = axis.place(np.array(axis.ticks())).tolist()
    drawn = [f'<path class="fs-v-grid" vector-effect="non-scaling-stroke" d="M{_x(t)},0V{tall}"/>' for t in marks]
    told = []
    for k, row in enumerate(rows):
        known = row.values[np.isfinite(row.values)]
        if len(known):
            shape, line = _violin(row, known, axis, ROW * (k + 0.5))
            drawn.append(shape)
            told.append(line)
        else:
            told.append(f"{row.name}: nothing")
    ends = "".join(f"<span>{_tick(tick, axis.low < 0)}</span>" for tick in axis.ticks())
    return (
        f'<svg class="fs-v" style="height:{tall}px" viewBox="0 0 {WIDE} {tall}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(says)}. {escape("; ".join(told))}">{"".join(drawn)}</svg><div class="fs-v-ticks" '
        f'aria-hidden="true">{ends}</div>'
    )


def _violin(row: Violin, known: NDArray[np.float64], axis: Axis, middle: float) -> tuple[str, str]:
    """(the shape with its quartiles, the same in words)."""
    heights = density(axis.place(known)) * (ROW / 2 - 2)
    centres = ((np.arange(BINS) + 0.5) / BINS).tolist()
    upper = [f"{_x(c)},{middle - h:.1f}" for c, h in zip(centres, heights.tolist(), strict=True)]
    lower = [f"{_x(c)},{middle + h:.1f}" for c, h in zip(centres, heights.tolist(), strict=True)]
    quartiles = np.quantile(known, (0.25, 0.5, 0.75))
    a, b, c = axis.place(quartiles).tolist()
    size = score(float(np.abs(known[np.isfinite(known)]).mean()))
    line = f"{row.name}: median {score(float(quartiles[1]), signed=axis.low < 0)}, mean size {size}"
    kept = f'stroke="{row.colour}" vector-effect="non-scaling-stroke" stroke-linecap="round"'
    return (
        f'<g><title>{escape(line)}, n = {len(known):,}</title><path d="M{"L".join(upper + lower[::-1])}z" '
        f'fill="{row.colour}" opacity=".5"/><path d="M{_x(a)},{middle}H{_x(c)}" {kept} stroke-width="3"/>'
        f'<path class="fs-v-rim" d="M{_x(b)},{middle}h0" vector-effect="non-scaling-stroke"/>'
        f'<path d="M{_x(b)},{middle}h0" {kept} stroke-width="7"/></g>'
    ), line


def grid(panels: Sequence[Sequence[tuple[str, str]]], rows: Sequence[Violin], titles: Mapping[str, str]) -> str:
    """Panels (what, SVG) in rows under each other, the names of the violins left of each row, as HTML. titles: of the
    rows, with their formula."""
    names = "".join(f'<li style="height:{ROW}px">{row.dot}{escape(row.name)}</li>' for row in rows)
    body = ""
    for (title, formula), line in zip(titles.items(), panels, strict=True):
        cells = "".join(f"<figure><figcaption>{escape(what)}</figcaption>{drawn}</figure>" for what, drawn in line)
        head = f"<b>{escape(title)}</b><small>{escape(formula)}</small>"
        body += f'<div class="fs-v-name">{head}<ul>{names}</ul></div>{cells}'
    return f'<div class="fs-violins">{body}</div>'


def draw(html: str, key: str) -> None:
    """Put them on the page: `st.html` takes SVG out."""
    _component(data={"html": html}, key=key)


def _x(position: float) -> str:
    return f"{position * WIDE:.1f}"


def _tick(value: float, signed: bool) -> str:
    return "0" if value == 0 else f"{value:g}" if value in (0.01, 0.1, 1.0, 10.0, 100.0) else score(value, signed)
