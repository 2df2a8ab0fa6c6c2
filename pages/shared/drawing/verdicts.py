"""Verdict chips: sign, word, and the margin behind it; colour only repeats what the sign says."""

from collections.abc import Iterable

from markupsafe import Markup

from pages.shared.drawing.colours import VERDICTS
from pages.shared.drawing.numbers import score


def state(correct: bool | None, near_miss: bool = False) -> str:
    """The key in `VERDICTS` of an outcome. A near miss is a wrong answer that edits would turn (glossary)."""
    if correct is None:
        return "none"
    return "right" if correct else "near" if near_miss else "wrong"


def chip(
    name: str,
    correct: bool | None,
    margin: float | None = None,
    *,
    near_miss: bool = False,
    dot: Markup | None = None,
    title: str = "",
    unit: str = "",
) -> Markup:
    """One chip: what was judged (a model, or a score), ✓ or ✗, and its margin. `dot` marks a model, as HTML; `unit`
    is said where the margin has another one than the scores beside it."""
    which = state(correct, near_miss)
    word, sign = VERDICTS[which]
    size = f"{score(margin, signed=True)} {unit}".rstrip() if margin is not None else ""
    by = Markup('<span class="fs-margin">{}</span>').format(size) if size else ""
    hint = title or f"{name}: {word}" + (f", margin {size}" if size else "")
    return Markup(
        '<span class="fs-chip fs-{which}" title="{hint}" role="img" aria-label="{hint}">{dot}{name}'
        "<b>{sign}</b>{by}</span>"
    ).format(which=which, hint=hint, dot=dot or "", name=name, sign=sign, by=by)


def chips(parts: Iterable[Markup]) -> Markup:
    """A row of chips that wraps."""
    return Markup('<div class="fs-chips">{}</div>').format(Markup().join(parts))


def label(text: str, title: str = "") -> Markup:
    """A quiet label, such as a diagnosis or a concept."""
    return Markup('<span class="fs-label" title="{}">{}</span>').format(title or text, text)
