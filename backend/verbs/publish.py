"""`flipside publish`: results as static files, for whoever has no installation."""

import json
import subprocess
from pathlib import Path
from shlex import join
from typing import Annotated, Any, NamedTuple

import typer

from backend import paths
from backend.errors import FlipsideError, UsageError
from backend.paths import typed_path
from backend.verbs.shared.out import folder as out_folder
from backend.verbs.shared.output import counted, note, print_json, say

#: Bytes in a megabyte, as sizes are said.
MB = 1e6


def command(
    grid: Annotated[
        Path | None, typer.Argument(metavar="[GRID.toml]", help="A study: the runs of its cells that are filled.")
    ] = None,
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out", parser=out_folder, metavar="DIR", help="The folder to write: new, empty, or an earlier site."
        ),
    ],
    benchmark: Annotated[
        str | None,
        typer.Option("--benchmark", metavar="NAME", help="A benchmark's name or hash, or several with commas."),
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="SPEC", help="Only this model, or several.")] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="Runs by id, or by its beginning; several with commas.")
    ] = None,
    pictures: Annotated[
        bool, typer.Option("--pictures", help="Add pictures of 192 pixels, where the benchmark's licence lets them be.")
    ] = False,
    own_data: Annotated[
        bool,
        typer.Option("--own-data", help="Add captions (and pictures) of your own data: anybody may read them then."),
    ] = False,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="What the site is called.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write Overview, Failures, items, reasons, the α slider and Compare as files that open without Python.

    Without a study, --benchmark, --model and --run: what ships. Never notes, folders of this
    computer, or captions and pictures that may not be handed on.
    """
    runs, names, lacking = _listed(run), dict[str, str](), 0
    if grid is not None:
        if benchmark or model or run:
            raise UsageError(f"{grid}: the study names what is published; leave --benchmark, --model and --run out.")
        found = _of_study(grid)
        runs, names, lacking, title = found.runs, found.names, found.lacking, title or found.title
    done = published(
        {"out": str(out), "benchmarks": _listed(benchmark), "models": _listed(model), "runs": runs,
         "pictures": pictures, "own_data": own_data, "title": title, "names": names}
    )  # fmt: skip
    for line in done["left_out"]:
        note(line)
    if as_json:
        print_json(done)
    else:
        _print(done)
    if lacking:
        raise typer.Exit(1)


def _print(done: dict[str, Any]) -> None:
    size = f"{done['bytes'] / MB:.1f} MB"
    size += (
        f" and {done['n_pictures']:,} pictures of {done['pictures_bytes'] / MB:.1f} MB" if done["n_pictures"] else ""
    )
    for each in done["benchmarks"]:
        say(f"{each['benchmark']}: {counted(each['n_items'], 'item')}, {counted(len(each['models']), 'model')}")
    say(f"{Path(done['out']) / 'index.html'}: {size}. Open it in a browser, or put the folder on any web host.")


class Filled(NamedTuple):
    """What of a study is published: the runs of its filled cells, what its models are called (by spec), how many cells
    are not filled, and its title."""

    runs: list[str]
    names: dict[str, str]
    lacking: int
    title: str


def _of_study(grid: Path) -> Filled:
    """A study as it is published; a note for the cells that are missing, with the reason."""
    from backend.store.build.reader import open_store
    from backend.study.cells import runs_and_reasons
    from backend.study.grid import read

    study = read(grid)
    runs, why = runs_and_reasons(open_store(follow=False), study)
    n = len(study.models) * len(study.benchmarks)
    fill = join(["flipside", "study", str(grid)])
    if not runs:
        raise FlipsideError(f"{grid}: none of its {n} cells is filled. Fill them first: {fill}")
    if len(runs) < n:
        note(f"{n - len(runs)} of the study's {n} cells are not filled and so not published: {fill}")
    for (model, benchmark), reason in why.items():
        note(f"  {model} on {benchmark}: {reason}")
    names = {model.spec: model.name for model in study.models if model.name and study.key_of(model) == model.spec}
    return Filled(list(dict.fromkeys(runs.values())), names, n - len(runs), study.title)


def published(asked: dict[str, Any]) -> dict[str, Any]:
    """What `pages/static_site` wrote, in a process of its own; asked: out, benchmarks, models, runs (ids), pictures,
    own_data, title, names (spec -> what it is called). UsageError and FlipsideError as that process says."""
    asked = asked | {"out": str(typed_path(asked["out"], "--out").absolute())}
    done = subprocess.run(
        paths.module_command("pages.static_site"), input=json.dumps(asked), stdout=subprocess.PIPE, text=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise FlipsideError(
            f"the site was not written: its process ended with {done.returncode} and said why above."
        ) from None
    if "error" in told:
        raise (UsageError if told["exit_code"] == UsageError.exit_code else FlipsideError)(told["error"])
    return told


def _listed(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]
