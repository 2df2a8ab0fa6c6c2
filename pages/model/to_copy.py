"""What "Copy as finding" says of the page: the line on which the model is furthest below chance, else its best."""

from collections.abc import Sequence

from backend import written
from backend.finding import Finding
from backend.store.queries import Setting
from pages.model.lines import Line, best_of, rivals
from pages.shared.data import stored
from pages.shared.drawing import signs
from pages.shared.frame import alpha
from pages.shared.frame.tips import kind_name


def said(
    name: str, benchmark: stored.StoredBenchmark, kind: str, lines: Sequence[Line], of: Setting | None = None
) -> str:  # fmt: skip
    """One sentence; of several lines that with the rate furthest below chance, of those whose whole interval lies below
    it, else the one that the model is highest on (`lines.best_of`), else its largest; "" without any. of: how the
    scores are judged, None as scored."""
    known = [line for line in lines if line.chance is not None]
    if not known:
        return ""
    below = [each for each in known if each.sign == signs.DOWN]
    if below:
        line, why = min(below, key=lambda each: each.value - (each.chance or 0.0)), "furthest below chance"
    elif best := best_of(known):
        near = rivals(known)
        line, why = best, "highest above chance, not told from all others" if near else "one it does best on"
    else:
        line, why = max(known, key=lambda each: each.n), "one with most items"
    ends = None if line.low is None or line.high is None else (line.low, line.high)
    claim = f"{name} is right on {{}} of {line.label} ({line.sub}); chance is {written.percent(line.chance)}"
    which = (f"of its {len(known)} lines the {why}",) if len(known) > 1 else ()
    return Finding(
        claim, line.n, (*which, kind_name(kind) + (alpha.said(of) if of else ""), benchmark.name), line.value, ends
    ).said
