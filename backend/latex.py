"""LaTeX of tables (booktabs): texts in which nothing is a command, rows, and the environment around them."""

import re
from collections.abc import Sequence

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "−": r"\ensuremath{-}", "α": r"\ensuremath{\alpha}",
    "·": r"\ensuremath{\cdot}", "≥": r"\ensuremath{\geq}", "≤": r"\ensuremath{\leq}", "…": r"\ldots{}",
    "×": r"\ensuremath{\times}", "→": r"\ensuremath{\rightarrow}", "±": r"\ensuremath{\pm}", "–": "--",
}  # fmt: skip
_FIND = re.compile("[" + re.escape("".join(_SPECIAL)) + "]")
#: Between two rows: a line across the table.
RULE = (r"\midrule",)


def escape(text: str) -> str:
    """A text as LaTeX prints it, on one line.

    >>> escape("50% of A_1 & {B}\\n~")
    '50\\\\% of A\\\\_1 \\\\& \\\\{B\\\\} \\\\textasciitilde{}'
    """
    one_line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return _FIND.sub(lambda found: _SPECIAL[found[0]], one_line)


def line(cells: Sequence[str]) -> str:
    """A row of cells, LaTeX each. At its beginning `[` or `*` would be an argument of the row break before it.

    >>> print(line(["[a]", "1"]))
    {}[a] & 1 \\\\
    """
    first = "{}" if cells and cells[0].startswith(("[", "*")) else ""
    return first + " & ".join(cells) + r" \\"


def lines(rows: Sequence[Sequence[str]]) -> str:
    """Rows under each other, each with its line break; RULE among them stays a rule."""
    return "".join((row[0] if row is RULE else line(row)) + "\n" for row in rows)


def table(
    columns: str,
    heads: Sequence[Sequence[str]],
    rows: Sequence[Sequence[str]],
    caption: str,
    *,
    label: str = "",
    wide: bool = False,
) -> str:
    """A complete `table` environment; needs \\usepackage{booktabs}.

    columns: as `tabular` takes them ("lrr"); heads, rows: cells that are LaTeX already, RULE for a line across;
    caption: plain text; label: to refer to it; wide: across both columns of the paper.
    """
    kind = "table*" if wide else "table"
    named = f"\\label{{{label}}}\n" if label else ""
    return (
        f"\\begin{{{kind}}}\n\\centering\n\\caption{{{escape(caption)}}}\n{named}\\begin{{tabular}}{{{columns}}}\n"
        f"\\toprule\n{lines(heads)}\\midrule\n{lines(rows)}\\bottomrule\n\\end{{tabular}}\n\\end{{{kind}}}\n"
    )


def long_table(columns: str, head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str) -> str:
    """A `longtable` that goes on over pages, its head on each of them; needs \\usepackage{booktabs,longtable}."""
    top = f"\\toprule\n{line(head)}\n\\midrule\n"
    return (
        f"\\begin{{longtable}}{{{columns}}}\n\\caption{{{escape(caption)}}}\\label{{{label}}}\\\\\n"
        f"{top}\\endfirsthead\n{top}\\endhead\n\\bottomrule\n\\endfoot\n{lines(rows)}\\end{{longtable}}\n"
    )
