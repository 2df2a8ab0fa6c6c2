"""A table of a paper as Markdown, LaTeX (booktabs) or CSV."""

import csv
import io
from collections.abc import Sequence

from backend import latex, written
from backend.cells import neutral
from backend.kinds import Kind
from backend.metrics.core import registry
from backend.store.rates.asking_orders import DIFFERENTLY
from backend.store.rates.both_paraphrases import WHY
from backend.store.rates.covered import WHOLE
from backend.store.report.bold import LEVEL, of_a_part
from backend.store.report.table import Cell, Column, Table

DASH = "–"
CSV_HEAD = (
    "model", "name", "kind", "run", "benchmark", "benchmark_hash", "subset", "metric", "value", "low", "high", "n",
    "ties", "chance", "best", "printed", "printed_in", "printed_as", "missing", "lower_bound",
    "rule",
)  # fmt: skip


def markdown(table: Table) -> str:
    """A table in GitHub's Markdown, and below it what its marks mean."""
    heads = ["model", *(_markdown(_title(column, table)) for column in table.columns)]
    lines = [heads, ["---", *("---:" for _ in table.columns)]]
    parts = of_a_part(table.cells)
    for number in range(len(table.rows)):
        words = [_markdown(_label(table, number))]
        for at in range(len(table.columns)):
            cell = table.cells.get((number, at))
            if cell is None:
                words.append(DASH)
                continue
            value, ends = _number(cell, table.columns[at])
            beside = f" (printed {_printed(cell, table.columns[at])})" if cell.printed else ""
            of = f" (n {cell.n:,})" if (number, at) in parts else ""
            words.append(f"{f'**{value}**' if cell.best else value}{f' {ends}' if ends else ''}{of}{beside}")
        lines.append(words)
    lines.append(["chance", *_chances(table)])
    lines.append(["n", *_counts(table)])
    body = "".join(f"| {' | '.join(words)} |\n" for words in lines)
    return f"{body}\n{' '.join(_legend(table))}\n"


def as_latex(table: Table, caption: str = "") -> str:
    """A complete `table*`; needs \\usepackage{booktabs}. Printed numbers stand below each value, in small letters."""
    rows: list[Sequence[str]] = []
    parts = of_a_part(table.cells)
    for number in range(len(table.rows)):
        words = [latex.escape(_label(table, number))]
        for at, column in enumerate(table.columns):
            cell = table.cells.get((number, at))
            if cell is None:
                words.append("--")
                continue
            value, ends = (latex.escape(text) for text in _number(cell, column))
            value = rf"\textbf{{{value}}}" if cell.best else value
            value += rf" {{\scriptsize {ends}}}" if ends else ""
            value += rf" {{\scriptsize ($n$ {cell.n:,})}}" if (number, at) in parts else ""
            value += rf" {{\scriptsize (printed {latex.escape(_printed(cell, column))})}}" if cell.printed else ""
            words.append(value)
        rows.append(words)
    heads = [["model", *(latex.escape(_title(column, table)) for column in table.columns)]]
    chance = ["chance", *(latex.escape(text) for text in _chances(table))]
    counts = ["$n$", *(latex.escape(text) for text in _counts(table))]
    said = " ".join(filter(None, (caption, *_legend(table))))
    columns = "l" + "r" * len(table.columns)
    return "% needs \\usepackage{booktabs}\n" + latex.table(
        columns, heads, [*rows, latex.RULE, chance, counts], said, wide=True
    )


