"""What verbs print: one JSON document, or a table for people, on standard output; everything else on standard error."""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import typer


def print_json(document: Any) -> None:
    """Print one JSON document. NaN and infinities become null: they are not JSON, and mean `undefined` here."""
    json.dump(_plain(document), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


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
    table = [tuple(header), *[tuple(str(cell) for cell in row) for row in rows]]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for row in table:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def note(message: str) -> None:
    """One line on standard error."""
    typer.echo(message, err=True)
