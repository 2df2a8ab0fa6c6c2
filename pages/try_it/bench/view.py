"""What the bench shows: one row a model's score, one cell an image with a caption, the margins against what they were.

Pure: from scores to plain numbers and texts, which `bench.js` draws.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from backend.items import Protocol
from backend.live.playing import meaning, recipes
from backend.live.playing.play import Play
from backend.live.playing.recipes import Recipe
from backend.live.scoring import judging
from backend.live.scoring.scoring import Array
from backend.perturb.base import Effect
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import score as number
from pages.shared.drawing.numbers import shortened
from pages.shared.frame.tips import kind_name, kind_unit, margin_unit, metric_title
from pages.try_it.bench import why
from pages.try_it.bench.rows import Row, Seen, contradiction, leads, margin, mark_of, stands
from pages.try_it.bench.why import Reason

#: Units of margins that are long in one line.
UNITS = {"mean log P per token": "nats a token"}
#: The comparisons that a quad's verdict is made of, and what they are called; how they come out.
PARTS = (("text_score", "text"), ("image_score", "image"))
_TICKS = {True: "✓", False: "✗", None: "–"}
#: Characters of an edit that stand in the sentence above the matrix.
LONGEST = 80
#: What the kinds of recipes are called, and how their chips begin.
RECIPES: dict[str, tuple[str, str]] = {
    str(Effect.PRESERVING): ("=", "an edit that keeps the meaning"),
    str(Effect.CHANGING): ("≠", "an edit that changes the meaning"),
    meaning.UNKNOWN: ("?", "your own words, meaning unknown"),
    recipes.COVER: ("▭", "covering a part of the picture"),
}


def row_view(
    row: Row, seen: Seen, reach: float, name: str, reason: Reason | None, own: Mapping[str, Recipe], *, edited: bool
) -> dict[str, Any]:
    """One row as `bench.js` draws it. reach: of its kind; own: the model's recipes; edited: whether anything is."""
    before, after = leads(row.base, row.layout), leads(row.now, row.layout)
    cells = [
        _cell(row, seen, i, j, best, before[i, j], after[i, j], reach, edited=edited)
        for i, best in enumerate(map(_winner, row.now))
        for j in range(row.now.shape[1])
    ]
    hue = colours.of_models([row.scores.spec])[row.scores.spec]
    return {
        "key": f"{row.scores.spec}|{row.kind}", "name": name, "spec": row.scores.spec, "kind": kind_name(row.kind),
        "colour": hue, "shape": colours.shape(row.scores.spec), "cells": cells, "turned": row.turned,
        "verdict": _verdict(row, seen, edited=edited), "reason": _said(row, reason, edited=edited),
        "tip": reason.tip if reason and not edited else "",
        "uncertain": bool(reason and reason.uncertain and not edited),
        "tie": seen.tied.get(row.scores.spec, ""),
        "recipes": [_recipe(kind, own[kind]) for kind in recipes.ORDER if kind in own],
    }  # fmt: skip


def _winner(line: Array) -> int | None:
    """The highest of a row; None where several are."""
    best = np.flatnonzero(line == line.max()) if np.isfinite(line).all() else np.zeros(0, np.intp)
    return int(best[0]) if len(best) == 1 else None


def _cell(
    row: Row, seen: Seen, i: int, j: int, best: int | None, before: float, after: float, reach: float, *, edited: bool
) -> dict[str, Any]:
    wins = best == j and row.now.shape[1] > 1
    mark = mark_of(seen.marks[i], row.layout, j) if wins else None
    unit, by = kind_unit(row.kind), margin_unit(row.kind)
    facts = [f"score {number(float(row.shown[i, j]))} ({unit})"]
    if isfinite(after):
        facts.append(f"{'leads' if after > 0 else 'is behind'} by {number(abs(after))} ({by})" if after else "a tie")
        if edited and isfinite(before):
            facts.append(f"before the edit {'led' if before > 0 else 'was behind'} by {number(abs(before))}")
    known = seen.marks[i][j]
    facts.append(
        {True: "true of the picture", False: "false of the picture", None: "not known to be true or false"}[known]
    )
    return {
        "image": i, "caption": j, "score": number(float(row.shown[i, j])),
        "lead": _share(after, reach), "ghost": _share(before, reach) if edited else None, "wins": wins,
        "mark": {True: "right", False: "wrong", None: "open"}[mark] if wins else "",
        "facts": "; ".join(facts),
    }  # fmt: skip


def _share(lead: float, reach: float) -> float | None:
    return round(max(-1.0, min(1.0, lead / reach)), 4) if isfinite(lead) else None


