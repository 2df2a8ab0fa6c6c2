"""Rows of CSV below a header: what is broken is named by where it begins, a row that took others into it is seen."""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from backend.benchmarks.reading.malformed import Malformed

#: A cell of more lines is no caption and no name.
_MOST_LINES: Final = 20
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


def rows_under(header: Sequence[str], reader: Any) -> Iterator[tuple[int, Any]]:
    """(line, row by column) of what is left of a `csv.reader`; a row of another length is `Malformed`, and so is one
    that has swallowed others; an empty one is passed over. BrokenRowError where a row cannot be read."""
    while True:
        begun = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BrokenRowError(begun, str(error)) from None
        if found := swallowed(row, len(header), reader.dialect.delimiter):
            said = (
                f"begins in line {begun} and has a cell of {found:,} lines: a quote there opens a cell though it "
                "belongs to the text, and the rows up to the next quote are in it. Write it twice, in a quoted cell"
            )
            yield reader.line_num, Malformed(said)
        elif len(row) == len(header):
            yield reader.line_num, dict(zip(header, row, strict=True))
        elif row:
            said = f"has {len(row)} cells where the header has {len(header)}"
            pairs = pairwise(row)
            if len(row) > len(header) and reader.dialect.delimiter == "," and any(map(_one_number, pairs)):
                said += "; a decimal comma makes two cells of a number, so write a decimal point, as in 0.53"
            yield reader.line_num, Malformed(said)


def decimal_comma(cell: str) -> bool:
    """Whether a cell is a number as it is written with a decimal comma.

    >>> decimal_comma("0,53"), decimal_comma("-1.234,5"), decimal_comma("0.53"), decimal_comma("a, b")
    (True, True, False, False)
    """
    return bool(_WITH_COMMA.fullmatch(cell.strip()))


def _one_number(cells: tuple[str, str]) -> bool:
    """Whether two neighbouring cells may be the parts of a number before and behind its comma."""
    return cells[1][:1].isdecimal() and decimal_comma(",".join(cells))


def swallowed(row: Sequence[str], columns: int, delimiter: str) -> int:
    """How many lines a cell has that took whole rows into it: more than a text has, or some that have as many cells as
    a row; 0 where none has.

    >>> swallowed(["a.png", "a cup,x\\nb.png,a dog,a cat\\nc.png,a man", "y"], 3, ",")
    3
    >>> swallowed(["a.png", "a cup,\\nred,\\nand blue", "y"], 3, ",")
    0
    """
    for cell in row:
        inside = cell.split("\n")
        like_rows = columns > 2 and any(line.count(delimiter) == columns - 1 for line in inside[1:-1])
        if like_rows or len(inside) > _MOST_LINES:
            return len(inside)
    return 0
