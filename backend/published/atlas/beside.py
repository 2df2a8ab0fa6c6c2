"""Where another source prints a number for a cell of the Atlas: both side by side, and what the table says of why."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.published import aliases
from backend.published.atlas.columns import Column, columns
from backend.published.atlas.models import same_specs
from backend.published.atlas.reading import Atlas
from backend.published.printed import Printed, everything

ELSEWHERE: Final = Path(__file__).resolve().parent / "elsewhere.csv"


@dataclass(frozen=True, slots=True)
class Other:
    """A number of another source. row: of the Atlas; ours: the Atlas' number, per cent; value: the other's; rounding:
    half of its last digit. what: how far both mean the same."""

    row: int
    column: Column
    ours: float
    value: float
    rounding: float
    source: str
    what: str

    @property
    def difference(self) -> float:
        """Points, Atlas − the other."""
        return self.ours - self.value

    @property
    def digits(self) -> int:
        """After the point, as the other source prints it."""
        return 2 if self.rounding < 0.01 else 1

    @property
    def agrees(self) -> bool:
        """To the last digit that the other source prints."""
        return abs(self.difference) <= self.rounding + 1e-9

    @property
    def items(self) -> float | None:
        """How many items the difference is; None where their number cannot be told."""
        return None if self.column.items is None else self.difference * self.column.items / 100


def others(atlas: Atlas) -> tuple[Other, ...]:
    """All numbers that other sources print for a cell of the Atlas, in the Atlas' order of models and columns."""
    found = [*_from_papers(atlas), *_from_elsewhere(atlas)]
    return tuple(sorted(found, key=lambda each: (each.row, atlas.column[each.column.key], each.source)))


def _from_papers(atlas: Atlas) -> list[Other]:
    numbers: dict[tuple[str, str], list[Printed]] = {}
    for number in everything():
        if number.unit == "percent" and number.comparable:
            numbers.setdefault((number.paper, number.model), []).append(number)
    of = _same()
    found: dict[tuple[int, str, str], Other] = {}
    for row, entry in enumerate(atlas.entries):
        names = [name for spec in same_specs(entry) for name in aliases.names_of(spec)[0]]
        for name in dict.fromkeys(names):
            for number in numbers.get((name.paper, name.model), ()):
                column = _column(number, of)
                if column is None or (name.tables and number.table not in name.tables):
                    continue
                kind = aliases.column_of(number).kind or aliases.measured(number).kind
                if kind not in ("", "itc"):
                    continue
                source = f"{number.paper}, {number.table}"
                ours = float(atlas.rates[row, atlas.column[column.key]])
                said = name.note or ("" if kind else "with which kind of score is not said")
                other = Other(row, column, ours, 100 * number.value, 100 * number.rounding, source, said)
                found.setdefault((row, column.key, number.paper), other)
    return list(found.values())


def _column(number: Printed, of: dict[tuple[str, str, str], Column]) -> Column | None:
    """The Atlas' column that a printed number is of."""
    ours = aliases.column_of(number)
    if ours.how != "same" or len(ours.subsets) != 1:
        return None
    subset = ours.subsets[0]
    if subset == "*":
        whole = [column for key, column in of.items() if (key[0], key[2]) == (ours.benchmark, ours.metric)]
        return whole[0] if len(whole) == 1 else None
    return of.get((ours.benchmark, subset, ours.metric))


@cache
def _same() -> dict[tuple[str, str, str], Column]:
    return {
        (each.same.benchmark, each.same.subset, each.same.metric): each for each in columns() if each.same is not None
    }


def _from_elsewhere(atlas: Atlas) -> list[Other]:
    known = {each.key: each for each in columns()}
    found = []
    with ELSEWHERE.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            row = atlas.find(line["arch"], line["pretrained"])
            if row is not None:
                column = known[line["column"]]
                ours = float(atlas.rates[row, atlas.column[column.key]])
                rounding = 0.5 * 10.0 ** -int(line["digits"])
                found.append(Other(row, column, ours, float(line["value"]), rounding, line["source"], line["what"]))
    return found


@dataclass(frozen=True, slots=True)
class Odd:
    """Rates of one model on one benchmark that are no whole shares of their columns' items, so they are of others.
    would_be: the smallest number of items, up to 10,000, of which all of them are; None for none."""

    row: int
    columns: tuple[Column, ...]
    would_be: int | None


def odd(atlas: Atlas) -> tuple[Odd, ...]:
    """All of them: rates that k of the column's n items cannot give, to their last digit."""
    found: dict[tuple[int, str], list[Column]] = {}
    for place, column in enumerate(columns()):
        if column.items is not None:
            for row in np.flatnonzero(~_whole(atlas.rates[:, place], column.items)):
                found.setdefault((int(row), column.benchmark), []).append(column)
    made = []
    for (at, _), of in sorted(found.items()):
        rates = atlas.rates[at, [atlas.column[each.key] for each in of]]
        made.append(Odd(at, tuple(of), next((n for n in range(1, 10_001) if _whole(rates, n).all()), None)))
    return tuple(made)


def _whole(rates: NDArray[np.float64], n: int) -> NDArray[np.bool_]:
    """Whether rates (k,), per cent, are whole counts of n."""
    counts = rates * n / 100
    return np.asarray(np.abs(counts - np.round(counts)) < 1e-6 * max(1.0, n / 1000), dtype=np.bool_)


def twins(atlas: Atlas) -> tuple[tuple[int, int], ...]:
    """Pairs of models whose rates are the same in every column: the same computation under two names."""
    seen: dict[bytes, int] = {}
    found = []
    for row in range(len(atlas.entries)):
        key = atlas.rates[row].tobytes()
        if key in seen:
            found.append((seen[key], row))
        seen.setdefault(key, row)
    return tuple(found)
