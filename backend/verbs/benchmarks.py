"""`flipside benchmarks`: what can be imported and what files each needs."""

from typing import Annotated, Any

import typer

from backend import published
from backend.benchmarks import declaration, names
from backend.benchmarks.base import Declaration
from backend.verbs.output import print_json, print_table


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the known benchmarks and the files that each needs."""
    known = [declaration(name) for name in names()]
    if as_json:
        print_json({"benchmarks": [_document(each) for each in known]})
        return
    print_table(
        ("name", "subsets", "files in --data DIR", "licence"),
        [
            (each.name, ", ".join(each.protocols), ", ".join(each.files.values()) or "none", each.licence)
            for each in known
        ],
    )


def _document(each: Declaration) -> dict[str, Any]:
    return {
        "name": each.name,
        "title": each.title,
        "protocols": {subset: protocol.value for subset, protocol in each.protocols.items()},
        "needs_data": each.needs_data,
        "files": dict(each.files),
        "images": each.images,
        "expected": dict(each.expected),
        "source": each.source,
        "revision": each.revision,
        "licence": each.licence,
        "citation": each.citation,
        "published_numbers": published.count(each.name),
    }
