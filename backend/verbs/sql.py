"""`flipside sql`: one question in SQL to a read-only generation of the database."""

from typing import Annotated

import typer

from backend.verbs.shared.output import note, print_fitting, print_json

#: Rows that a table on a terminal shows; --json has all.
SHOWN = 200


def command(
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY", help="SELECT … on benchmarks, items, runs, run_parts, scores, tokens, outcomes, diagnoses."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document: a list of rows.")] = False,
) -> None:
    """Ask the database of results one question in SQL; nothing can be changed by it."""
    from backend.store.exchange.sql import ask

    columns, rows = ask(query)
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    if print_fitting(columns, [["" if cell is None else cell for cell in row] for row in rows[:SHOWN]]):
        note("Cells are cut to fit; --json prints them whole.")
    if len(rows) > SHOWN:
        note(f"{SHOWN} of {len(rows)} rows; --json prints all.")
