"""Tables of Failures as LaTeX (booktabs, longtable), for a paper's appendix."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import pandas as pd

from backend import written
from backend.latex import RULE, escape, long_table, table
from backend.metrics.reasons.names import of_group

#: What a document that takes these tables in has to load.
PREAMBLE = r"""% \usepackage[T1]{fontenc}  \usepackage[utf8]{inputenc}  \usepackage{textcomp}  \usepackage{booktabs}
% \usepackage{longtable}. Captions in other scripts than Latin need XeLaTeX or LuaLaTeX and a font that has them.
"""


def summary(rows: pd.DataFrame, caption: str, label: str = "tab:failures-by-concept") -> str:
    """`files.by_concept` as a booktabs table: concept, n, wrong, share in per cent with its 95 % interval."""
    body: list[Sequence[str]] = []
    for row in _records(rows):
        share, spread = written.cell(row["rate"], row["n"], (row["low"], row["high"])) if row["n"] else ("", "")
        if row["concept"] == "all":
            body.append(RULE)
        concept = escape(row["concept"].replace("_", " "))
        body.append((concept, str(row["n"]), str(row["wrong"]), share or "--", spread or "--"))
    head = ("Concept", "$n$", "wrong", r"wrong (\%)", r"95\,\% interval")
    return table("lrrrr", [head], body, caption, label=label)


def listing(frame: pd.DataFrame, caption: str, label: str = "tab:failures") -> str:
    """The flat table of `files.flat` as a longtable: item, captions, metric, verdict, margin, reason."""
    head = ("Item", "Captions", "Metric", "Verdict", "Margin", "Reason")
    return long_table(r"lp{.42\linewidth}llrl", head, [_cells(row) for row in _records(frame)], caption, label)


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    reason = of_group(row["diagnosis"])
    words = [escape(str(text).replace("|", ", ").replace("_", " ")) for text in (row["metric"], reason)]
    number = f"${row['margin']:+.3g}$" if isfinite(row["margin"]) else "--"
    return escape(row["item_id"]), _captions(row["texts"]), words[0], _verdict(row["correct"]), number, words[1]


def _captions(texts: Sequence[str]) -> str:
    """Captions under each other in one cell; of very many the first five."""
    shown = [escape(text) for text in texts[:5]] + ([r"\ldots{}"] if len(texts) > 5 else [])
    return " \\newline ".join(shown)


def _verdict(correct: object) -> str:
    return "--" if correct is None or pd.isna(correct) else "right" if correct else "wrong"  # type: ignore[call-overload]
