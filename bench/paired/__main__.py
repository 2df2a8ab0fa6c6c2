"""`run` against the per-item loop and the bare forward pass: python -m bench.paired [--full] [--only itc,gen]

Each side is a whole process on the same made inputs; compared are CPU seconds. Ends with 1 where `run` is slower than
its limits allow. The usual sizes take minutes, `--full` those of docs/performance.md: an hour and a half of CPU.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from backend.engine.storage.record import cpu_name
from backend.verbs.shared.output import note
from bench.paired import made
from bench.paired.cases import CASES, SHARE, Case
from bench.paired.measuring import Measured, measure
from bench.promises import Promise, say

HEADER = (
    "| comparison | loop | from | bound, 77 positions | bound | `run` | × the loop | limit | of the bound |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
)


def line(found: Measured) -> str:
    """A row of the table: whole processes, and in the last columns the work beyond their starts."""
    limit = "" if found.wanted is None else f"{found.wanted:g}"
    whole = f"{found.whole:,.0f} s" if found.whole else ""
    return (
        f"| {found.what} | {found.loop:,.0f} s | {found.part} of {found.steps:,} | {whole} | {found.bound:,.0f} s "
        f"| {found.run:,.0f} s | {found.ratio:.1f} | {limit} | {found.share:.2f} |"
    )


def promised(found: Measured) -> tuple[Promise, ...]:
    """Its two figures: how many times the loop, and how much of the bound."""
    times = Promise(f"{found.what}: the loop's work, of `run`'s", round(found.ratio, 2), found.wanted, "×", least=True)
    share = Promise(
        f"{found.what}: of the bare forward pass", round(found.share, 3), SHARE, "of it", True, 1.0, "the pass itself"
    )
    return times, share


def chosen(only: str) -> list[Case]:
    """The comparisons that were named; all where none was."""
    names = [name for name in only.split(",") if name] or list(CASES)
    if unknown := [name for name in names if name not in CASES]:
        raise SystemExit(f"--only {unknown[0]}: expected some of {', '.join(CASES)}.")
    return [CASES[name] for name in names]


def main(
    only: Annotated[str, typer.Option(help="Some of the comparisons: a,b.")] = "",
    full: Annotated[bool, typer.Option("--full", help="The whole sizes.")] = False,
    repeats: Annotated[int, typer.Option(help="How often each process runs; the least CPU seconds count.")] = 1,
    out: Annotated[Path | None, typer.Option("--json", help="Also write the figures into this file.")] = None,
) -> None:
    """Measure, print the table, check the limits."""
    cases = chosen(only)
    found = []
    with tempfile.TemporaryDirectory(prefix="flipside-paired-models-") as folder:
        models = {"clip": "ViT-B-32/none"}
        for name in {case.model for case in cases} - {"clip"}:
            models[name] = str(Path(folder) / name)
            kinds = {"matcher": "BlipForImageTextRetrieval", "captioner": "BlipForConditionalGeneration"}
            made.blip(Path(models[name]), kinds[name])
        for case in cases:
            found.append(measure(case, case.full if full else case.usual, models[case.model], repeats, note))
            note(line(found[-1]))
    said = "whole sizes" if full else "small sizes"
    sys.stdout.write(f"CPU seconds, {said}, one thread, {cpu_name()}\n\n")
    sys.stdout.write("\n".join([*HEADER, *map(line, found)]) + "\n")
    for one in found:
        say(*promised(one))
    if out is not None:
        out.write_text(json.dumps([one.plain() for one in found], indent=1) + "\n", encoding="utf-8")
    short = [sentence for one in found for sentence in one.short()]
    for sentence in short:
        note(f"bench: {sentence}")
    raise SystemExit(int(bool(short)))


if __name__ == "__main__":
    typer.run(main)
