"""A training's log as small multiples: the loss and its terms, what the batches' quads say, what is held out.

Pure: lines of `log.jsonl` in, panels and SVG out. The steps' axis is the whole plan from the first line on, so nothing
moves sideways while lines come in.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import Any, Final

from markupsafe import Markup

from backend import written
from backend.metrics.statistics import wilson
from backend.teach.training.recipes import RECIPES

Entry = Mapping[str, Any]
#: Most points of a line; its mean takes a so-manieth of the line on both sides.
MOST, TOGETHER = 240, 24
WIDTH, HEIGHT = 260, 100
LEFT, RIGHT, TOP, BOTTOM = 40, 12, 7, 18
#: Name in the log -> what it is called.
LOSSES: Final = {
    "loss": "Loss, in all", "retrieval": "L_ret, retrieval", "eqsim": "L_Eq, EqSim", "negatives": "L_neg, negatives",
    "analogy_text": "L_sim, text to text", "analogy_image": "L_sim, text to image", "binding": "L_bind, binding",
}  # fmt: skip
QUADS: Final = {"gamma": "γ, binding", "abs_c": "|c|, caption bias", "abs_r": "|r|, image bias"}
#: Rate among what is held out -> (what it is called, the name of its n).
RATES: Final = {
    "group_score": ("Group score", "n_quads"), "accuracy": ("Accuracy of choices", "n_choices"),
    "text_r1": ("Image → caption, R@1", "n_images"), "image_r1": ("Caption → image, R@1", "n_captions"),
}  # fmt: skip

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Panel:
    """One panel. own, baseline: (step, value) of the training and of its baseline. judged: of held-out items, with the
    ends of their intervals where they are rates. unit: "rate" (drawn in per cent), "score" or "loss". smooth: whether
    the mean of neighbouring steps is drawn over the values."""

    title: str
    own: Points
    baseline: Points = ()
    judged: Points = ()
    band: tuple[tuple[float, float, float], ...] = ()
    low: float = 0.0
    high: float = 1.0
    unit: str = "loss"
    smooth: bool = False
    note: str = ""


def panels(
    entries: Sequence[Entry], baseline: Sequence[Entry] = (), terms: Sequence[str] = ()
) -> dict[str, list[Panel]]:
    """The panels by their group: "loss", "quads", "held out". Groups and panels without a value are left out.

    terms: the losses that are going to come. With them, before the first step, the panels that are likely stand there
    empty, so that the page keeps its form when the first line comes.
    """
    begun = any("loss" in entry for entry in entries) or not terms
    losses = [name for name in LOSSES if points(entries, name) or (not begun and name in terms)]
    quads = _quads(entries, baseline)
    if not begun:
        quads = [
            next((p for p in quads if p.title == title), Panel(title, (), unit="score")) for title in QUADS.values()
        ]
    rates = [name for name in RATES if judged(entries, name)]
    found = {
        "loss": [_loss(name, entries, baseline) for name in losses],
        "quads": quads,
        "held out": [_rate(name, entries, baseline) for name in rates],
    }
    return {group: each for group, each in found.items() if each}


def terms_of(recipe: str) -> tuple[str, ...]:
    """The losses that a recipe has, by their names in the log; () for a recipe that there is not."""
    known = RECIPES.get(recipe)
    if known is None:
        return ()
    own = {"eqsim": known.eqsim, "negatives": known.negatives, "analogy_text": known.analogies,
           "analogy_image": known.analogies, "binding": known.binding}  # fmt: skip
    return ("loss", "retrieval", *(name for name, weight in own.items() if weight))


def points(entries: Sequence[Entry], name: str) -> Points:
    """(step, value) of one name in the log, where it is a number."""
    return tuple((float(e["step"]), float(v)) for e in entries if (v := e.get(name)) is not None and isfinite(v))


def judged(entries: Sequence[Entry], name: str) -> Points:
    """The same of what held-out items say; of a rate, what is one."""
    found = points([{"step": e["step"], **(e.get("held_out") or {})} for e in entries], name)
    return tuple((x, y) for x, y in found if 0 <= y <= 1) if name in RATES else found


def thinned(line: Points, most: int = MOST) -> Points:
    """A line of at most so many points, each the mean of neighbours.

    >>> thinned(((1.0, 1.0), (2.0, 3.0), (3.0, 5.0), (4.0, 7.0)), 2)
    ((1.5, 2.0), (3.5, 6.0))
    """
    if len(line) <= most:
        return line
    size = ceil(len(line) / most)
    parts = [line[at : at + size] for at in range(0, len(line), size)]
    return tuple((sum(x for x, _ in p) / len(p), sum(y for _, y in p) / len(p)) for p in parts)


def smoothed(line: Points) -> Points:
    """The mean of each value and its neighbours on both sides, of which there are fewer at the ends.

    >>> smoothed(((1.0, 0.0), (2.0, 6.0), (3.0, 0.0)))
    ((1.0, 0.0), (2.0, 6.0), (3.0, 0.0))
    """
    half = len(line) // TOGETHER
    parts = [line[max(0, at - half) : at + half + 1] for at in range(len(line))]
    return tuple((x, sum(y for _, y in part) / len(part)) for (x, _), part in zip(line, parts, strict=True))


def ceiling(value: float) -> float:
    """The next of 1, 1.5, 2, 3, 5, 7.5 times a power of ten from a value above 0 on.

    >>> ceiling(0.031), ceiling(1.0), ceiling(6.0), ceiling(0.0)
    (0.05, 1.0, 7.5, 1.0)
    """
    if not value > 0:
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next(float(f"{m * power:.6g}") for m in (1, 1.5, 2, 3, 5, 7.5, 10) if m * power >= value * (1 - 1e-9))


def _loss(name: str, entries: Sequence[Entry], baseline: Sequence[Entry]) -> Panel:
    own, other = points(entries, name), points(baseline, name)
    top = ceiling(max((y for _, y in (*own, *other)), default=1.0))
    return Panel(LOSSES[name], own, other, high=top, smooth=True)


def _quads(entries: Sequence[Entry], baseline: Sequence[Entry]) -> list[Panel]:
    """The three on one scale, for a quad is right where γ is above both biases."""
    lines = {name: (points(entries, name), points(baseline, name), judged(entries, name)) for name in QUADS}
    values = [y for parts in lines.values() for part in parts for _, y in part]
    if not values:
        return []
    top = ceiling(max(*values, 1e-6))
    low = -max(ceiling(-min(values)), top / 4) if min(values) < 0 else 0.0
    return [
        Panel(QUADS[name], own, other, held, low=low, high=top, unit="score", smooth=True)
        for name, (own, other, held) in lines.items() if own or held
    ]  # fmt: skip


def _rate(name: str, entries: Sequence[Entry], baseline: Sequence[Entry]) -> Panel:
    title, count = RATES[name]
    own, other, n = judged(entries, name), judged(baseline, name), int((judged(entries, count) or ((0, 0),))[-1][1])
    band = tuple((x, *ends) for x, y in own if (ends := wilson(y * n, n)) is not None)
    values = [y for _, y in (*own, *other)] + [end for _, *ends in band for end in ends]
    low, high = floor(10 * min(values)) / 10, ceil(10 * max(values)) / 10
    if high - low < 0.2:
        low, high = (max(0.0, high - 0.2), high) if low > 0 else (low, 0.2)
    return Panel(title, own, other, own, band, round(low, 1), round(high, 1), "rate", note=f"n = {n:,}")


def said(value: float, unit: str) -> str:
    """A value in the panel's unit.

    >>> said(0.595, "rate"), said(0.0527, "score"), said(1.2345, "loss")
    ('59.5', '0.0527', '1.23')
    """
    if unit == "rate":
        return written.number(100 * value, 1)
    return f"{value:.3g}".replace("-", "−")


def grid(found: Sequence[Panel], steps: int) -> Markup:
    """The HTML of some panels, each over 0 to `steps`."""
    return Markup('<div class="tr-panels">{}</div>').format(Markup().join(_panel(p, max(1, steps)) for p in found))


def _panel(panel: Panel, steps: int) -> Markup:
    def x(step: float) -> float:
        return LEFT + min(1.0, step / steps) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        share = (min(max(value, panel.low), panel.high) - panel.low) / ((panel.high - panel.low) or 1)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def path(line: Points) -> str:
        return " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in thinned(line))

    parts = [_axes(panel, steps, y) if panel.own or panel.judged or panel.baseline else _nothing_yet()]
    if len(panel.band) > 1:
        edge = [f"{x(a):.1f},{y(low):.1f}" for a, low, _ in panel.band]
        edge += [f"{x(a):.1f},{y(high):.1f}" for a, _, high in reversed(panel.band)]
        parts.append(Markup('<polygon class="tr-band" points="{}"/>').format(" ".join(edge)))
    for line, look in ((panel.baseline, "tr-base"), (panel.own, "tr-own")):
        mean = smoothed(line) if panel.smooth else line
        if mean != line:
            parts.append(Markup('<polyline class="{} tr-raw" points="{}"/>').format(look, path(line)))
        parts.append(Markup('<polyline class="{}" points="{}"/>').format(look, path(mean)))
    for a, b in panel.judged:
        tip = f"step {a:,.0f}: {said(b, panel.unit)}" + (f" ({panel.note})" if panel.note else "")
        parts.append(
            Markup('<circle class="tr-dot" cx="{:.1f}" cy="{:.1f}" r="3.2"><title>{}</title></circle>').format(
                x(a), y(b), tip
            )
        )
    now = _now(panel)
    return Markup(
        '<figure class="tr-panel"><figcaption><span>{title}</span><b>{now}</b></figcaption>'
        '<svg viewBox="0 0 {w} {h}" role="img" aria-label="{spoken}">{parts}</svg></figure>'
    ).format(title=panel.title, now=now, w=WIDTH, h=HEIGHT, spoken=spoken(panel), parts=Markup().join(parts))


def has_mean(panel: Panel) -> bool:
    """Whether a panel draws the mean of neighbouring steps over one of its lines: of too few steps it is the line."""
    return panel.smooth and any(smoothed(line) != line for line in (panel.baseline, panel.own))


def _now(panel: Panel) -> str:
    """The latest value: of a smoothed line its mean."""
    line = smoothed(panel.own) if panel.smooth else panel.own
    last = (line or panel.judged)[-1:]
    return " · ".join(filter(None, [said(last[0][1], panel.unit) if last else written.DASH, panel.note]))


def spoken(panel: Panel) -> str:
    """A panel in words, for who cannot see it."""
    line = panel.own or panel.judged
    if not line:
        return f"{panel.title}: no step yet"
    unit = " of 100" if panel.unit == "rate" else ""
    first, last = line[0], line[-1]
    text = (
        f"{panel.title}: {said(first[1], panel.unit)}{unit} at step {first[0]:,.0f}, {said(last[1], panel.unit)}{unit} "
        f"at step {last[0]:,.0f}"
    )
    if panel.baseline:
        last = panel.baseline[-1]
        text += f"; the baseline {said(last[1], panel.unit)}{unit} at step {last[0]:,.0f}"
    return text


def _nothing_yet() -> Markup:
    """A frame without an axis: nobody knows yet between which values a line will lie."""
    return Markup(
        '<rect class="tr-none" x="{}" y="{}" width="{}" height="{}"/>'
        '<text class="cmp-tick" x="{}" y="{}" text-anchor="middle">no step yet</text>'
    ).format(
        LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM, (LEFT + WIDTH - RIGHT) / 2,
        (TOP + HEIGHT - BOTTOM) / 2 + 4,
    )  # fmt: skip


def _axes(panel: Panel, steps: int, y: Any) -> Markup:
    parts = []
    middle = 0.0 if panel.low < 0 else (panel.low + panel.high) / 2
    for tick in (panel.low, middle, panel.high):
        label = written.number(100 * tick, 0) if panel.unit == "rate" else f"{tick:.3g}".replace("-", "−")
        parts.append(
            Markup('<line class="cmp-grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                LEFT, WIDTH - RIGHT, y(tick), y(tick)
            )
        )
        parts.append(
            Markup('<text class="cmp-tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(
                LEFT - 6, y(tick) + 4, label
            )
        )
    for at, step, anchor in ((LEFT, 0, "start"), (WIDTH - RIGHT, steps, "end")):
        parts.append(
            Markup('<text class="cmp-tick" x="{}" y="{}" text-anchor="{}">{:,}</text>').format(
                at, HEIGHT - 5, anchor, step
            )
        )
    return Markup().join(parts)
