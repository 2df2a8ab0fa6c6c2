"""`flipside import-results`: take over a run that another machine has computed."""

from pathlib import Path
from typing import Annotated

import typer

from backend.verbs.shared.output import print_json, say


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A bundle that `flipside export` made, --what bundle.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Verify a results bundle made elsewhere and import it; a damaged one is refused whole."""
    from backend.paths import typed_path
    from backend.store.build import importer
    from backend.store.exchange.bundle import read_bundle

    found = read_bundle(typed_path(file))
    importer.refresh(wait=True)
    if as_json:
        print_json(
            {"run": found.run_id, "model": found.model, "benchmark": found.benchmark, "new": found.new,
             "known": found.known}
        )  # fmt: skip
    elif found.new:
        say(f"Run {found.run_id} of {found.model} on {found.benchmark}: imported {', '.join(found.new)}.")
    elif found.items:
        say(f"Run {found.run_id} of {found.model} on {found.benchmark} is here already; imported its items anew.")
    else:
        say(f"Run {found.run_id} of {found.model} on {found.benchmark} is here already; nothing to do.")
