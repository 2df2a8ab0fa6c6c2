"""What a training has shown so far, in one line of plain English: what was measured, and nothing beyond it."""

from collections.abc import Mapping, Sequence
from typing import Any

from backend import written
from backend.metrics.statistics import wilson
from pages.teach.train.curves import judged, points, said

Entry = Mapping[str, Any]
#: Of the lines of a training without held-out items, the share at each end whose mean is taken.
SHARE = 0.1
_NAMES = {"gamma": "γ", "abs_c": "|c|", "abs_r": "|r|"}


def sentence(entries: Sequence[Entry], steps: int, baseline: Sequence[Entry] = ()) -> str:
    """What is seen so far. "" before anything is."""
    done = max((int(e["step"]) for e in entries), default=0)
    scored = judged(entries, "gamma") or judged(entries, "accuracy")
    if not entries or (not done and not scored):
        return ""
    if not done:
        return f"Before the first step, on held-out items: {_rates(entries, ())}."
    parts = [f"After {done:,} of {steps:,} steps"]
    if len(scored) > 1:
        at = int(scored[-1][0])
        when = "" if at == done else f", judged at step {at:,}"
        moved = _moved({name: judged(entries, name) for name in _NAMES}, 1)
        parts.append(f"on held-out items{when}: {'; '.join(filter(None, [moved, _rates(entries, baseline)]))}")
    elif moved := _moved({name: points(entries, name) for name in _NAMES}, _ends(len(points(entries, "loss")))):
        k = _ends(len(points(entries, "loss")))
        over = "the first and the last step" if k == 1 else f"the means of the first and the last {k} steps"
        parts.append(f"in the batches, by {over}: {moved}")
    else:
        parts.append(_of_the_loss(points(entries, "loss")))
    return ", ".join(filter(None, parts)) + "."


def _of_the_loss(line: Sequence[tuple[float, float]]) -> str:
    """What the loss did. line: (step, value) each; "" without any."""
    if not line:
        return ""
    first, last = said(line[0][1], "loss"), said(line[-1][1], "loss")
    if len(line) == 1:
        return f"the loss is {last}"
    if first == last:
        return f"the loss is {last} at the first step and at the last one: to three digits it has not changed"
    return f"the loss went from {first} to {last}"


def _ends(n: int) -> int:
    return max(1, round(n * SHARE))


def _moved(lines: Mapping[str, Sequence[tuple[float, float]]], k: int) -> str:
    """γ, |c| and |r|: from the mean of the first k values to that of the last k."""
    found = []
    for name, line in lines.items():
        if len(line) < 2:
            continue
        before, after = (sum(y for _, y in part) / len(part) for part in (line[:k], line[-k:]))
        a, b = said(before, "score"), said(after, "score")
        found.append(f"{_NAMES[name]} {a}" if a == b else f"{_NAMES[name]} {a} → {b}")
    return f"{', '.join(found)} (means, untested)" if found else ""


def _rates(entries: Sequence[Entry], baseline: Sequence[Entry]) -> str:
    """Group score (or the accuracy of choices) and retrieval, with n and intervals."""
    found = []
    for name, called, count in (("group_score", "group score", "n_quads"), ("accuracy", "accuracy", "n_choices")):
        line = judged(entries, name)
        n = int((judged(entries, count) or ((0, 0.0),))[-1][1])
        if not line or n < 1:
            continue
        before, after = line[0][1], line[-1][1]
        first, last = _with_ends(before, n), _with_ends(after, n)
        text = f"{called} {first} of 100, n = {n:,}"
        if len(line) > 1:
            text = f"{called} {first} → {last} of 100, n = {n:,}"
            if before != after and _overlap(before, after, n):
                text += " (the intervals overlap)"
        same = [y for x, y in judged(baseline, name) if x == line[-1][0] and x > 0]
        text += f"; the baseline at this step {said(same[0], 'rate')}" if same else ""
        found.append(text)
    if line := judged(entries, "text_r1"):
        change = said(line[0][1], "rate") + (f" → {said(line[-1][1], 'rate')}" if len(line) > 1 else "")
        found.append(f"caption found for an image (R@1) {change} of 100")
    return "; ".join(found)


def _with_ends(value: float, n: int) -> str:
    return f"{said(value, 'rate')} {written.ends(wilson(value * n, n))}"


def _overlap(a: float, b: float, n: int) -> bool:
    one, two = wilson(a * n, n), wilson(b * n, n)
    return one is not None and two is not None and one[0] <= two[1] and two[0] <= one[1]
