"""Rows of CSV below a header: what is broken is named by where it begins, a row that took others into it is seen."""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.stray_quotes import spanning

#: A number with a decimal comma, with or without points between thousands.
_WITH_COMMA: Final = re.compile(
    r"[+-]?(?:[0-9]{1,30}|[0-9]{1,3}(?:\.[0-9]{3}){1,9}),[0-9]{1,30}(?:[eE][+-]?[0-9]{1,3})?"
)


class BrokenRowError(csv.Error):
    """A row that cannot be read. line: where it begins, which is where its quote was opened; the reader itself stands
    where it gave up, often at the end of the file."""

    def __init__(self, line: int, said: str) -> None:
        super().__init__(said)
        self.line = line


def rows_under(
    header: Sequence[str], reader: Any, doubted: list[tuple[int, int]] | None = None
) -> Iterator[tuple[int, Any]]:
    """(line where it begins, row by column) of what is left of a `csv.reader`; a row of another length is `Malformed`,
    and one that has swallowed others is, once for each line that is in it; an empty one is passed over.

    doubted: takes the first and the last line of each cell that may hold rows or a text with line breaks.
    BrokenRowError where a row cannot be read.
    """
    while True:
        begun = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BrokenRowError(begun, str(error)) from None
        found = spanning(row, len(header), reader.dialect.delimiter) if reader.line_num > begun else None
        if found is not None and (found.is_sure or len(row) != len(header)):
            yield from _swallowed(begun + found.above, found.lines)
            continue
        if len(row) == len(header):
            if found is not None and doubted is not None:
                doubted.append((begun + found.above, begun + found.above + len(found.lines) - 1))
            yield begun, dict(zip(header, row, strict=True))
        elif row:
            said = f"has {len(row)} cells where the header has {len(header)}"
            if reader.line_num > begun:
                said += f"; a quote holds it together up to line {reader.line_num}"
            pairs = pairwise(row)
            if len(row) > len(header) and reader.dialect.delimiter == "," and any(map(_one_number, pairs)):
                said += "; a decimal comma makes two cells of a number, so write a decimal point, as in 0.53"
            yield begun, Malformed(said)


def _swallowed(opened: int, lines: Sequence[str]) -> Iterator[tuple[int, Malformed]]:
    """Why the rows of these lines are none, one after the other. opened: the line in which the quote stands."""
    said = (
        f"has a cell of {len(lines):,} lines, {opened} to {opened + len(lines) - 1}: a quote there opens it though it "
        "belongs to the text, and the rows up to the next quote are in it. Write it twice, in a quoted cell"
    )
    yield opened, Malformed(said)
    for place, line in enumerate(lines[1:], start=opened + 1):
        if line.strip():
            yield place, Malformed(f"is in a cell that a quote in line {opened} opens, so it is no row of its own")


def decimal_comma(cell: str) -> bool:
    """Whether a cell is a number as it is written with a decimal comma.

    >>> decimal_comma("0,53"), decimal_comma("-1.234,5"), decimal_comma("0.53"), decimal_comma("a, b")
    (True, True, False, False)
    """
    return bool(_WITH_COMMA.fullmatch(cell.strip()))


def _one_number(cells: tuple[str, str]) -> bool:
    """Whether two neighbouring cells may be the parts of a number before and behind its comma."""
    return cells[1][:1].isdecimal() and decimal_comma(",".join(cells))
