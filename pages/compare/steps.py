"""Small multiples over training steps, as one HTML grid of SVG panels: a line, its interval, a dot a checkpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from backend import written
from pages.shared.drawing import component
from pages.shared.frame.style import checked

_component = component.load(
    "flipside_steps", component.DRAWN, html='<div class="cmp-steps" data-drawn></div>', isolate_styles=False
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


def grid(panels: Sequence[Panel], low: float, high: float, *, percent: bool, unit: str) -> Markup:
    """The HTML of all panels on the same axes, from low to high upwards; per cent where percent."""
    steps = [point.step for panel in panels for point in panel.points]
    if not steps:
        return Markup()
    first, last = min(steps), max(steps)
    return Markup().join(_panel(panel, first, last, low, high, percent, unit) for panel in panels)


def draw(html: Markup, key: str) -> None:
    """Put a grid on the page."""
    _component(data={"html": checked(html)}, key=key)


def _panel(panel: Panel, first: float, last: float, low: float, high: float, percent: bool, unit: str) -> Markup:
    def x(step: float) -> float:
        share = (step - first) / (last - first) if last > first else 0.5
        return LEFT + 6 + share * (WIDTH - LEFT - RIGHT - 12)

    def y(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low or 1)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def said(value: float) -> str:
        return written.number(100 * value, 0) if percent else f"{value:.2g}"

    parts = []
    for tick in (low, (low + high) / 2, high):
        parts.append(
            Markup('<line class="cmp-grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                LEFT, WIDTH - RIGHT, y(tick), y(tick)
            )
        )
        parts.append(
            Markup('<text class="cmp-tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
                LEFT - 5, y(tick) + 4, said(tick)
            )
        )
    for step, anchor in ((first, "start"), (last, "end")):
        parts.append(
            Markup('<text class="cmp-tick" x="{:.1f}" y="{}" text-anchor="{}">{:,.0f}</text>').format(
                x(step), HEIGHT - 6, anchor, step
            )
        )
    if panel.chance is not None:
        at = y(panel.chance)
        parts.append(
            Markup('<line class="cmp-chance" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                LEFT, WIDTH - RIGHT, at, at
            )
        )
    band = [p for p in panel.points if p.low is not None and p.high is not None]
    if len(band) > 1:
        edge = [f"{x(p.step):.1f},{y(p.high or 0):.1f}" for p in band]
        edge += [f"{x(p.step):.1f},{y(p.low or 0):.1f}" for p in reversed(band)]
        parts.append(Markup('<polygon class="cmp-band" points="{}"/>').format(" ".join(edge)))
    line = " ".join(f"{x(p.step):.1f},{y(p.value):.1f}" for p in panel.points)
    parts.append(Markup('<polyline class="cmp-line" points="{}"/>').format(line))
    for p in panel.points:
        if p.low is not None and p.high is not None:
            parts.append(Markup('<line class="cmp-whisker" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" '
'y2="{:.1f}"/>').format(x(p.step), x(p.step), y(p.low), y(p.high)))  # fmt: skip
        parts.append(
            Markup(
                '<circle class="cmp-point" cx="{:.1f}" cy="{:.1f}" r="4.5" fill="{}"><title>{}</title></circle>'
            ).format(x(p.step), y(p.value), p.colour, p.tip)
        )
    spoken = f"{panel.title}, {unit} over steps: " + "; ".join(p.tip for p in panel.points)
    return Markup(
        '<figure class="cmp-panel"><figcaption>{title}</figcaption>'
        '<svg viewBox="0 0 {width} {height}" role="img" aria-label="{spoken}">{parts}</svg></figure>'
    ).format(title=panel.title, width=WIDTH, height=HEIGHT, spoken=spoken, parts=Markup().join(parts))


def legend(entries: Mapping[str, tuple[Markup, float]]) -> Markup:
    """Label -> (mark as HTML, step) of the checkpoints, in their order."""
    items = Markup().join(
        Markup('<span class="cmp-who">{}{}<small>step {:,.0f}</small></span>').format(dot, label, step)
        for label, (dot, step) in entries.items()
    )
    return Markup('<p class="cmp-legend">{}</p>').format(items)
