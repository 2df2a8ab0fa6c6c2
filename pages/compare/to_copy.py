"""What Compare's charts give to be copied: from the tables that they draw to sentences. Never a margin. Pure."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from backend import written
from backend.finding import Finding, as_size
from backend.metrics import statistics
from backend.metrics.paired.differences import Paired
from backend.metrics.paired.equal_weight import Mean, mean_of
from backend.metrics.paired.resampling import where_shared
from backend.store.compare.compare import ITEMS, SUBSETS
from backend.store.compare.edit_distance import Line
from backend.store.compare.rules import even_p
from backend.store.compare.texts_alone import Dot
from backend.store.queries import Shared
from backend.taxonomy import title
from pages.compare.sides import Named
from pages.compare.steps import Panel
from pages.compare.view import LEVEL
from pages.shared.data.findings import against, paired_test
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame.tips import kind_name


def evenly(a: str, b: str, paired: Paired, setting: Sequence[str], tests: int = 1) -> str:
    """b against a where these follow two rules, by one that asks the same of both (`rules.even`); p by Bonferroni over
    so many tests."""
    gain = paired.difference or 0.0
    p = even_p(paired, tests)
    by = "by the mean of the orders of asking"
    claim, size, signed = (
        f"{b} is right {'more' if gain > 0 else 'less'} often than {a} by {{}}, {by}",
        abs(gain),
        False,
    )
    if p > LEVEL:
        claim, size, signed = f"{b} differs from {a} by {{}}, within chance, {by}", gain, True
    test = "exact sign-flip test of each item’s share of its orders, images as units"
    test += f", Bonferroni over {tests} pairs" if tests > 1 else ""
    return Finding(claim, paired.n, setting, size, None, p, test, points=True, signed=signed).said


def slope(
    tests: pd.DataFrame, rates: pd.DataFrame, named: Sequence[Named], by: str, setting: Sequence[str], *,
    weighed: bool = False,
) -> str:  # fmt: skip
    """Of two sides, on how many groups each is ahead beyond chance; of more, where they lie furthest apart. "" without
    any. tests, rates: of `compare.against` and `compare.rates`; by: what a group is;
    weighed: as of `findings.paired_test`."""
    if len(named) > 2:
        return _spread(rates, named, by, setting)
    known = tests[tests["p"].notna()]
    if len(known) < 2:  # one group alone: the answer over all items says it
        return ""
    real = known[known["holm"] <= LEVEL]
    up, down = int((real["gain"] > 0).sum()), int((real["gain"] < 0).sum())
    a, b = (entry.label for entry in named)
    tested = f"Holm’s p ≤ .05 over {count(len(known), 'paired test' if weighed else 'exact paired test')}"
    claim = (
        f"{b} is right more often than {a} on {up} of {count(len(known), by)} and less often on {down}, each at "
        f"{tested}; on the others no difference is shown"
    )
    if not up + down:
        claim = f"On none of {count(len(known), by)} a difference between {b} and {a} is shown at {tested}"
    sizes = sorted(int(n) for n in known["n"])
    of = f"{f'{sizes[0]:,} to ' if sizes[0] < sizes[-1] else ''}{count(sizes[-1], 'verdict')} each"
    return Finding(claim, len(known), (of, *setting), counted=f"{by}s").said


def _spread(rates: pd.DataFrame, named: Sequence[Named], by: str, setting: Sequence[str]) -> str:
    known = rates[rates["value"].notna()]
    groups = {str(name): part for name, part in known.groupby("group", sort=False) if len(part) > 1}
    if not groups:
        return ""
    name, part = max(groups.items(), key=lambda each: float(np.ptp(each[1]["value"])))
    least, best = part.iloc[int(np.argmin(part["value"]))], part.iloc[int(np.argmax(part["value"]))]
    a, b = (named[int(row["side"])].label for row in (best, least))
    other = f"{written.percent(least['value'], int(least['n']))} {_ends(least)}".rstrip()
    where = (
        f"Of {len(groups)} {by}s these {len(named)} lie furthest apart on" if len(groups) > 1 else "Furthest apart on"
    )
    claim = f"{where} {title(name)}: {a} is right on {{}}, {b} on {other}"
    ci95 = (float(best["low"]), float(best["high"]))
    return Finding(claim, int(best["n"]), ("no test of that difference", *setting), float(best["value"]), ci95).said


def gains(
    tests: pd.DataFrame, named: Sequence[Named], by: str, setting: Sequence[str], *, weighed: bool = False
) -> str:  # fmt: skip
    """The largest difference drawn, with Holm's p over all of them; "" without any. weighed: as of `slope`."""
    known = tests[tests["p"].notna()]
    if known.empty:
        return ""
    row = next(iter(lines_of(known.loc[[known["gain"].abs().idxmax()]])))
    many = len(known) > 1
    test = paired_test(len(known), "differences", weighed=weighed)
    where = f"the largest of {len(known)} differences by {by}" if many else ""
    return _against(
        named[0].label, named[int(row.side)].label, f" on {title(str(row.group))}", row, test, (where, *setting)
    )