def as_csv(table: Table) -> str:
    """One line a cell, CSV_HEAD; values are fractions where the metric is a share. missing: why a cell has no value, or
    which items of the run are not among its n, for they have no scores."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_HEAD)
    for (number, at), cell in sorted(table.cells.items()):
        row, column = table.rows[number], table.columns[at]
        low, high = cell.ci95 or ("", "")
        value, paper, where, name = cell.printed[0] if cell.printed else ("", "", "", "")
        writer.writerow(
            [neutral(row.model), neutral(row.name), cell.setting.kind, cell.run_id, column.benchmark, column.hash,
             column.subset, column.metric, cell.value, low, high, cell.n, cell.ties,
             "" if cell.bound else _of(cell.chance, column.chance),
             "yes" if cell.best else "", value, f"{paper}, {where}" if paper else "", name,
             neutral(" ".join(cell.left_out)), "yes" if cell.bound else "", cell.rule]
        )  # fmt: skip
    for (number, benchmark), why in table.missing.items():
        row = table.rows[number]
        said = [neutral(text) for text in (row.model, row.name, row.kind)]
        writer.writerow([*said, "", neutral(benchmark), *[""] * (len(CSV_HEAD) - 8), neutral(why), "", ""])
    return file.getvalue()


def _label(table: Table, number: int) -> str:
    row = table.rows[number]
    kinds = [cell.setting.describe() for (at, _), cell in sorted(table.cells.items()) if at == number]
    said = row.kind or ", ".join(dict.fromkeys(kinds))
    return f"{_name(table, number)}{f' ({said})' if said else ''}"


def _name(table: Table, number: int) -> str:
    return table.rows[number].name or table.rows[number].model


def _title(column: Column, table: Table) -> str:
    versions = {other.hash for other in table.columns if other.benchmark == column.benchmark}
    version = f"@{column.hash[:8]}" if len(versions) > 1 else ""
    return " ".join(filter(None, (f"{column.benchmark}{version}", column.subset, column.metric.replace("_", " "))))


def _number(cell: Cell, column: Column) -> tuple[str, str]:
    """The value and its interval, in per cent or in the metric's unit."""
    if cell.value is None:
        return DASH, ""
    if column.share:
        value, ends = written.cell(cell.value, cell.n, cell.ci95)
        return f"≥ {value}" if cell.bound else value, ends
    return written.number(cell.value, 2), written.ends(cell.ci95, 1, 2)


def _printed(cell: Cell, column: Column) -> str:
    value = cell.printed[0][0]
    return written.rounded(100 * value if column.share else value, 2)


def _chances(table: Table) -> list[str]:
    """The chance level of each column; `least–most` where some models were asked in more orders than others."""
    found = []
    for at, column in enumerate(table.columns):
        levels = {cell.chance for (_, other), cell in table.cells.items() if other == at and cell.chance is not None}
        own = sorted(levels) or ([] if column.chance is None else [column.chance])
        said = [written.number(100 * each) if column.share else written.number(each, 2) for each in own]
        found.append(DASH if not said else said[0] if len(said) == 1 else f"{said[0]}–{said[-1]}")
    return found


def _counts(table: Table) -> list[str]:
    """How many verdicts each column rests on; `least–most` where models differ."""
    found = []
    for at in range(len(table.columns)):
        sizes = sorted({cell.n for (_, other), cell in table.cells.items() if other == at})
        found.append(f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,}–{sizes[-1]:,}" if sizes else DASH)
    return found


def _legend(table: Table) -> list[str]:
    real = [column for column in table.columns if column.metric]
    others = dict.fromkeys(
        f"{column.metric.replace('_', ' ')}{f' ({column.unit})' if column.unit else ''}"
        for column in real
        if not column.share
    )
    found = ["Per cent with 95 % intervals."] if any(column.share for column in real) else []
    if others:
        found.append(f"{'Not in per cent' if found else 'With 95 % intervals'}: {', '.join(others)}.")
    bounded = {at for (_, at), cell in table.cells.items() if cell.bound}
    if any(cell.best for cell in table.cells.values()):
        level = f"{LEVEL:g}".removeprefix("0")
        found.append(f"Bold: better than every other model of its column (paired over images, Holm's p ≤ {level}).")
    elif any(sum(at == number for _, at in table.cells) > 1 for number in set(range(len(table.columns))) - bounded):
        # By two rules the largest number is no best one, so the test tells nothing of the others.
        ruled = any(test.two_rules for test in table.tests)
        found.append(
            "Nothing is bold." if ruled else "No model is beyond chance better than every other, so nothing is bold."
        )
    if bounded:
        found.append(
            f"≥: a lower bound, not to be set against chance or another model, so no column of it is bold: {WHY}."
        )
    for rule in dict.fromkeys(cell.rule for cell in table.cells.values() if cell.rule):
        strict = {(row, at) for (row, at), cell in table.cells.items() if cell.rule == rule}
        who = dict.fromkeys(_name(table, row) for row, _ in sorted(strict))
        what = dict.fromkeys(table.columns[at].metric.replace("_", " ") for _, at in sorted(strict))
        once = {row for (row, at), cell in table.cells.items() if cell.setting.kind == Kind.VERDICT and not cell.rule
                and any(at == other for _, other in strict)}  # fmt: skip
        names = ", ".join(_name(table, row) for row in sorted(once))
        apart = f" Answered once, so compared with none of these: {names}."
        found.append(f"{rule.capitalize()}: {', '.join(who)} ({', '.join(what)}).{apart if once else ''}")
    found += filter(None, [by_two_rules(table), by_order(table), left_out(table)])
    if of_a_part(table.cells):
        share = f"{100 * WHOLE:.0f} %"
        found.append(f"(n …): judged on less than {share} of what others of its column were, and never bold.")
    for word, why in (
        ("repeat", "Repeats of another model"),
        ("people", "People's own scores"),
        ("trained", "Models that were trained on items of this table"),
    ):
        rows = [_name(table, row) for row, reason in table.apart.items() if reason == word]
        if rows:
            found.append(f"{why} compete with no other for bold: {', '.join(rows)}.")
    sources = dict.fromkeys(
        f"{paper}, {where}" for cell in table.cells.values() for _, paper, where, _ in cell.printed[:1]
    )
    if sources:
        found.append(f"Printed: {'; '.join(sources)}.")
    formulas = dict.fromkeys(column.metric for column in real)
    directions = [name for name in formulas if registry.by_name(name).direction == "lower"]
    if directions:
        found.append(f"Lower is better: {', '.join(name.replace('_', ' ') for name in directions)}.")
    return found


