"""The heat map as a LaTeX table for a paper (booktabs), each rate with the ends of its 95 % interval."""

from collections.abc import Sequence

from backend import latex, written
from backend.latex import escape
from backend.written import cell as written_cell
from pages.overview.view import Grid
from pages.shared.drawing.numbers import DASH


def table(shown: Grid, caption: str) -> str:
    """A complete `table*` environment; needs \\usepackage{booktabs}. Rates in per cent, the best of a column bold."""
    best = {
        column.key: max((cell.value for (_, key), cell in shown.cells.items() if key == column.key and cell.value
                         is not None), default=None)
        for column in shown.columns
    }  # fmt: skip
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
            number = rf"\textbf{{{number}}}" if cell.value == best[column.key] else number
            words.append(rf"{number} {{\scriptsize {ends}}}" if ends else number)
        rows.append(words)
    heads = [
        ["model", *(escape(column.label) for column in shown.columns)],
        ["", *(rf"\scriptsize {escape(column.sub)}" for column in shown.columns)],
    ]
    chance = ["chance", *(f"{100 * c.chance:.1f}" if c.chance is not None else escape(DASH) for c in shown.columns)]
    columns = "l" + "r" * len(shown.columns)
    return "% needs \\usepackage{booktabs}\n" + latex.table(
        columns, heads, [*rows, latex.RULE, chance], caption, wide=True
    )
