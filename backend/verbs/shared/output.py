"""What verbs print: one JSON document, or a table for people, on standard output; everything else on standard error.

All text for people goes through here, so that the commands in it can be pasted as this program was started."""

import json
import math
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import typer

from backend.called import pasteable
from backend.durable import STANDARD_OUTPUT

#: Control characters but tab and newline, and those that turn the direction of what follows.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: How wide a table is that is cut to fit: where standard output is no terminal, at least, and a cell of it at least.
WIDTH, NARROWEST, LEAST = 160, 80, 12


def print_json(document: Any) -> None:
    """Print one JSON document. NaN and infinities become null: they are not JSON, and mean `undefined` here."""
    with to_stdout() as out:
        json.dump(_plain(document), out, ensure_ascii=False, indent=2, allow_nan=False)
        out.write("\n")


def copy_out(path: Path) -> None:
    """A file of text on standard output, as it stands."""
    with to_stdout() as out, path.open(encoding="utf-8", newline="") as lines:
        for line in lines:
            out.write(line)


@contextmanager
def to_stdout() -> Iterator[TextIO]:
    """Standard output, written through at the end. What keeps it from being written names it: the error of a full disk
    would say nothing of which, and be told of the cache (`durable.unwritable`)."""
    try:
        yield sys.stdout
        sys.stdout.flush()
    except OSError as error:
        if error.filename is None:
            error.filename = STANDARD_OUTPUT
        raise


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner) for inner in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if hasattr(value, "item") and callable(value.item):  # a numpy scalar
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print left-aligned columns, unframed, so that the output can be cut, searched and pasted."""
    _print_columns([tuple(header), *[tuple(pasteable(str(cell)) for cell in row) for row in rows]])


def _print_columns(table: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        _echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def print_fitting(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bool:
    """The same within the width of the terminal (NARROWEST columns at least, WIDTH where there is none), the widest
    columns cut with `…`; one line a cell where there are too many columns. Whether anything was cut.
    """
    width = max(NARROWEST, shutil.get_terminal_size((WIDTH, 0)).columns)
    table = [[_one_line(cell) for cell in row] for row in (header, *rows)]
    longest = [max(len(row[column]) for row in table) for column in range(len(header))]
    room = width - 2 * (len(header) - 1)
    if room < LEAST * len(header):
        indent = max(len(name) for name in header) + 2
        for row in table[1:]:
            for name, cell in zip(header, row, strict=True):
                _echo(f"{name:<{indent}}{_cut(cell, width - indent)}".rstrip())
            _echo("")
        return any(len(cell) > width - indent for row in table[1:] for cell in row)
    first = min(longest[0], room // 2 if len(header) > 1 else room)  # names are in the first column: it is cut last
    most = max(longest)
    while most > LEAST and first + sum(min(size, most) for size in longest[1:]) > room:
        most -= 1
    sizes = [first, *(min(size, most) for size in longest[1:])]
    fitted = [[_cut(cell, size) for cell, size in zip(row, sizes, strict=True)] for row in table]
    _print_columns(fitted)  # cells are data, cut to their size
    return sizes != longest


def _one_line(cell: object) -> str:
    return " ".join(str(cell).split())


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: max(1, size - 1)]}…"


def say(text: str = "", end: str = "\n") -> None:
    """Text on standard output, for people."""
    _echo(pasteable(text), end)


def _echo(text: str, end: str = "\n") -> None:
    with to_stdout():
        typer.echo(_harmless(text) + end, nl=False)


def note(message: str) -> None:
    """One line on standard error."""
    typer.echo(_harmless(pasteable(message)), err=True)


def _harmless(text: str) -> str:
    """Without what could steer a terminal: texts quote files, and names that others gave.

    >>> _harmless("a\\x1b[2J \\x07b")
    'a\ufffd[2J \ufffdb'
    """
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def counted(n: int, thing: str) -> str:
    """How many there are of a thing.

    >>> counted(1, "model"), counted(2400, "item")
    ('1 model', '2,400 items')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
