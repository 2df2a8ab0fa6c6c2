"""`flipside world`: write an edition of the synthetic world, or a probe, into a folder."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from backend.verbs.shared.out import folder as out_folder
from backend.verbs.shared.output import counted, print_json, say


def command(
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            parser=out_folder,
            metavar="DIR",
            help="A new or empty folder; one of the same items is written again.",
        ),
    ],
    items: Annotated[int, typer.Option("--items", metavar="N", help="How many items in all.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The same seed gives the same pixels.")] = 0,
    differ_only_in: Annotated[
        str | None,
        typer.Option(
            "--differ-only-in",
            metavar="X",
            help="Quads only, differing in X: shape, colour, size, fill, count, location, relation, binding.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write scenes, pictures, captions and minimal pairs of any number into a folder."""
    from backend.engine import interrupt
    from backend.world.verb import generate

    with interrupt.beginning_anew():
        written = generate(out, items, seed, differ_only_in)
    if as_json:
        print_json(written)
        return
    say(f"{counted(written['n_items'], 'item')} with {counted(written['n_images'], 'image')} in {written['out']}")
    say(f"next: flipside import world --data {quote(str(written['out']))}")
