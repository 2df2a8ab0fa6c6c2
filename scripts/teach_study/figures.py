"""The figures of docs/teaching/study.md, as SVG on a white ground: differences with their intervals, and the course."""

from html import escape
from typing import Any, Final

from scripts.teach_study.course import EVERY, TOLD

_INK, _SOFT, _LINE = "#1f2933", "#6b7280", "#d5dae1"
_COLOURS: Final = {"baseline": "#6b7280", "eqsim": "#2563eb", "neg": "#b45309", "svlc": "#d97706", "binding": "#047857"}
_SAID: Final = {"gamma": "γ", "abs_c": "|c|", "abs_r": "|r|"}


def differences(found: dict[str, Any], sets: list[str]) -> str:
    """Group score minus `baseline`'s: a panel a set, a row a recipe, its mean and interval in points; filled where the
    interval leaves out 0."""
    names = list(found["against_baseline"])
    entries = {(name, of): found["against_baseline"][name]["sets"][of]["group_score"] for name in names for of in sets}
    ends = [100 * abs(end) for entry in entries.values() for end in entry["ends"] or (entry["mean"],)]
    reach = min(max(*ends, 1.0), 12.0)
    left, wide, high, gap = 190, 118, 22, 12
    parts = []
    for column, of in enumerate(sets):
        x0 = left + column * (wide + gap)
        middle = x0 + wide / 2
        parts.append(_text(middle, 18, of, anchor="middle", size=11))
        parts.append(_line(middle, 28, middle, 32 + high * len(names), _SOFT))
        for row, name in enumerate(names):
            y = 32 + high * row + high / 2
            entry = entries[name, of]
            low, top = (min(max(100 * v, -reach), reach) for v in entry["ends"] or (entry["mean"],) * 2)
            at = min(max(100 * entry["mean"], -reach), reach)
            to_x = wide / 2 / reach
            clear = entry["ends"] is not None and (low > 0 or top < 0)
            colour = _colour(name)
            parts.append(_line(middle + low * to_x, y, middle + top * to_x, y, colour, 2))
            parts.append(
                f'<circle cx="{middle + at * to_x:.1f}" cy="{y:.1f}" r="4" stroke="{colour}" stroke-width="2" '
                f'fill="{colour if clear else "#ffffff"}"/>'
            )
    for row, name in enumerate(names):
        parts.append(_text(left - 10, 32 + high * row + high / 2 + 4, name, anchor="end", size=12, ink=_INK))
    bottom = 32 + high * len(names) + 18
    said = f"each panel: −{reach:.0f} to +{reach:.0f} points; filled: the 95 % interval leaves out 0"
    parts.append(_text(left, bottom, said, size=11))
    return _whole(left + len(sets) * (wide + gap), bottom + 12, parts)


def courses(found: dict[str, Any]) -> str:
    """γ, |c| and |r| of the batches' quads over the steps, a panel each, a line a recipe."""
    shown = [name for name in _COLOURS if name in found["course"]]
    wide, high, gap, top = 250, 170, 40, 34
    most = max(max(found["course"][name][part]) for name in shown for part in TOLD)
    parts = []
    for column, part in enumerate(TOLD):
        x0 = 50 + column * (wide + gap)
        parts.append(_text(x0, 20, _SAID[part], size=13, ink=_INK))
        for share in (0.0, 0.5, 1.0):
            y = top + high * (1 - share)
            parts.append(_line(x0, y, x0 + wide, y, _LINE))
            if column == 0:
                parts.append(_text(x0 - 6, y + 4, f"{share * most:.2f}", anchor="end", size=10))
        for name in shown:
            values = found["course"][name][part]
            step = wide / max(len(values) - 1, 1)
            path = " ".join(f"{x0 + k * step:.1f},{top + high * (1 - v / most):.1f}" for k, v in enumerate(values))
            parts.append(f'<polyline points="{path}" fill="none" stroke="{_colour(name)}" stroke-width="2"/>')
        parts.append(_text(x0 + wide, top + high + 16, f"{EVERY * len(found['course'][shown[0]][part])} steps",
                           anchor="end", size=10))  # fmt: skip
    for number, name in enumerate(shown):
        x = 50 + number * 110
        parts.append(_line(x, top + high + 36, x + 18, top + high + 36, _colour(name), 3))
        parts.append(_text(x + 24, top + high + 40, name, size=12, ink=_INK))
    return _whole(50 + len(TOLD) * (wide + gap), top + high + 52, parts)


def _colour(name: str) -> str:
    return _COLOURS[name.partition(" ")[0]]


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width:g}"/>'


def _text(x: float, y: float, said: str, anchor: str = "start", size: int = 12, ink: str = _SOFT) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{ink}" text-anchor="{anchor}">{escape(said)}</text>'


def _whole(width: float, height: float, parts: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        'font-family="system-ui, sans-serif"><rect width="100%" height="100%" fill="#ffffff"/>'
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"
