"""Tables of Failures as LaTeX (booktabs, longtable), for a paper's appendix."""

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import pandas as pd

from backend import written

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "−": r"\ensuremath{-}", "α": r"\ensuremath{\alpha}",
    "·": r"\ensuremath{\cdot}", "≥": r"\ensuremath{\geq}", "≤": r"\ensuremath{\leq}", "…": r"\ldots{}",
    "×": r"\ensuremath{\times}", "→": r"\ensuremath{\rightarrow}", "±": r"\ensuremath{\pm}",
}  # fmt: skip
_FIND = re.compile("[" + re.escape("".join(_SPECIAL)) + "]")
#: What a document that takes these tables in has to load.
PREAMBLE = r"""% \usepackage[T1]{fontenc}  \usepackage[utf8]{inputenc}  \usepackage{textcomp}  \usepackage{booktabs}
% \usepackage{longtable}. Captions in other scripts than Latin need XeLaTeX or LuaLaTeX and a font that has them.
"""


def escape(text: str) -> str:
    """A text as LaTeX prints it, on one line.

    >>> escape("50% of A_1 & {B}\\n~")
    '50\\\\% of A\\\\_1 \\\\& \\\\{B\\\\} \\\\textasciitilde{}'
    """
    one_line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return _FIND.sub(lambda found: _SPECIAL[found[0]], one_line)


def summary(rows: pd.DataFrame, caption: str, label: str = "tab:failures-by-concept") -> str:
    """`files.by_concept` as a booktabs table: concept, n, wrong, share in per cent with its 95 % interval."""
    body = []
    for row in _records(rows):
        share, spread = written.cell(row["rate"], row["n"], (row["low"], row["high"])) if row["n"] else ("", "")
        share, spread = share or "--", spread or "--"
        rule = "\\midrule\n" if row["concept"] == "all" else ""
        body.append(
            f"{rule}{_first(row['concept'].replace('_', ' '))} & {row['n']} & {row['wrong']} & {share} & {spread}"
        )
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{escape(caption)}}}\n\\label{{{label}}}\n"
        "\\begin{tabular}{lrrrr}\n\\toprule\n"
        "Concept & $n$ & wrong & wrong (\\%) & 95\\,\\% interval \\\\\n\\midrule\n"
        + "".join(f"{line} \\\\\n" for line in body)
        + "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )


def listing(frame: pd.DataFrame, caption: str, label: str = "tab:failures") -> str:
    """The flat table of `files.flat` as a longtable: item, captions, metric, verdict, margin, diagnosis."""
    head = "Item & Captions & Metric & Verdict & Margin & Diagnosis \\\\\n"
    lines = [" & ".join(_cells(row)) for row in _records(frame)]
    return (
        "\\begin{longtable}{lp{.42\\linewidth}llrl}\n"
        f"\\caption{{{escape(caption)}}}\\label{{{label}}}\\\\\n"
        f"\\toprule\n{head}\\midrule\n\\endfirsthead\n\\toprule\n{head}\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n"
        + "".join(f"{line} \\\\\n" for line in lines)
        + "\\end{longtable}\n"
    )


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    words = [escape(str(row[name]).replace("|", ", ").replace("_", " ")) for name in ("metric", "diagnosis")]
    number = f"${row['margin']:+.3g}$" if isfinite(row["margin"]) else "--"
    return _first(row["item_id"]), _captions(row["texts"]), words[0], _verdict(row["correct"]), number, words[1]


def _first(text: str) -> str:
    """The first cell of a row: after the row before, `[` or `*` would be read as an argument of its line break."""
    return ("{}" if text.startswith(("[", "*")) else "") + escape(text)


def _captions(texts: Sequence[str]) -> str:
    """Captions under each other in one cell; of very many the first five."""
    shown = [escape(text) for text in texts[:5]] + ([r"\ldots{}"] if len(texts) > 5 else [])
    return " \\newline ".join(shown)


def _verdict(correct: object) -> str:
    return "--" if correct is None or pd.isna(correct) else "right" if correct else "wrong"  # type: ignore[call-overload]