def matrix(pairs: pd.DataFrame, named: Sequence[Named], setting: Sequence[str], *, weighed: bool = False) -> str:
    """Its largest difference, and which two judge most alike; "" without any. pairs: of `compare.matrix`; weighed: as
    of `slope`."""
    known = pairs[pairs["p"].notna()]
    if known.empty:
        return ""
    row = next(iter(lines_of(known.loc[[known["gain"].abs().idxmax()]])))
    more = ""
    if known["kappa"].notna().any():
        alike = next(iter(lines_of(known.loc[[known["kappa"].idxmax()]])))
        x, y = named[int(alike.baseline)].label, named[int(alike.side)].label
        more = (
            f"; {x} and {y} judge most alike: κ = {written.number(alike.kappa, 2)} "
            f"{written.ends((alike.kappa_low, alike.kappa_high), 1, 2)}, {written.percent(alike.agreement)} of verdicts"
        )
    real = int((known["holm"] <= LEVEL).sum())
    more += f"; {real} of {len(known)} pairs {'differs' if real == 1 else 'differ'} at Holm’s p ≤ .05"
    test = paired_test(len(known), weighed=weighed)
    a, b = named[int(row.baseline)].label, named[int(row.side)].label
    return _against(a, b, "", row, test, ("the largest of these differences", *setting), more)


def margins(
    found: Shared,
    named: Sequence[Named],
    row: "pd.Series[float]",
    setting: Sequence[str],
    tests: int = 1,
    weights: str = ITEMS,
) -> str:
    """How many verdicts lie in each quadrant of the plane of A and B; "" without any. row: B against A, of
    `data.overall`, with Holm's p over so many tests; weights: what weighs the same in its shares."""
    if not len(found):
        return ""
    a, b = found.correct[:, 0], found.correct[:, 1]
    clusters, subsets = (found.frame[name].to_numpy() for name in ("cluster", "subset"))
    each = np.full(len(found), 1 / len(found))
    apart: statistics.Rate | Mean = statistics.rate(a != b, clusters=where_shared(clusters))
    weighed = weights == SUBSETS and found.frame["subset"].nunique() > 1
    if weighed:
        size = found.frame.groupby("subset")["subset"].transform("size").to_numpy()
        each = 1 / (found.frame["subset"].nunique() * size)
        apart = mean_of(a != b, subsets, clusters)
    n = None if weighed else len(found)
    only_a, only_b, both, none = (written.percent(float(each[of].sum()), n) for of in (a & ~b, ~a & b, a & b, ~a & ~b))
    one, two = named[0].label, named[1].label
    claim = (
        f"{one} and {two} disagree on {{}} of their verdicts: {only_a} are right under {one} alone, {only_b} under "
        f"{two} alone, {both} under both, {none} under neither"
    )
    test = f"{paired_test(tests, weighed=weighed)}, of an even split between the two"
    return Finding(claim, len(found), setting, apart.value, apart.ci95, float(row.holm), test, counted="verdicts").said


