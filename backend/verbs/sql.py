"""`flipside sql`: one question in SQL to a read-only generation of the database."""

import csv
import json
from typing import Annotated, Any

import typer

from backend.cells import neutral
from backend.errors import UsageError
from backend.verbs.shared.output import note, print_fitting, print_json, say, to_stdout

#: Rows that a table on a terminal shows; --json and --csv have all.
SHOWN = 200


def command(
    query: Annotated[
        str | None,
        typer.Argument(metavar="[QUERY]", help="SELECT … on `verdicts`, which has the joins done."),
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="List view, tables and columns instead.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print all rows as CSV.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document: a list of rows.")] = False,
) -> None:
    """Ask the database of results one question in SQL; nothing can be changed by it."""
    from backend.engine.interrupt import reading
    from backend.store.exchange.sql import ask

    if as_csv and as_json:
        raise UsageError("--csv and --json exclude each other.")
    if schema != (query is None):
        raise UsageError(
            "give a query, as in "
            'flipside sql "SELECT run_id, metric, avg(correct::INT) FROM verdicts WHERE whole GROUP BY ALL", or '
            "--schema for what there is."
        )
    if query is None:
        _schema(as_csv, as_json)
        return
    with reading():
        columns, rows = ask(query)
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    if as_csv:
        _csv(columns, rows)
        return
    if print_fitting(columns, [["" if cell is None else cell for cell in row] for row in rows[:SHOWN]]):
        note("Cells are cut to fit; --json and --csv print them whole.")
    if len(rows) > SHOWN:
        note(f"{SHOWN} of {len(rows)} rows; --json and --csv print all.")


def _csv(columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    """A header, then a line a row; what is missing is empty, lists and objects are JSON."""
    with to_stdout() as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow(
                [json.dumps(cell, ensure_ascii=False) if isinstance(cell, list | dict) else cell for cell in row]
            )


def _cell(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
    return neutral(text) if isinstance(text, str) else text


def _schema(as_csv: bool, as_json: bool) -> None:
    from backend.store.exchange.sql import schema

    found = schema()
    if as_json:
        print_json(
            [
                {"table": name, "about": about, "columns": [{"name": column, "type": kind} for column, kind in columns]}
                for name, about, columns in found
            ]
        )
    elif as_csv:
        _csv(["table", "column", "type"], [(name, *column) for name, _, columns in found for column in columns])
    else:
        for name, about, columns in found:
            say(f"{name}: {about}")
            say(f"  {', '.join(f'{column} {kind}' for column, kind in columns)}\n")