def _verdict(row: Row, seen: Seen, *, edited: bool) -> dict[str, Any]:
    """The end of a row: the decisive margin, what it was, and each part of a quad's verdict. Where an edit made other
    captions true, no margin is right or wrong any more: then it only moved."""
    now, was = margin(row.now, row.layout), margin(row.base, row.layout)
    if now is None or was is None:
        return {"margin": "", "unit": "", "was": "", "state": "none", "parts": [], "facts": ""}
    by, still = margin_unit(row.kind), stands(seen.marks, row.layout)
    state = "none" if now.correct is None else "open" if not still else "right" if now.correct else "wrong"
    parts = []
    if row.layout == Protocol.QUAD and not edited and still:
        named = {v.metric: v for v in judging.verdicts(row.now, row.layout)}
        for metric, short in PARTS:
            v = named[metric]
            parts.append({
                "name": short, "state": "none" if v.correct is None else "right" if v.correct else "wrong",
                "facts": f"{metric_title(metric)}: margin {_number(v.margin)} ({by})"
                + ("; a tie, which counts as wrong" if v.tie else ""),
            })  # fmt: skip
    facts = f"{metric_title(now.metric)}: margin {_number(now.margin)} ({by})"
    if not still:
        facts += ", of the same places as before" if edited else ", of the places that the layout takes for true"
        facts += "; which captions are true is another question"
    if now.tie:
        facts += "; a tie, which counts as wrong"
    if edited:
        facts += f"; before the edit {_number(was.margin)}"
    return {
        "margin": _number(now.margin), "unit": UNITS.get(by, by), "was": _number(was.margin) if edited else "",
        "state": state, "parts": parts,
        "facts": facts,
    }  # fmt: skip


def _number(value: float | None) -> str:
    """With a sign, and never as a power of ten: it stands in a column of decimals.

    >>> _number(0.000113), _number(-0.05), _number(-3e-9)
    ('+0.000113', '−0.0500', '−<0.000001')
    """
    said = "–" if value is None else number(value, signed=True)
    if value is None or "e" not in said:
        return said
    return ("−" if value < 0 else "+") + (f"{abs(value):.6f}" if abs(value) >= 1e-6 else "<0.000001")


def _said(row: Row, reason: Reason | None, *, edited: bool) -> str:
    if row.scores.problem:
        return row.scores.problem
    if not edited:
        return reason.said if reason else ""
    before, after = row.answers
    if before is None or after is None:
        return "no answer: scores tie or are undefined"
    return f"the edit turns its answer{_sides(row)}" if before != after else "its answer stands"


def _sides(row: Row) -> str:
    """Of a quad: which of its two comparisons turned, for no picture need have got another caption."""
    if row.layout != Protocol.QUAD:
        return ""
    was, now = ({v.metric: v.correct for v in judging.verdicts(m, row.layout)} for m in (row.base, row.now))
    turned = [
        f"{short} {_TICKS[was[metric]]} → {_TICKS[now[metric]]}"
        for metric, short in PARTS if was[metric] != now[metric]
    ]  # fmt: skip
    return f": {', '.join(turned)}" if turned else ""


def _recipe(kind: str, found: Recipe) -> dict[str, Any]:
    sign, what = RECIPES[kind]
    words = f"{found.words} word{'s' if found.words != 1 else ''} changed" if found.words else ""
    size = ", ".join(filter(None, [words, f"{100 * found.area:.0f} % of a picture covered" if found.area else ""]))
    return {
        "kind": kind, "sign": sign, "what": found.what,
        "tip": f"The smallest edit found so far that turns this answer by {what}: {size}. Click to play it again.",
    }  # fmt: skip


#: Layout -> what answers are right by where nobody but the line of a caption says that it is true.
_IF_TRUE = {
    str(Protocol.CHOICE): "If caption 1 is true of the picture, ",
    str(Protocol.TRIPLET): "If captions 1 and 2 are true of the picture, and 3 is not, ",
    str(Protocol.QUAD): "If each picture's own caption is true of it alone, ",
}


def sentence(shown: Sequence[Row], play: Play, base: Sequence[str], what: str, seen: Seen) -> str:
    """The line above the matrix: what is seen, in plain English. what: the edit in a few words."""
    known = [row for row in shown if row.answers[0] is not None]
    if not known or len(base) < 2:
        return "No model gives a score of these pictures."
    if play.changed(base):
        turned = sum(row.turned for row in known)
        effect = play.effect(base)
        kept = {
            str(Effect.PRESERVING): ", though it keeps the meaning" if turned else ", as it keeps the meaning",
            str(Effect.CHANGING): "; it changes the meaning",
        }.get(effect, "")
        done = (
            f"“{shortened(what, LONGEST)}”"
            if effect
            else f"A cover in the mean colour ({what.removeprefix('covers ')})"
        )
        return f"{done} turns {turned} of {_answers(len(known))}{kept}."
    if known[0].layout == judging.GRID:
        return f"Free grid, no verdict: {_winners(known, seen)}."
    if against := contradiction(seen.marks, known[0].layout):
        return against
    right = sum(row.answers[0] is True for row in known)
    if_true = _IF_TRUE.get(known[0].layout, "") if seen.taken else ""
    return f"{if_true}{right} of {_answers(len(known))} {'is' if right == 1 else 'are'} right{why.common(known)}."


def _winners(known: Sequence[Row], seen: Seen) -> str:
    """How many of the captions that win a picture are true of it, as far as that is known."""
    marks = [
        seen.marks[i][j]
        for row in known for i, j in enumerate(map(_winner, row.now)) if j is not None
    ]  # fmt: skip
    of, told = len(marks), [mark for mark in marks if mark is not None]
    if not told:
        return "nothing is known of which caption is true of which picture"
    those = f"{len(told)} of {of} winning captions" if len(told) < of else f"{of} winning captions"
    unknown = " whose truth is known" if len(told) < of else ""
    return f"{sum(told)} of the {those}{unknown} {'is' if sum(told) == 1 else 'are'} true of their picture"


def _answers(n: int) -> str:
    return f"{n} answer{'s' if n != 1 else ''}"