def texts_alone(found: Sequence[Dot], benchmark: str) -> str:
    """The dot furthest from the diagonal; "" without any."""
    known = [dot for dot in found if dot.gain.difference is not None]
    if not known:
        return ""
    dot = max(known, key=lambda each: abs(each.gain.difference or 0.0))
    gain = dot.gain.difference or 0.0
    size, ends = as_size(gain, dot.gain.ci95)
    often = f"{'more' if gain > 0 else 'less'} often by the image (I2T) than by texts alone (T2T) by {{}}"
    signed = dot.gain.ci95 is None or dot.gain.ci95[0] <= 0 <= dot.gain.ci95[1]
    if not gain:
        often = "as often by the image (I2T) as by texts alone (T2T), a difference of {}"
    elif signed:  # no direction is claimed
        size, ends = gain, dot.gain.ci95
        often = (
            "neither surely more nor surely less often by the image (I2T) than by texts alone (T2T), a difference of {}"
        )
    i2t, t2t = (written.percent(rate.value, rate.n) for rate in (dot.i2t, dot.t2t))
    claim = (
        f"{colours.label(dot.model)} tells the captions of {title(dot.subset)} apart {often}: {i2t} against {t2t}; "
        "guessing is a third"
    )
    where = f"the largest of {len(known)} differences drawn" if len(known) > 1 else ""
    setting = (where, "no test", kind_name(dot.kind), benchmark)
    n = dot.t2t.n
    return Finding(claim, n, setting, size, ends, points=True, signed=bool(gain) and signed, counted="triplets").said


def edit_distance(found: Sequence[Line], benchmark: str) -> str:
    """The model whose T2T accuracy changes most from the first part to the last; "" without two parts."""
    known = [line for line in found if len(line.parts) > 1]
    if not known:
        return ""

    def change(line: Line) -> float:
        return (line.parts[-1].accuracy.value or 0.0) - (line.parts[0].accuracy.value or 0.0)

    line = max(known, key=lambda each: abs(change(each)))
    first, last = line.parts[0], line.parts[-1]
    before = f"{written.percent(first.accuracy.value, first.accuracy.n)} {written.ends(first.accuracy.ci95)}".rstrip()
    claim = (
        f"T2T accuracy of {colours.label(line.model)} is {before} where the edit-distance gap is "
        f"{_whole(first.low)} to {_whole(first.high)} characters and {{}} where it is {_whole(last.low)} to "
        f"{_whole(last.high)}; guessing is a third"
    )
    where = f"of {len(known)} models the one that changes most" if len(known) > 1 else ""
    setting = (where, "n of the latter", "texts alone", benchmark)
    return Finding(claim, last.accuracy.n, setting, last.accuracy.value, last.accuracy.ci95, counted="triplets").said


def steps(panels: Sequence[Panel], series: str, what: str, setting: Sequence[str], percent: bool = False) -> str:
    """The panel that changes most from the first checkpoint to the last, values with the ends of what is drawn around
    them; "" without two checkpoints. what: is drawn, in words; percent: its values are shares."""
    known = [panel for panel in panels if len(panel.points) > 1]
    if not known:
        return ""
    panel = max(known, key=lambda each: abs(each.points[-1].value - each.points[0].value))

    def said(value: float, low: float | None, high: float | None) -> str:
        ends = None if low is None or high is None else (low, high)
        if percent:
            return f"{written.percent(value)} {written.ends(ends)}".rstrip()
        return f"{written.number(value, 2)} {written.ends(ends, 1, 2)}".rstrip()

    first, last = panel.points[0], panel.points[-1]
    claim = (
        f"Over {series} {what} of {panel.title} goes from {said(first.value, first.low, first.high)} at step "
        f"{first.step:,.0f} to {said(last.value, last.low, last.high)} at step {last.step:,.0f}"
    )
    where = f"of {len(known)} panels the one that changes most" if len(known) > 1 else ""
    return Finding(claim, len(panel.points), (where, "no test", *setting), counted="checkpoints").said


def _against(
    a: str, b: str, where: str, row: "pd.Series[float]", test: str, setting: Sequence[str], more: str = ""
) -> str:
    """b against a, for a row of a table of tests with Holm's p."""
    claim, size, ends, signed = against(b, a, row, where, sure=row.holm <= LEVEL)
    claim += f": {written.percent(row.rate_b)} against {written.percent(row.rate_a)}{more}"
    n, p = int(row.n), float(row.holm)
    return Finding(claim, n, setting, size, ends, p, test, points=True, signed=signed).said


def _whole(value: int) -> str:
    return written.number(float(value), 0)


def _ends(row: "pd.Series[float]") -> str:
    return written.ends((float(row["low"]), float(row["high"])))
