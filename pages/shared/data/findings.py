"""What "Copy as finding" says of each chart and of an item: from numbers to `backend.finding.Finding`. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from backend import written
from backend.finding import Finding, as_size, unmarked
from backend.metrics.core.registry import by_name
from backend.metrics.reasons.names import NAMES, with_cell
from backend.protocols import Protocol
from backend.store.queries import Setting
from backend.store.reasons import bars
from backend.store.reasons.plane import Lost
from backend.written import Ends
from pages.overview.view import Grid
from pages.shared.data.cell_bars import Bar
from pages.shared.drawing.colours import label
from pages.shared.drawing.heatmap import Cell, Column, Row
from pages.shared.frame import alpha as alpha_taken
from pages.shared.frame.tips import kind_name

#: What the p of two systems is of: over equal weights, and where each subset weighs the same.
PAIRED = "exact paired test, images as units"
PAIRED_SUBSETS = "paired test by random sign flips, images as units"


#: From this p on a difference is within chance, and no direction of it is claimed.
LEVEL = 0.05


def paired_test(tests: int, counted: str = "pairs", *, weighed: bool = False) -> str:
    """The test of two systems where it is one of so many, over which Holm adjusts its p. weighed: whether each of
    several subsets weighs the same, whose p is no exact one (`equal_weight.equal_sign_flip`).

    >>> paired_test(6), paired_test(1) == PAIRED, paired_test(1, weighed=True) == PAIRED_SUBSETS
    ('exact paired test, images as units, Holm over 6 pairs', True, True)
    """
    test = PAIRED_SUBSETS if weighed else PAIRED
    return f"{test}, Holm over {tests:,} {counted}".rstrip() if tests > 1 else test


def against(b: str, a: str, row: Any, where: str = "", *, sure: bool) -> tuple[str, float, Ends | None, bool]:
    """(claim, size, ends, whether it is signed) of a finding that b is right more or less often than a; row: of tests,
    b − a; where: " on …"; sure: whether the difference is beyond chance: no direction is claimed of any other.

    >>> from types import SimpleNamespace
    >>> row = SimpleNamespace(gain=-0.05, low=-0.09, high=0.01)
    >>> against("b", "a", row, sure=True)
    ('b is right less often than a by {}', 0.05, (-0.01, 0.09), False)
    >>> against("b", "a", row, " on x", sure=False)
    ('b is right neither surely more nor surely less often than a on x, a difference of {}, within chance', -0.05, \
(-0.09, 0.01), True)
    """
    gain, ends = float(row.gain), ends_of(row)
    if not gain:
        return (
            f"{b} is right as often as {a}{where}, a difference of {{}}{'' if sure else ', within chance'}",
            0.0,
            ends,
            False,
        )
    if not sure:
        often = "neither surely more nor surely less often than"
        return f"{b} is right {often} {a}{where}, a difference of {{}}, within chance", gain, ends, True
    return f"{b} is right {'more' if gain > 0 else 'less'} often than {a}{where} by {{}}", *as_size(gain, ends), False


def ends_of(row: Any) -> tuple[float, float] | None:
    """The ends of the interval of a row of tests; None where it has none (NaN)."""
    return (float(row.low), float(row.high)) if row.low == row.low else None


def kind_under(kind: str, setting: Setting | None) -> str:
    """A score kind in words, with the α that it is judged under where that is another than as scored.

    >>> kind_under("gen", Setting("gen", 0.87, "images:20")), kind_under("itc", Setting("gen", 0.87))
    ('generation, α = 0.87, P(t) from 20 sampled images', 'similarity')
    """
    return kind_name(kind) + (alpha_taken.said(setting) if setting is not None and setting.kind == kind else "")


def hero(
    shown: list[Bar], benchmark: str, people: Collection[str] = (), whole: bool = False,
    judged: Mapping[str, Setting] = MappingProxyType({}),
) -> str:  # fmt: skip
    """The bar whose interval begins highest: where most is certain to bind, or to use the image; "" without any.

    people: "models" that are people, of whom is spoken only where there is nobody else. whole: whether a bar is all of
    the benchmark, which then need not be said by the name of its only subset. judged: model -> setting where one is
    not judged as scored."""
    known = [bar for bar in shown if bar.share is not None and bar.low is not None and bar.high is not None]
    known = [bar for bar in known if bar.model not in people] or known
    if not known:
        return ""
    best = max(known, key=lambda bar: bar.low if bar.low is not None else -1.0)
    return cells(best, benchmark, whole, judged.get(best.model))


def cells(bar: Bar, benchmark: str, whole: bool = False, setting: Setting | None = None) -> str:
    """One bar: how many bind, or use the image, at least. whole: whether it is all of the benchmark; setting: it is
    judged under, None: as scored."""
    items = bar.protocol.info.title
    of = f"all {items}" if whole else f"the {items} of {bar.group}"
    if bar.of:
        of = f"the {bar.items:,} of {bar.of:,} {items}{'' if whole else f' of {bar.group}'} that it has judged"
    verb = "bind" if bar.protocol == Protocol.QUAD else "use the image"
    ends = None if bar.low is None or bar.high is None else (bar.low, bar.high)
    state = bars.state(bar.share, ends) if bar.share is not None and ends is not None else ""
    many = f" ({bars.as_one_of_many(bar.share, ends)})" if state == "uncertain" and bar.share and ends else ""
    claim = {
        "bound": f"at least {ends and bars.least(ends)} of {of} {verb} under {label(bar.model)} ({{}} beyond luck)",
        "not seen": f"no more than luck is seen to {verb} on {of} under {label(bar.model)}: {{}}",
        "uncertain": f"whether any of {of} {verb} under {label(bar.model)} is uncertain: {{}} beyond luck{many}",
        "reversed": f"{label(bar.model)} reads {of} the other way round more often than it binds: {{}}",
    }.get(state, f"{{}} of {of} {verb} beyond luck under {label(bar.model)}, without an interval")
    most = max(bar.counts, key=lambda cell: bar.counts[cell][0], default="")
    total = sum(items for items, _ in bar.counts.values())
    largest = f"; the largest part by the scores alone is “{NAMES[most]}”" if most and total else ""
    more = f"{largest}, {bar.counts[most][0]:,} of {total:,}" if largest else ""
    told = (kind_under(bar.kind, setting), bar.scale, benchmark)
    return Finding(_capital(claim) + more, bar.n, told, bar.share, ends).said


@dataclass(frozen=True)
class Widest:
    """The column of a heat map on which two rows are furthest apart, and these two; the same row twice where the column
    has one alone. best_kind, least_kind: the score kinds behind the two cells."""

    column: Column
    best: Row
    best_cell: Cell
    best_kind: str
    least: Row
    least_cell: Cell
    least_kind: str

    @property
    def is_alone(self) -> bool:
        """Whether there is no second row."""
        return self.best.key == self.least.key


def kinds(first: str, second: str) -> str:
    """Of two systems in the order in which a sentence names them.

    >>> kinds("gen", "itc"), kinds("itc", "itc")
    ('gen against itc', 'itc')
    """
    return first if first == second else f"{first} against {second}"


def widest(shown: Grid, people: Collection[str] = ()) -> Widest | None:
    """None without rates. people: "models" that are people, who are compared only where there is nobody else."""
    by_column: dict[str, list[tuple[float, Any, Any]]] = {}
    lone = all(each.of or each.value is None for each in shown.cells.values())  # a part competes with no whole
    columns = {column.key: column for column in shown.columns if column.unit is None and column.direction == "higher"}
    models = [row for row in shown.rows if row.key.partition("\t")[0] not in people]
    rows = {row.key: row for row in models or shown.rows}
    for (at, name), each in shown.cells.items():
        if name in columns and at in rows and each.value is not None and (not each.of or lone):
            by_column.setdefault(name, []).append((each.value, rows[at], each))
    if not by_column:
        return None
    key = max(by_column, key=lambda name: (_range(by_column[name]), _over_chance(by_column[name], columns[name])))
    _, row, cell = max(by_column[key], key=lambda each: each[0])
    _, other, least = min(by_column[key], key=lambda each: each[0])

    def kind(of: Row) -> str:
        return shown.kinds.get((of.key, key), of.key.rpartition("\t")[2])

    return Widest(columns[key], row, cell, kind(row), other, least, kind(other))


def best(names: tuple[str, str], row: Any, of: int, apart: Sequence[str], setting: Sequence[str]) -> str:
    """Whether the best of so many models is better than the next. names: of the two, the best first; row: of
    `best.against`; apart: who is left out, in words; setting: metric, kinds and benchmark."""
    a, b = names
    claim, size, ends, signed = against(a, b, row, sure=row.p <= LEVEL)
    if of > 2:
        claim = f"Of {of:,} models the best and the next: {claim}"
    claim += f": {written.percent(row.rate_b)} against {written.percent(row.rate_a)}"
    left = f"{' and '.join(apart)} left out" if apart else ""
    test = PAIRED + (f", not adjusted for choosing these two of {of:,}" if of > 2 else "")
    rest = (left, *setting)
    return Finding(_capital(claim), int(row.n), rest, size, ends, float(row.p), test, points=True, signed=signed).said


def heat(
    found: Widest | None, benchmark: str, paired: Any = None, judged: Mapping[str, Setting] = MappingProxyType({})
) -> str:
    """The widest gap between two models on one column, or the one rate that there is; "" without rates. paired: the
    best against the least on the items of both, a row of `compare.against`; None where that was not computed. judged:
    model -> setting where one is not judged as scored."""
    if found is None:
        return ""
    column, (best, least) = found.column, (found.best_cell, found.least_cell)
    chance = f"; chance is {written.percent(column.chance)}" if column.chance is not None else ""
    names = (found.best.label, found.least.label)
    of = ((found.best, found.best_kind), (found.least, found.least_kind))
    under = kinds(*(kind_under(kind, judged.get(row.key.partition("\t")[0])) for row, kind in of))
    setting = [column.sub, under, benchmark]
    if best.of:
        setting.insert(1, f"{best.n:,} of the {best.of:,} items")
    if found.is_alone:
        claim = f"{names[0]} is right on {{}} of {column.label}{chance}"
        return Finding(_capital(claim), best.n, setting, best.value, best.ci95).said
    other = _rate(least)
    if paired is None or not paired.n:
        n = "" if best.n == least.n else f" (n = {least.n:,})"
        claim = f"{names[0]} is right on {{}} of {column.label}, {names[1]} on {other}{n}{chance}"
        return Finding(_capital(claim), best.n, setting, best.value, best.ci95).said
    claim, size, ends, signed = against(*names, paired, f" on {column.label}", sure=paired.p <= LEVEL)
    claim = f"{_capital(claim)}: {_rate(best)} against {other}{chance}"
    setting.insert(0, "the widest gap shown, p not adjusted for that")
    counted, p = int(paired.n), float(paired.p)
    return Finding(claim, counted, setting, size, ends, p, PAIRED, points=True, signed=signed).said


def _rate(cell: Cell) -> str:
    value = cell.value if cell.value is not None else float("nan")
    few = written.counted(value, cell.n)
    return few or f"{written.number(100 * value)} % {written.ends(cell.ci95) if cell.ci95 else ''}".strip()


def difference(
    a: str, b: str, row: Any, setting: tuple[str, ...], tests: int = 1, *, weighed: bool = False
) -> str:  # fmt: skip
    """Two systems on the items that both have judged. row: of `compare.against` or `compare.matrix`, b − a, with Holm's
    p over so many tests; weighed: as of `paired_test`. Where their kinds stand in the setting, b's comes first, as its
    name does (`kinds`)."""
    if not row.n:
        return ""
    claim, size, ends, signed = against(b, a, row, sure=row.holm <= LEVEL)
    claim = f"{_capital(claim)}: {written.percent(row.rate_b)} against {written.percent(row.rate_a)}"
    n, p, test = int(row.n), float(row.holm), paired_test(tests, weighed=weighed)
    return Finding(claim, n, setting, size, ends, p, test, points=True, signed=signed).said


def item(
    item_id: str, name: str, metric: str, correct: bool | None, margin: float | None, unit: str, words: tuple[str, str],
    claim: str, setting: tuple[str, ...], right: str = "",
) -> str:  # fmt: skip
    """One item under one model: its verdict with its margin (None where it may not be shown), and why. words: its cell
    and reason, "" where not measured; claim: the sentence on it, in whose place the two words stand where it is "".
    right: how many models are right on it, "" where that is not said."""
    verdict = "has no verdict" if correct is None else "is right" if correct else "is wrong"
    by = "" if margin is None or margin != margin else f", margin {written.score(margin, signed=True)} {unit}".rstrip()
    why = f"; why: {with_cell(*words)}" if words[0] and not claim else ""
    beside = f"; {right}" if right else ""
    said = Finding(f"On item {item_id} {name} {verdict}{by}{why}{beside}", 1, (by_name(metric).title, *setting)).said
    return f"{said} {unmarked(claim)}".rstrip()


def plane(name: str, found: Lost, kind: str, of: str, benchmark: str) -> str:
    """How many quads bind at least, and where the points are lost. of: which quads, in words."""
    ends = found.share.ci95
    share = found.share.value
    state = bars.state(share, ends) if share is not None and ends is not None else ""
    many = f" ({bars.as_one_of_many(share, ends)})" if state == "uncertain" and share and ends else ""
    claim = {
        "bound": f"{name} binds at least {ends and bars.least(ends)} of {of} ({{}} beyond luck)",
        "not seen": f"No binding by {name} is seen in {of.replace('all quads', 'the quads')}: {{}} beyond luck",
        "uncertain": f"Whether {name} binds {of} is uncertain: {{}} beyond luck{many}",
        "reversed": f"{name} reads more of {of} the other way round than luck would: {{}}",
    }.get(state, f"{name} binds {{}} of {of} beyond luck, without an interval")
    lost = {cell: count for cell, (count, _) in found.cells.items() if cell != "right" and count}
    most = max(lost, key=lambda cell: lost[cell], default="")
    right = found.cells["right"][0]
    claim += f"; {written.percent(right / found.n, found.n)} are right"
    if most:
        part = "all others are" if len(lost) == 1 else "the largest part of the others is"
        claim += f", {part} “{NAMES[most]}” ({written.percent(lost[most] / found.n, found.n)})"
    return Finding(claim, found.n, (kind_name(kind), benchmark), found.share.value, ends, counted="quads").said


def _over_chance(found: list[tuple[float, Any, Any]], column: Column) -> float:
    """How far the best of a column is from chance: it decides where no column has two models."""
    return abs(max(value for value, _, _ in found) - (column.chance or 0.0))


def _range(found: list[tuple[float, Any, Any]]) -> float:
    return max(each[0] for each in found) - min(each[0] for each in found)


def _capital(text: str) -> str:
    """The first letter large, where it is not a name in small letters that stands so everywhere."""
    return (
        text if not text[:1].islower() or text.split()[0] not in ("at", "no", "whether") else text[0].upper() + text[1:]
    )
