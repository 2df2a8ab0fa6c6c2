"""`flipside export`: a run's scores, outcomes, items or tokens as a table, or all of it as a bundle."""

from collections.abc import Callable
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer
from typer._click.core import ParameterSource
from typer._click.globals import get_current_context

from backend.errors import FlipsideError, UsageError
from backend.verbs.shared.out import STDOUT, form_of
from backend.verbs.shared.out import file as out_file
from backend.verbs.shared.output import copy_out, counted, note, say

if TYPE_CHECKING:
    from backend.store.build.store import Store
    from backend.store.catalog.default_run import ChosenRun

#: What tables are written as, and which of these are text.
FORMATS, OF_TEXT = ("csv", "jsonl", "parquet"), ("csv", "jsonl")
#: Options that say something of a table and nothing of a bundle; --kind and --subset choose among runs, for both.
OF_TABLES = {
    "form": "--format", "alpha": "--alpha", "prior": "--prior", "norm": "--norm", "k": "--k",
    "normalise": "--normalise",
}  # fmt: skip


def _refuse_of_tables(form: str | None) -> None:
    """UsageError for an option that a bundle would ignore: it is always the whole run, and a zip."""
    context = get_current_context(silent=True)
    given = [
        option
        for name, option in OF_TABLES.items()
        if context is not None
        and context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        and not (name == "form" and form == "zip")
    ]
    if given:
        verb = "is" if len(given) == 1 else "are"
        raise UsageError(
            f"{' and '.join(given)} {verb} of tables alone: a bundle is the whole run as a zip. Leave "
            f"{'it' if len(given) == 1 else 'them'} out."
        )


def command(
    benchmark: Annotated[str, typer.Option("--benchmark", metavar="NAME", help="A benchmark's name, or its hash.")],
    what: Annotated[
        str, typer.Option("--what", metavar="W", help="scores, outcomes, items, tokens, close-pairs or bundle.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", parser=out_file, metavar="FILE", help="The file to write; replaced where it exists; - prints it."
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="SPEC", help="The model, as it was run. Items need none: they are of no run."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="F", help="csv, jsonl or parquet; a bundle is a zip. Default: as --out ends, else csv."
        ),
    ] = None,
    subset: Annotated[
        str | None, typer.Option("--subset", metavar="S", help="One subset, or several with commas.")
    ] = None,
    run: Annotated[str | None, typer.Option("--run", metavar="ID", help="A run by its id.")] = None,
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="K", help="outcomes: only this kind; close-pairs: the score that mines."),
    ] = None,
    alpha: Annotated[float | None, typer.Option("--alpha", metavar="A", help="outcomes of gen at this alpha.")] = None,
    prior: Annotated[
        str | None, typer.Option("--prior", metavar="P", help="Which prior, where the run has several.")
    ] = None,
    norm: Annotated[str | None, typer.Option("--norm", metavar="N", help="token, sum or paper-score.")] = None,
    k: Annotated[int, typer.Option("--k", metavar="K", help="close-pairs: how many are close to each.")] = 8,
    normalise: Annotated[
        str, typer.Option("--normalise", metavar="N", help="close-pairs: raw, softmax-pool or softmax-cells scores.")
    ] = "raw",
) -> None:
    """Write a run's scores, outcomes, items or tokens to a file, or the whole run as a bundle for another machine."""
    if what == "bundle":
        _refuse_of_tables(form)
    form = form_of(form, out, ("zip",), "zip") if what == "bundle" else form_of(form, out, FORMATS, "csv")
    if out == STDOUT and form not in OF_TEXT:
        raise UsageError(f"--out -: {form} is no text for standard output. Give the name of a file.")
    from backend.store.build.reader import open_store
    from backend.store.catalog import not_scored
    from backend.store.catalog.default_run import choose_run, choose_setting
    from backend.store.exchange.export import export, export_items
    from backend.store.scores.setting import as_norm

    store = open_store(follow=False)
    if model is None:
        if what != "items":
            raise UsageError(f"--model is missing: {what} are of a run. Only --what items is of a benchmark alone.")
        rows, said = _written(out, form, lambda place: export_items(store, benchmark, form, place, subset))
        for line in said:
            note(line)
        (note if out == STDOUT else say)(f"{out}: {counted(rows, 'item')} of {benchmark}")
        return
    chosen = choose_run(store, model, benchmark, kind, subset, run)
    if what == "bundle":
        _bundle(store, chosen, kind, subset, out)
        return
    setting = None
    notes = chosen.notes
    kinds = [kind] if kind else chosen.kinds
    if what == "outcomes" and (kind or alpha is not None or prior or norm):
        setting, said = choose_setting(store, chosen, kind, alpha, prior, as_norm(norm))
        notes = [*notes, *said, f"Setting: {setting.describe()}."]
        kinds = [setting.kind]
    elif kind and what in ("scores", "tokens"):
        notes = [*notes, f"--kind {kind} chose the run; its {what} are of all its kinds."]

    def write(place: Path) -> tuple[int, list[str]]:
        return export(
            store, chosen, what, form, place,
            subset=subset, setting=setting, prior=prior, kind=kind, normalise=normalise, k=k,
        )  # fmt: skip

    rows, said = _written(out, form, write)
    if what in ("scores", "outcomes"):
        said = [*said, *(line for each in kinds for line in not_scored.said(store, chosen.run_id, each))]
    for line in [*notes, *said]:
        note(line)
    (note if out == STDOUT else say)(f"{out}: {counted(rows, 'row')} of run {chosen.run_id}")


def _bundle(store: "Store", chosen: "ChosenRun", kind: str | None, subset: str | None, out: Path) -> None:
    """Write a run as a bundle; of one whose scores may not be handed on, its verdicts."""
    from backend.store.catalog import public
    from backend.store.exchange.verdicts import write_verdicts
    from backend.store.exchange.write import write_bundle

    for line in chosen.notes:
        note(line)
    if asked := [f"{flag} {value}" for flag, value in (("--kind", kind), ("--subset", subset)) if value]:
        note(f"{' and '.join(asked)} chose the run; a bundle is all of it, whatever kinds and subsets it has.")
    if public.verdicts_only(store.run(chosen.run_id).record):
        rows = write_verdicts(store, chosen, out)
        note(f"No bundle of scores: {public.VERDICTS_ONLY}.")
        say(f"{out}: run {chosen.run_id}, rates and {counted(rows, 'verdict')}")
        return
    n_files = write_bundle(chosen.run_id, chosen.benchmark_hash, out)
    files = counted(n_files, "file")
    say(f"{out}: run {chosen.run_id}, {files}. Elsewhere: flipside import-results {quote(out.name)}")


def _written(out: Path, form: str, write: Callable[[Path], tuple[int, list[str]]]) -> tuple[int, list[str]]:
    """What `write` writes to `--out`; by way of a file of its own where that is standard output."""
    if out != STDOUT:
        return write(out)
    with TemporaryDirectory() as aside:
        place = Path(aside) / f"rows.{form}"
        try:
            found = write(place)
        except FlipsideError as error:
            if str(place) not in str(error):
                raise
            raise FlipsideError(
                f"{error} Rows for standard output are written there first; TMPDIR names another folder."
            ) from None
        copy_out(place)
    return found
