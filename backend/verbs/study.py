"""`flipside study GRID.toml`: models by benchmarks, as one file says it; resumable."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.verbs.shared.output import note, print_json, print_table, say
from backend.verbs.shared.under_others import said as as_time

if TYPE_CHECKING:
    from backend.study.grid import Study
    from backend.study.running import Filled

#: How the specs of models begin whose results ship.
SHIPS = "bundled:"


def command(
    grid: Annotated[Path, typer.Argument(metavar="GRID.toml", help="The study: models, benchmarks, settings.")],
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say what is there, what is missing, about what time and memory."),
    ] = False,
    ray: Annotated[
        str | None,
        typer.Option("--ray", metavar="ADDRESS", help="Score on a Ray cluster: auto, HOST:PORT of its head, or local."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Score models on benchmarks as one file says it; what is finished is kept, so the same command goes on."""
    from backend.engine.cluster.connection import on_cluster
    from backend.engine.reporting.progress import shown
    from backend.study import running
    from backend.study.estimate import dry_run as estimated
    from backend.study.grid import read

    study = read(grid)

    def tell(line: str) -> None:
        note(f"study: {line}")

    if dry_run:
        document = estimated(study, running.subjects(study, tell), tell)
        if as_json:
            print_json(document)
        else:
            _show_dry(document)
        if any(cell["state"] == "missing" for cell in document["cells"]):
            raise typer.Exit(1)
        return
    with running.alone(study), on_cluster(ray) as cluster:
        subjects = running.subjects(study, tell)
        filled = running.fill(
            study, subjects, tell=tell, progress=lambda title: shown(title, quiet=as_json), cluster=cluster
        )
    if as_json:
        print_json(_document(filled))
    else:
        _show(filled, grid)
    for line in _own_names(study):
        note(f"study: {line}")
    if filled.exit_code:
        raise typer.Exit(filled.exit_code)


def _own_names(study: "Study") -> list[str]:
    """Names of the study that nothing but its table and its site shows: a model whose results ship keeps the name under
    which they do (`catalog.called`)."""
    own = [f"{model.name} ({model.spec})" for model in study.models if model.name and model.spec.startswith(SHIPS)]
    if not own:
        return []
    return [
        f"{', '.join(own)}: called so in the study's table and site alone. Models whose results ship keep their names "
        "in all other verbs and on pages."
    ]


def _document(filled: "Filled") -> dict[str, Any]:
    state = filled.state
    cells = [
        {
            "model": model, "benchmark": benchmark, "state": cell.state, "run": cell.run_id or None, "kept": cell.kept,
            "n_items": cell.n_items, "left_out": cell.left_out, "scores": cell.total, "seconds": cell.seconds,
            "why": cell.why,
        }
        for model, row in zip(state.models, state.cells, strict=True)
        for benchmark, cell in zip(state.benchmarks, row, strict=True)
    ]  # fmt: skip
    head = {"study": state.study, "title": state.title, "interrupted": filled.interrupted, "loaded": filled.loaded}
    return head | {"asked": filled.asked, "cells": cells, "counts": state.counts()}


def _show(filled: "Filled", grid: Path) -> None:
    from shlex import quote

    from backend.study.running import said
    from backend.study.state import DONE

    state = filled.state
    signs = {"done": "✓", "missing": "✗", "waiting": "·", "running": "…"}
    rows = [
        (model, *(f"{signs[cell.state]} {cell.run_id[:8]}".strip() for cell in row))
        for model, row in zip(state.models, state.cells, strict=True)
    ]
    print_table(("model", *state.benchmarks), rows)
    lacking: dict[str, list[str]] = {}
    for model, row in zip(state.models, state.cells, strict=True):
        for benchmark, cell in zip(state.benchmarks, row, strict=True):
            if cell.state != DONE or cell.left_out:
                lacking.setdefault(said(cell), []).append(f"{model} on {benchmark}")
    counts = state.counts()
    say(f"\n{state.title}: {counts['done']} of {sum(counts.values())} cells are there")
    for why, cells in lacking.items():
        say(f"  {'; '.join(cells)}: {why}")
    if counts["done"]:
        say(f"The table: flipside table {quote(str(grid))}")
    if filled.interrupted:
        note("study: stopped. Everything scored so far is kept; the same command goes on from here.")


def _show_dry(document: dict[str, Any]) -> None:
    print_table(
        ("benchmark", "items", "images missing", ""),
        [(b["benchmark"], b["n_items"], b["n_images_missing"], b["why"]) for b in document["benchmarks"]],
    )
    say()
    print_table(
        ("model", "benchmark", "state", "scores", "about", ""),
        [
            (
                cell["model"], cell["benchmark"], cell["state"], f"{cell['scores']:,}",
                "–" if cell["seconds"] is None else as_time(cell["seconds"]), cell["why"],
            )
            for cell in document["cells"]
        ],
    )  # fmt: skip
    say()
    for model in document["models"]:
        if "load_seconds" in model:
            gpu = f", {_size(model['gpu_bytes'])} on the GPU" if model["gpu_bytes"] else ""
            say(
                f"{model['model']}: loads in {as_time(model['load_seconds'])}, at most {_size(model['rss_bytes'])}{gpu}"
            )
        elif "why" in model:
            say(f"{model['model']}: {model['why']}")
    time = "not known: a probe failed" if document["seconds"] is None else f"about {as_time(document['seconds'])}"
    say(f"In all {time}, as up to 64 items of each cell took, less where scores are known already; nothing was kept.")


def _size(n: int) -> str:
    return f"{n / 2**30:.1f} GB" if n >= 2**30 else f"{n / 2**20:.0f} MB"
