"""`flipside table`: the table of a paper, models by benchmarks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.durable import replaced
from backend.errors import FlipsideError, UsageError
from backend.paths import typed_path
from backend.verbs.shared import several
from backend.verbs.shared.out import STDOUT, form_of
from backend.verbs.shared.out import file as out_file
from backend.verbs.shared.output import counted, note, say

if TYPE_CHECKING:
    from backend.store.build.store import Store
    from backend.store.report.table import Table

FORMATS = ("md", "latex", "csv")
DEFAULT = "md"


def command(
    grid: Annotated[
        Path | None, typer.Argument(metavar="[GRID.toml]", help="A study: its models, benchmarks and [table].")
    ] = None,
    models: Annotated[
        str | None,
        typer.Option("--models", metavar="A,B", help="Models by spec or name; default all of the benchmarks."),
    ] = None,
    benchmarks: Annotated[str | None, typer.Option("--benchmarks", metavar="C,D", help="Benchmarks by name.")] = None,
    form: Annotated[
        str | None, typer.Option("--format", metavar="F", help="md, latex or csv. Default: as --out ends, else md.")
    ] = None,
    kinds: Annotated[
        str | None,
        typer.Option("--kinds", metavar="K", help="A row for each of these kinds. Default: each model's own."),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", metavar="M", help="These metrics. Default: those that papers print first."),
    ] = None,
    subset: Annotated[str | None, typer.Option("--subset", metavar="S", help="One subset, or several: a,b.")] = None,
    by_subset: Annotated[bool, typer.Option("--by-subset", help="A column for each subset.")] = False,
    caption: Annotated[str, typer.Option("--caption", help="latex: what stands above the table.")] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            parser=out_file,
            metavar="FILE",
            help="Write it there instead; replaced where it exists; - prints it.",
        ),
    ] = None,
) -> None:
    """Print models by benchmarks with intervals, chance, printed numbers, and bold only beyond chance."""
    from backend.store.build.reader import open_store
    from backend.store.catalog.benchmarks_named import refuse_unknown
    from backend.store.report import table_text
    from backend.store.report.table import table

    form = form_of(form, out, FORMATS, DEFAULT)
    if benchmarks is None and grid is None:
        raise UsageError("table needs a study's file, or --benchmarks A,B: those that stand side by side.")
    if grid is not None and (said := "--benchmarks" if benchmarks is not None else "--models" if models else ""):
        raise UsageError(f"{grid}: the study names its models and benchmarks; leave {said} out, or the file.")
    store = open_store(follow=False)
    if grid is not None:
        what = _of_study(grid, store)
    else:
        subjects = several.names(benchmarks or "", "--benchmarks")
        for name in subjects:
            refuse_unknown(store, name)
        listed = several.models_named(models, store, "--models") if models is not None else _all_on(store, subjects)
        what = Shown(listed, subjects)
    found = table(
        store,
        what.models,
        what.benchmarks,
        kinds=several.names(kinds, "--kinds") if kinds is not None else what.told.get("kinds", ()),
        metrics=several.names(metrics, "--metrics") if metrics is not None else what.told.get("metrics", ()),
        subset=subset,
        by_subset=by_subset or bool(what.told.get("by_subset")),
        runs=what.runs,
        names=what.names,
        titles=what.titles,
        specs=what.specs,
        why=what.why,
    )
    for line in found.notes:
        note(line)
    for (row, benchmark), why in found.missing.items():
        note(f"flipside: {found.rows[row].name or found.rows[row].model} on {benchmark} is missing: {why}")
    if not found.cells:
        none = f"no run on {' or '.join(what.benchmarks)} is here that fits"
        raise FlipsideError(f"there is nothing to put into the table: {none}. `flipside runs` lists what there is.")
    text = (
        table_text.as_csv(found)
        if form == "csv"
        else table_text.as_latex(found, caption)
        if form == "latex"
        else table_text.markdown(found)
    )
    if form == "csv":  # the other forms have it below the table
        below = [table_text.by_two_rules(found), table_text.by_order(found), table_text.left_out(found)]
        for said in filter(None, below):
            note(said)
    if out is None or out == STDOUT:
        say(text, end="")
    else:
        replaced(typed_path(out), text.encode())
        say(f"{out}: {counted(len(found.rows), 'row')}, {counted(len(found.columns), 'column')}")
    if what.why or _lacks(found, models is not None or grid is not None):
        raise typer.Exit(1)


def _lacks(found: "Table", named: bool) -> bool:
    """Whether something is missing that was asked for: a model's cell where the models were named, or all of a
    benchmark. A kind that a model does not give is no cell of its own."""
    if any(not column.hash for column in found.columns):
        return True
    return named and any(not found.rows[row].kind for row, _ in found.missing)


@dataclass(frozen=True)
class Shown:
    """What a table is made of. told: what a study's [table] says; runs, names, titles, why: see `table.table`."""

    models: list[str]
    benchmarks: list[str]
    told: Mapping[str, Any] = field(default_factory=dict)
    runs: dict[tuple[str, str], str] | None = None
    names: dict[str, str] | None = None
    titles: dict[str, str] | None = None
    why: dict[tuple[str, str], str] | None = None
    specs: dict[str, str] | None = None


def _of_study(grid: Path, store: "Store") -> Shown:
    """Models and benchmarks of a study's file, what its [table] says, and the runs of its cells."""
    from backend.study.cells import runs_and_reasons
    from backend.study.grid import read

    study = read(grid)
    names = {entry.title: entry.name for entry in study.benchmarks}
    titles = {study.key_of(model): model.name for model in study.models if model.name}
    specs = {study.key_of(model): model.spec for model in study.models}
    runs, why = runs_and_reasons(store, study)
    return Shown([*specs], [*names], dict(study.table or {}), runs, names, titles, why, specs)


def _all_on(store: "Store", benchmarks: Sequence[str]) -> list[str]:
    """Every model that has a run on any of these benchmarks."""
    from backend.store.catalog import catalog

    table = catalog.benchmarks(store)
    hashes = [str(row["hash"]) for row in table.to_dict("records") if {row["name"], row["hash"]} & set(benchmarks)]
    return list(dict.fromkeys(str(model) for each in hashes for model in catalog.models(store, each)["model"]))
