"""Tab-separated files without quoting: rows as they stand, and errors that name file, line, found and expected."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from backend.errors import FlipsideError


def read_rows(path: Path, header: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """(line number, cells) for each row below an exactly matching header; CRLF and LF line ends.

    A double quote is literal text. Lines are split at the line feed only: a caption may hold other Unicode breaks.
    """
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                cells = _cells(path, number, raw)
                if number == 1:
                    if cells != tuple(header):
                        raise _mismatch(path, number, "header", cells, header)
                elif len(cells) != len(header):
                    raise _mismatch(path, number, f"{len(header)} columns", cells, header)
                else:
                    yield number, cells
            if file.tell() == 0:
                raise FlipsideError(f"{path} is empty; expected header {list(header)}. Copy the original file again.")
    except OSError as error:
        raise FlipsideError(
            f"{path}: cannot be read ({error.strerror}). Check that the file is there and yours."
        ) from None


def _cells(path: Path, number: int, raw: bytes) -> tuple[str, ...]:
    try:
        line = raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        raise FlipsideError(
            f"{path}, line {number}: byte {error.start + 1} is not UTF-8. Use the benchmark's original file, unchanged."
        ) from None
    return tuple(line.split("\t"))


def _mismatch(path: Path, number: int, what: str, found: Sequence[str], expected: Sequence[str]) -> FlipsideError:
    shown = [cell if len(cell) <= 60 else cell[:57] + "..." for cell in found[:8]]
    return FlipsideError(
        f"{path}, line {number}: expected {what} {list(expected)}, found {len(found)} column(s) {shown}. "
        "Use the benchmark's original file, unchanged (tabs between columns, no quoting)."
    )