def by_two_rules(table: Table) -> str:
    """How bold is tested between models of which one alone has to be right in every order of asking, in sentences; ""
    where there are none: the larger of two such numbers says nothing of who is better."""
    asked = [test for test in table.tests if test.two_rules]
    if not asked:
        return ""
    said = (
        "One that has to be right in every order of asking against one that has not: bold is tested by the mean of the "
        "orders, which asks the same of both."
    )
    told = [
        f"{_name(table, test.rival)} minus {_name(table, test.best)} "
        f"{written.number(100 * (test.even.difference or 0.0), 1, signed=True)} points, "
        f"{written.p_value(1.0 if test.even.p is None else test.even.p)} ({_title(table.columns[test.column], table)})"
        for test in asked
        if test.even is not None
    ]
    said += f" By that: {'; '.join(told)}." if told else ""
    none = dict.fromkeys(
        f"{_name(table, test.best)} against {_name(table, test.rival)} ({_title(table.columns[test.column], table)})"
        for test in asked
        if not test.n
    )
    return f"{said} Not tested, so not bold: {', '.join(none)}." if none else said


def by_order(table: Table) -> str:
    """Which of those that are tested for bold were asked to choose in orders of other names, in a sentence; "" where
    none: an answer may change with the order in which the captions stand."""
    pairs = dict.fromkeys(
        f"{test.orders[0]} for {_name(table, test.best)} and {test.orders[1]} for {_name(table, test.rival)}"
        for test in table.tests
        if test.orders
    )
    return f"The captions stood {'; '.join(pairs)}: part of a difference may be the order's." if pairs else ""


def left_out(table: Table) -> str:
    """Of which columns the test behind bold left items out, and how many it had, in a sentence; "" where of none: a
    number that is bold, or plain, by the test of some of its items does not look it."""
    pairs: dict[str, list[str]] = {}
    for test in table.tests:
        if test.unlike and not (test.two_rules and not test.n):  # of these `by_two_rules` tells
            pair = f"{_name(table, test.best)} against {_name(table, test.rival)}"
            own = f"{test.n:,} of {test.n + test.unlike:,} items ({_title(table.columns[test.column], table)})"
            pairs.setdefault(pair, []).append(own)
    said = "; ".join(f"{pair} on {', '.join(own)}" for pair, own in pairs.items())
    return f"Bold is tested on fewer items where the others were {DIFFERENTLY}: {said}." if said else ""


def _markdown(text: str) -> str:
    """A text in which nothing ends the cell or is a mark.

    >>> _markdown("a|b*c")
    'a\\\\|b\\\\*c'
    """
    one_line = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\|*`<>[]" else letter for letter in one_line)


def _of(own: float | None, column: float | None) -> float | str:
    """A cell's chance level, else its column's; "" where neither is known."""
    return own if own is not None else "" if column is None else column
