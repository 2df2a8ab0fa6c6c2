"""The heat map as a LaTeX table for a paper (booktabs), each rate with the ends of its 95 % interval."""

from backend import written
from backend.written import cell as written_cell
from pages.overview.view import Grid
from pages.shared.drawing.numbers import DASH

_SPECIAL = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
            "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "–": "--", "×": r"$\times$",
            "−": "$-$", "α": r"$\alpha$"}  # fmt: skip


def escaped(text: str) -> str:
    """A text in which LaTeX reads nothing as a command.

    >>> escaped("100 % of a_b {c} \\\\d")
    '100 \\\\% of a\\\\_b \\\\{c\\\\} \\\\textbackslash{}d'
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in " ".join(text.split()))


def table(shown: Grid, caption: str) -> str:
    """A complete `table*` environment; needs \\usepackage{booktabs}. Rates in per cent, the best of a column bold."""
    best = {
        column.key: max((cell.value for (_, key), cell in shown.cells.items() if key == column.key and cell.value
                         is not None), default=None)
        for column in shown.columns
    }  # fmt: skip
    rows = []
    for row in shown.rows:
        words = [f"{escaped(row.label)} ({escaped(row.kind)})"]
        for column in shown.columns:
            cell = shown.cells.get((row.key, column.key))
            if cell is None or cell.value is None:
                words.append(escaped(DASH))
                continue
            if column.unit is not None:
                number, ends = written.number(cell.value, 2), written.ends(cell.ci95, 1, 2)
            else:
                number, ends = written_cell(cell.value, cell.n, cell.ci95)
            number = rf"\textbf{{{number}}}" if cell.value == best[column.key] else number
            words.append(rf"{number} {{\scriptsize {ends}}}" if ends else number)
        rows.append(" & ".join(words) + r" \\")
    heads = [" & ".join(["model", *(escaped(column.label) for column in shown.columns)]) + r" \\"]
    heads.append(" & ".join(["", *(rf"\scriptsize {escaped(column.sub)}" for column in shown.columns)]) + r" \\")
    chance = " & ".join(
        ["chance", *(f"{100 * c.chance:.1f}" if c.chance is not None else escaped(DASH) for c in shown.columns)]
    )
    lines = [
        r"% needs \usepackage{booktabs}", r"\begin{table*}", r"\centering", rf"\caption{{{escaped(caption)}}}",
        rf"\begin{{tabular}}{{l{'r' * len(shown.columns)}}}", r"\toprule", *heads, r"\midrule", *rows, r"\midrule",
        rf"{chance} \\", r"\bottomrule", r"\end{tabular}", r"\end{table*}", "",
    ]  # fmt: skip
    return "\n".join(lines)
