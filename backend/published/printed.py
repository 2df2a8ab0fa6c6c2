"""The printed tables as they were transcribed, one `Printed` a number, each with the caveats that belong to it."""

import csv
import json
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from backend.errors import FlipsideError

FOLDER = Path(__file__).resolve().parent
COLUMNS = ("paper", "table", "model", "benchmark", "subset", "metric", "value", "unit", "note")

#: Papers by the name of their table file, in the order in which answers list them.
PAPERS: dict[str, str] = {
    "visla": "VISLA Benchmark: Evaluating Embedding Sensitivity to Semantic and Lexical Alterations",
    "eqsim": "Equivariant Similarity for Vision-Language Foundation Models",
    "svlc": "Teaching Structured Vision & Language Concepts to Vision & Language Models",
    "visualgptscore": "Revisiting the Role of Language Priors in Vision-Language Models",
    "winoground": "Winoground: Probing Vision and Language Models for Visio-Linguistic Compositionality",
    "brittleness": "Assessing Brittleness of Image-Text Retrieval Benchmarks from Vision-Language Models Perspective",
}


@dataclass(frozen=True, slots=True)
class Caveat:
    """Something odd about printed numbers (inconsistencies.json).

    name: its id. says: what is odd. allow: how far apart two right numbers may lie, as a fraction; None where nothing
    follows for that. comparable: False where the number must not stand beside one of ours at all.
    """

    name: str
    says: str
    allow: float | None = None
    comparable: bool = True


@dataclass(frozen=True, slots=True)
class Printed:
    """One number of a table.

    value: as a fraction where the unit is percent, otherwise as printed. unit: percent, fraction or count, as printed.
    note: the transcriber's remark. rounding: half of the last digit that its table prints, as a fraction. row: the
    line of the table file, header = 1.
    """

    paper: str
    table: str
    model: str
    benchmark: str
    subset: str
    metric: str
    value: float
    unit: str
    note: str
    caveats: tuple[Caveat, ...]
    rounding: float
    row: int

    @property
    def comparable(self) -> bool:
        """Whether no caveat forbids to set it beside one of our numbers."""
        return all(caveat.comparable for caveat in self.caveats)

    @property
    def allow(self) -> float:
        """How far a right number of ours may lie from it: the rounding of the print, or what a caveat allows."""
        return max([self.rounding, *(caveat.allow or 0.0 for caveat in self.caveats)])

    def as_dict(self) -> dict[str, Any]:
        """For JSON: plain values, caveats as sentences."""
        return {
            **{name: getattr(self, name) for name in COLUMNS},
            "caveats": [caveat.says for caveat in self.caveats],
            "allow": self.allow,
            "comparable": self.comparable,
        }


@cache
def table(paper: str) -> tuple[Printed, ...]:
    """All numbers of a paper, in the order of its table file.

    >>> table("visla")[0].model, table("visla")[0].value
    ('All-MiniLM-L6-v2', 0.5889)
    """
    path = FOLDER / "tables" / f"{paper}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise FlipsideError(f"{path}: expected the columns {', '.join(COLUMNS)}. Restore the file.")
        rows = list(reader)
    digits: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row["table"], row["unit"])
        digits[key] = max(digits.get(key, 0), len(row["value"].partition(".")[2]))
    return tuple(_printed(row, line, digits[row["table"], row["unit"]]) for line, row in enumerate(rows, 2))


def everything() -> tuple[Printed, ...]:
    """All numbers of all papers, in the order of `PAPERS`."""
    return tuple(number for paper in PAPERS for number in table(paper))


def _printed(row: dict[str, str], line: int, digits: int) -> Printed:
    scale = Decimal(100) if row["unit"] == "percent" else Decimal(1)
    half = Decimal("0.5").scaleb(-digits) / scale if row["unit"] != "count" else Decimal(0)
    return Printed(
        **{name: row[name] for name in COLUMNS if name != "value"},
        value=float(Decimal(row["value"]) / scale),
        caveats=tuple(caveat for select, caveat in _caveats() if _selected(row, select)),
        rounding=float(half),
        row=line,
    )


@cache
def _caveats() -> tuple[tuple[dict[str, Any], Caveat], ...]:
    entries = json.loads((FOLDER / "inconsistencies.json").read_text(encoding="utf-8"))
    return tuple(
        (entry["select"], Caveat(entry["name"], entry["says"], entry.get("allow"), entry.get("comparable", True)))
        for entry in entries
    )


def _selected(row: dict[str, str], select: dict[str, Any]) -> bool:
    """Whether every field of the selector admits the row: a list of values, or a part of the note."""
    for field, wanted in select.items():
        if field == "cells":
            if [row["table"], row["model"], row["benchmark"], row["metric"]] not in wanted:
                return False
        elif field == "note_has":
            if wanted not in row["note"]:
                return False
        elif row[field] not in wanted:
            return False
    return True
