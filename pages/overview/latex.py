"""The heat map as a LaTeX table for a paper (booktabs), each rate with the ends of its 95 % interval."""

from collections.abc import Sequence

from backend import latex, written
from backend.latex import escape
from backend.written import cell as written_cell
from pages.overview.view import Grid
from pages.shared.drawing.heatmap import Column
from pages.shared.drawing.numbers import DASH

#: Above the table, for who sets it.
NOTE = (
    "% needs \\usepackage{booktabs}\n"
    "% Nothing is bold, for the highest rate of a column may be so by chance. `flipside table --format latex` sets\n"
    "% bold what is better than every other model of its column beyond chance.\n"
)


def table(shown: Grid, caption: str) -> str:
    """A complete `table*` environment; needs \\usepackage{booktabs}. Rates in per cent, what is no share in its own
    unit. Nothing is bold: the highest rate of a column may be so by chance (`flipside table` tests it)."""
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
            ends = " ".join(filter(None, (ends, f"({escape(cell.in_part)} judged)" if cell.of else "")))
            words.append(rf"{number} {{\scriptsize {ends}}}" if ends else number)
        rows.append(words)
    heads = [
        ["model", *(escape(column.label) for column in shown.columns)],
        ["", *(rf"\scriptsize {escape(column.sub)}" for column in shown.columns)],
    ]
    chance = ["chance", *(escape(_chance(column)) for column in shown.columns)]
    columns = "l" + "r" * len(shown.columns)
    return NOTE + latex.table(columns, heads, [*rows, latex.RULE, chance], caption, wide=True)


def _chance(column: Column) -> str:
    if column.chance is None:
        return DASH
    return written.number(100 * column.chance) if column.unit is None else written.number(column.chance, 2)
