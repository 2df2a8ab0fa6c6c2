"""`flipside published`: the numbers that papers print, with what is odd about them."""

from typing import Annotated, Any

import typer

from backend import published, written
from backend.published import Printed
from backend.verbs.shared.output import note, print_json, print_table, say


def command(
    paper: Annotated[
        str | None, typer.Option("--paper", metavar="P", help=f"One of {', '.join(published.PAPERS)}.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", metavar="B", help="Flipside's name, or the printed one.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="A part of the printed model's name, case ignored.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Look through the numbers that papers print, each with its caveats and what it was measured with."""
    found = published.search(paper, benchmark, model)
    if as_json:
        papers = {name: published.PAPERS[name] for name in dict.fromkeys(number.paper for number in found)}
        print_json({"papers": papers, "numbers": [_document(number) for number in found]})
        return
    marks: dict[str, int] = {}
    rows = [_row(number, marks) for number in found]
    print_table(("paper", "table", "model", "benchmark", "subset", "metric", "value", "odd"), rows)
    for says, mark in marks.items():
        say(f"[{mark}] {says}")
    note(f"{len(found)} numbers.{'' if found else ' No table has this combination; leave an option out.'}")


def _document(number: Printed) -> dict[str, Any]:
    column, with_ = published.column_of(number), published.measured(number)
    return {
        **number.as_dict(),
        "measured": {
            "kind": column.kind or with_.kind or None,
            "alpha": with_.alpha or None,
            "priors": with_.priors,
            "norms": with_.norms,
            "basis": "the metric" if column.kind else with_.basis or None,
            "note": with_.note,
        },
        "ours": {
            "benchmark": column.benchmark or None,
            "subsets": column.subsets,
            "split": column.split or None,
            "metric": column.metric or None,
            "comparable": column.how != "none" and number.comparable,
            "note": column.note,
        },
    }


def _row(number: Printed, marks: dict[str, int]) -> tuple[str, ...]:
    odd = [f"[{marks.setdefault(caveat.says, len(marks) + 1)}]" for caveat in number.caveats]
    value = f"{written.percent(number.value, digits=2)}" if number.unit == "percent" else f"{number.value:g}"
    where = (number.paper, number.table, number.model, number.benchmark, number.subset, number.metric)
    return (*where, value, " ".join(odd))
