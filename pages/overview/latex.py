"""The heat map as a LaTeX table for a paper (booktabs), each rate with the ends of its 95 % interval."""

from collections.abc import Sequence

from backend import latex, written
from backend.latex import escape
from backend.written import cell as written_cell
from pages.overview.view import Grid
from pages.shared.drawing.heatmap import Column
from pages.shared.drawing.numbers import DASH


def table(shown: Grid, caption: str) -> str:
    """A complete `table*` environment; needs \\usepackage{booktabs}. Rates in per cent, what is no share in
    its own unit; the best of a column, as its metric's direction says, is bold."""
    best = {column.key: _best(shown, column) for column in shown.columns}
    rows: list[Sequence[str]] = []
    for row in shown.rows:
        words = [f"{escape(row.label)} ({escape(row.kind)})"]
        for column in shown.columns:
            cell = shown.cells.get((row.key, column.key))
            if cell is None or cell.value is None:
                words.append(escape(DASH))
                continue
            if column.unit is not None:
                number, ends = written.number(cell.value, 2), written.ends(cell.ci95, 1, 2)
            else:
                number, ends = written_cell(cell.value, cell.n, cell.ci95)
            number = rf"\textbf{{{number}}}" if cell.value == best[column.key] and not cell.of else number
            ends = " ".join(filter(None, (ends, f"({escape(cell.in_part)} judged)" if cell.of else "")))
            words.append(rf"{number} {{\scriptsize {ends}}}" if ends else number)
        rows.append(words)
    heads = [
        ["model", *(escape(column.label) for column in shown.columns)],
        ["", *(rf"\scriptsize {escape(column.sub)}" for column in shown.columns)],
    ]
    chance = ["chance", *(escape(_chance(column)) for column in shown.columns)]
    columns = "l" + "r" * len(shown.columns)
    return "% needs \\usepackage{booktabs}\n" + latex.table(
        columns, heads, [*rows, latex.RULE, chance], caption, wide=True
    )


def _best(shown: Grid, column: Column) -> float | None:
    """The best value of a column; None where it has none."""
    values = [
        cell.value for (_, key), cell in shown.cells.items()
        if key == column.key and cell.value is not None and not cell.of
    ]  # fmt: skip
    if column.direction == "zero":
        return min(values, key=abs, default=None)
    return min(values, default=None) if column.direction == "lower" else max(values, default=None)


def _chance(column: Column) -> str:
    if column.chance is None:
        return DASH
    return written.number(100 * column.chance) if column.unit is None else written.number(column.chance, 2)
