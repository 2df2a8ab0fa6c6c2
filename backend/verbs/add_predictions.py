"""`flipside add-predictions`: another system's scores or verdicts, which is a model like any other from then on."""

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from backend.engine.inputs.selection import Selection
from backend.engine.lacking import INCOMPLETE
from backend.intake.predictions import Added, add_predictions
from backend.items import Kind
from backend.kinds import ORDER
from backend.paths import typed_path
from backend.predictions import scale as scales
from backend.predictions.ids import reasons
from backend.predictions.matching import check_kind
from backend.verbs.shared.output import counted, note, print_json, print_table, say

#: How many statements that belong to no item are printed one by one; --json has all, and so has the run's folder.
NAMED = 50


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of predictions, or folders of them.")],
    name: Annotated[str, typer.Option("--as", metavar="NAME", help="What the system is called: predictions:NAME.")],
    benchmark: Annotated[str, typer.Option("--benchmark", metavar="NAME", help="The benchmark, e.g. sugarcrepe.")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The folder with its files.")] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="K", help="What scores are that name no kind. Default itc.")
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            "--scale",
            metavar="S",
            help="What itm and vqa are: probability or log-odds. Default: told by the file, else guessed.",
        ),
    ] = None,
    split: Annotated[str | None, typer.Option("--split", help="Only this split.")] = None,
    subset: Annotated[str | None, typer.Option("--subset", help="Only this subset, or several: a,b.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Leave out what was added earlier under this name, instead of adding.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Add another system's scores or verdicts on a benchmark; then it is a model like any other, predictions:NAME."""
    wanted = check_kind(kind)
    added = add_predictions(
        [typed_path(path) for path in paths],
        name,
        benchmark,
        data,
        kind=wanted,
        scale=scales.check(scale),
        selection=Selection(split=split, subset=subset),
        replace=replace,
    )
    if as_json:
        print_json(document(added))
    else:
        _print(added)
    for line in remarks(added, wanted):
        note(line)
    if added.matched.unmatched or any(counts["items_incomplete"] for counts in added.parts.values()):
        raise typer.Exit(1)  # the rest was taken, and is said above


def document(added: Added) -> dict[str, Any]:
    """The JSON form."""
    matched = added.matched
    return {
        "model": added.model,
        "benchmark": added.benchmark,
        "run": added.run_id,
        "folder": str(added.run_dir),
        "n_items": added.n_items,
        "parts": added.parts,
        "incomplete": added.incomplete,
        "matched": matched.statements,
        "unmatched": [each.document() for each in matched.unmatched],
        "extends": added.earlier or None,
        "gave_way": added.gave_way or None,
        "replaced": added.replaced,
        "unchanged": added.unchanged,
        "without_order": added.without_order or None,
        "guessed": added.notes,
    }


def _print(added: Added) -> None:
    print_table(
        ("part", "rows", "items", "items without", "items incomplete"),
        [
            (part, *(counts[key] for key in ("rows", "items", "items_without", "items_incomplete")))
            for part, counts in added.parts.items()
        ],
    )
    unmatched = added.matched.unmatched
    say(f"{added.model} on {added.benchmark}: run {added.run_id}, {added.matched.statements} predictions matched")
    if unmatched:
        say(f"{len(unmatched)} belong to no item or cannot be stored:")
        sorts = reasons(unmatched)
        if 1 < len(sorts) < len(unmatched):
            say(f"  in all {'; '.join(sorts)}")
    for each in unmatched[:NAMED]:
        say(f"  {each.place}: {each.reason}")
    if len(unmatched) > NAMED:
        say(f"  … and {len(unmatched) - NAMED} more; --json lists all, and so does {added.run_dir / 'unmatched.json'}")


def remarks(added: Added, kind: Kind | None) -> list[str]:
    """What a reader should know, one sentence a line."""
    found = [*added.notes, *filter(None, [added.without_order]), *added.matched.hints]
    if added.matched.unnamed and kind is None:
        found.append(
            "Scores that name no kind were taken for itc, numbers that only rank; --kind says otherwise: itm or vqa "
            "for probabilities or log-odds of yes."
        )
    if kind is not None and not added.matched.unnamed:
        found.append(f"--kind {kind} changes nothing: it is for scores that name no kind, and there are none here.")
    if added.gave_way:
        found.append(
            f"They count now, and what run {added.gave_way} had is left out of every page; it is still on the disk "
            "(`flipside runs` lists it)."
        )
    if added.unchanged:
        these = "What counts of these predictions was" if added.without_order else "These predictions were"
        found.append(f"{these} here before; nothing has changed.")
    elif added.earlier:
        gave_way = f", of which {added.replaced} rows gave way" if added.replaced else ""
        found.append(f"Added to what run {added.earlier} had{gave_way}; --replace leaves it out.")
    made = Kind.VERDICT in added.parts  # of all orders: an item that was not asked in one has a prediction all the same
    without = {counts["items_without"] for part, counts in added.parts.items() if not (made and part.startswith(ORDER))}
    if without - {0}:
        found.append(
            f"Up to {max(without)} of {counted(added.n_items, 'item')} have no prediction; rates are over the others."
        )
    for part, named in added.incomplete.items():
        n = added.parts[part]["items_incomplete"]
        more = ", …" if n > len(named[:3]) else ""
        said = f"{', '.join(named[:3])}{more}"
        be = "is" if n == 1 else "are"
        found.append(f"{part}: {counted(n, 'item')} {be} not complete and {be} not judged: {INCOMPLETE} ({said}).")
    if added.stub:
        found.append(f"{added.benchmark} is here as {added.stub}.")
    found.append(f"`flipside report --model {quote(added.model)} --benchmark {quote(added.benchmark)}` shows it.")
    return found
