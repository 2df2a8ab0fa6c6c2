"""Verdict chips: sign, word, and the margin behind it; colour only repeats what the sign says."""

from html import escape

from pages.shared.drawing.colours import VERDICTS
from pages.shared.drawing.numbers import score


def state(correct: bool | None, near_miss: bool = False) -> str:
    """The key in `VERDICTS` of an outcome. A near miss is a wrong answer within noise of the right one."""
    if correct is None:
        return "none"
    return "right" if correct else "near" if near_miss else "wrong"


def chip(
    name: str,
    correct: bool | None,
    margin: float | None = None,
    *,
    near_miss: bool = False,
    dot: str = "",
    title: str = "",
    unit: str = "",
) -> str:
    """One chip: what was judged (a model, or a score), ✓ or ✗, and its margin. `dot` marks a model, as HTML; `unit`
    is said where the margin has another one than the scores beside it."""
    which = state(correct, near_miss)
    word, sign = VERDICTS[which]
    size = f"{score(margin, signed=True)} {escape(unit)}".rstrip() if margin is not None else ""
    by = f'<span class="fs-margin">{size}</span>' if size else ""
    hint = escape(title or f"{name}: {word}" + (f", margin {size}" if size else ""))
    return (
        f'<span class="fs-chip fs-{which}" title="{hint}" role="img" aria-label="{hint}">{dot}{escape(name)}'
        f"<b>{sign}</b>{by}</span>"
    )


def chips(parts: list[str]) -> str:
    """A row of chips that wraps."""
    return f'<div class="fs-chips">{"".join(parts)}</div>'


def label(text: str, title: str = "") -> str:
    """A quiet label, such as a diagnosis or a concept."""
    return f'<span class="fs-label" title="{escape(title or text)}">{escape(text)}</span>'
