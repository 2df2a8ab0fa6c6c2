"""Tab-separated files without quoting: rows as they stand, and errors that name file, line, found and expected."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import lines
from backend.errors import FlipsideError


def read_rows(path: Path, header: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...] | Malformed]]:
    """(line number, cells) for each row below an exactly matching header; a row of another length is a Malformed.

    A double quote is literal text. Lines are split at the line feed only: a caption may hold other Unicode breaks.
    """
    empty = True
    for number, line in lines(path):
        cells = tuple(line.split("\t"))
        if empty:
            empty = False
            if cells != tuple(header):
                raise FlipsideError(
                    f"{path}, line {number}: expected header {list(header)}, found {_found(cells)}. Use the "
                    "benchmark's original file, unchanged (tabs between columns, no quoting)."
                )
        elif len(cells) != len(header):
            yield number, Malformed(f"expected {len(header)} columns, found {_found(cells)}")
        else:
            yield number, cells
    if empty:
        raise FlipsideError(f"{path} is empty; expected header {list(header)}. Copy the original file again.")


def _found(cells: Sequence[str]) -> str:
    shown = [cell if len(cell) <= 60 else cell[:57] + "..." for cell in cells[:8]]
    return f"{len(cells)} column(s) {shown}"
