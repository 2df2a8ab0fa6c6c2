"""The tables of docs/scaling.md: python -m bench.scaling [--write] [--gpus 64] [--hourly 5] [--seeds 20]

Prints what it costs to score EqBen under fifty models on so many GPUs, by the arithmetic of `work.py` and the
simulation of `study --ray` in `schedule.py`. `--write` puts it into the page. `python -m bench.scaling.decoding` and
`python -m bench.scaling.writer` measure the figures that come from this machine.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from bench.scaling.assumed import GPUS
from bench.scaling.models import laptop_part, models_part, seen_part
from bench.scaling.plans import files_part, schedule_table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scaling.md"


def put(page: str, name: str, made: str) -> str:
    """The page with the table between its marks replaced."""
    begin, end = f"<!-- {name}: made by `python -m bench.scaling --write` -->", f"<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{PAGE.name}: expected the lines {begin!r} and {end!r} around the table.")
    return f"{before}{begin}\n{made.rstrip()}\n{end}{after}"


def tables(gpus: int, hourly: float, seeds: int) -> dict[str, str]:
    """All parts by name."""
    return {
        "laptop": laptop_part(),
        "models": models_part(),
        "seen": seen_part(),
        "schedule": schedule_table(gpus, seeds, hourly),
        "files": files_part(gpus),
    }


def main(
    gpus: Annotated[int, typer.Option(min=8, help="A multiple of 8.")] = 64,
    hourly: Annotated[float, typer.Option(help="Percent of the machines that are preempted an hour.")] = 5.0,
    seeds: Annotated[int, typer.Option()] = 20,
    write: Annotated[bool, typer.Option("--write", help="Into docs/scaling.md.")] = False,
) -> None:
    """Print the tables."""
    if gpus % GPUS:
        raise typer.BadParameter(f"--gpus {gpus}: expected a multiple of {GPUS}, the GPUs of a machine.")
    found = tables(gpus, hourly, seeds)
    if write:
        page = PAGE.read_text(encoding="utf-8")
        for name, made in found.items():
            page = put(page, name, made)
        PAGE.write_text(page, encoding="utf-8")
    sys.stdout.write("\n".join(found.values()))


if __name__ == "__main__":
    typer.run(main)
