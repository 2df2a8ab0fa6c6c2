"""Small multiples over training steps, as one HTML grid of SVG panels: a line, its interval, a dot a checkpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from streamlit.components import v2

_component = v2.component(
    "flipside_steps",
    html='<div class="cmp-steps"></div>',
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
    isolate_styles=False,
)
WIDTH, HEIGHT = 240, 128
LEFT, RIGHT, TOP, BOTTOM = 34, 10, 10, 22


@dataclass(frozen=True, slots=True)
class Point:
    """A checkpoint: value with its interval (None: no interval), and what its tip says."""

    step: float
    value: float
    low: float | None
    high: float | None
    colour: str
    tip: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel: title, its points by step, the level of chance or None."""

    title: str
    points: Sequence[Point]
    chance: float | None = None


def grid(panels: Sequence[Panel], low: float, high: float, *, percent: bool, unit: str) -> str:
    """The HTML of all panels on the same axes, from low to high upwards; per cent where percent."""
    steps = [point.step for panel in panels for point in panel.points]
    if not steps:
        return ""
    first, last = min(steps), max(steps)
    return "".join(_panel(panel, first, last, low, high, percent, unit) for panel in panels)


def draw(html: str, key: str) -> None:
    """Put a grid on the page."""
    _component(data={"html": html}, key=key)


def _panel(panel: Panel, first: float, last: float, low: float, high: float, percent: bool, unit: str) -> str:
    def x(step: float) -> float:
        share = (step - first) / (last - first) if last > first else 0.5
        return LEFT + 6 + share * (WIDTH - LEFT - RIGHT - 12)

    def y(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low or 1)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def said(value: float) -> str:
        return f"{100 * value:.0f}" if percent else f"{value:.2g}"

    parts = []
    for tick in (low, (low + high) / 2, high):
        parts.append(f'<line class="cmp-grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        parts.append(
            f'<text class="cmp-tick" x="{LEFT - 5}" y="{y(tick) + 4:.1f}" text-anchor="end">{said(tick)}</text>'
        )
    for step, anchor in ((first, "start"), (last, "end")):
        parts.append(
            f'<text class="cmp-tick" x="{x(step):.1f}" y="{HEIGHT - 6}" text-anchor="{anchor}">{step:,.0f}</text>'
        )
    if panel.chance is not None:
        at = y(panel.chance)
        parts.append(f'<line class="cmp-chance" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
    band = [p for p in panel.points if p.low is not None and p.high is not None]
    if len(band) > 1:
        edge = [f"{x(p.step):.1f},{y(p.high or 0):.1f}" for p in band]
        edge += [f"{x(p.step):.1f},{y(p.low or 0):.1f}" for p in reversed(band)]
        parts.append(f'<polygon class="cmp-band" points="{" ".join(edge)}"/>')
    line = " ".join(f"{x(p.step):.1f},{y(p.value):.1f}" for p in panel.points)
    parts.append(f'<polyline class="cmp-line" points="{line}"/>')
    for p in panel.points:
        if p.low is not None and p.high is not None:
            parts.append(f'<line class="cmp-whisker" x1="{x(p.step):.1f}" x2="{x(p.step):.1f}" y1="{y(p.low):.1f}" '
                         f'y2="{y(p.high):.1f}"/>')  # fmt: skip
        parts.append(
            f'<circle class="cmp-point" cx="{x(p.step):.1f}" cy="{y(p.value):.1f}" r="4.5" fill="{p.colour}">'
            f"<title>{escape(p.tip)}</title></circle>"
        )
    spoken = f"{panel.title}, {unit} over steps: " + "; ".join(p.tip for p in panel.points)
    return (
        f'<figure class="cmp-panel"><figcaption>{escape(panel.title)}</figcaption>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(spoken)}">{"".join(parts)}</svg></figure>'
    )


def legend(entries: Mapping[str, tuple[str, float]]) -> str:
    """Label -> (mark as HTML, step) of the checkpoints, in their order."""
    items = "".join(
        f'<span class="cmp-who">{dot}{escape(label)}<small>step {step:,.0f}</small></span>'
        for label, (dot, step) in entries.items()
    )
    return f'<p class="cmp-legend">{items}</p>'
