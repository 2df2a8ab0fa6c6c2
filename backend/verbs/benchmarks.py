"""`flipside benchmarks`: what can be imported and what files each needs."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from backend import published
from backend.benchmarks import BROUGHT, declarations
from backend.benchmarks.base import Declaration
from backend.benchmarks.items_folder.folder import own_heads
from backend.verbs.shared.output import note, print_fitting, print_json, print_table, say


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the known benchmarks and the files that each needs."""
    known, packages = list(declarations()), BROUGHT.packages()
    if as_json:
        listed = [_document(each) | {"package": packages.get(each.name)} for each in known]
        print_json({"benchmarks": listed, "kept": [_kept(head) for head in own_heads()]})
        return
    cut = print_fitting(
        ("name", "protocol", "subsets", "in --data DIR", "licence", *(["package"] if packages else [])),
        [
            (
                each.name,
                ", ".join(dict.fromkeys(protocol.value for protocol in each.protocols.values())) or "the files decide",
                some([*each.protocols]),
                some([*dict.fromkeys(each.files.values())]) or each.data or "nothing: it ships with Flipside",
                each.licence.split(";")[0],
                *([packages.get(each.name, "")] if packages else []),
            )
            for each in known
        ],
    )
    if cut:
        note("Cells are cut to fit; --json prints them whole.")
    kept = [*own_heads()]
    if kept:
        say("\nKept here: perturbed editions and own data; they need no --data.")
        print_table(
            ("name", "protocol", "items", "made from"),
            [
                (
                    head["name"],
                    ", ".join(dict.fromkeys(head["protocols"].values())),
                    head.get("n_items", ""),
                    (head["about"].get("parent") or {}).get("name", ""),
                )
                for head in kept
            ],
        )


def some(names: Sequence[str], shown: int = 3) -> str:
    """The first names and how many there are.

    >>> some(["a", "b", "c", "d", "e"]), some(["a", "b"])
    ('a, b, c … (5)', 'a, b')
    """
    return ", ".join(names[:shown]) + (f" … ({len(names)})" if len(names) > shown else "")


def _kept(head: dict[str, Any]) -> dict[str, Any]:
    """A perturbed edition or own data that is kept here."""
    about = head["about"]
    return {
        "name": head["name"],
        "n_items": head.get("n_items"),
        "hash": head.get("hash"),
        "protocols": head["protocols"],
        "parent": about.get("parent"),
        "perturbation": about.get("perturbation"),
    }


def _document(each: Declaration) -> dict[str, Any]:
    return {
        "name": each.name,
        "title": each.title,
        "protocols": {subset: protocol.value for subset, protocol in each.protocols.items()},
        "needs_data": each.needs_data,
        "files": dict(each.files),
        "data": each.wanted,
        "splits": dict(each.splits),
        "default_split": each.default_split or None,
        "gated": each.gated or None,
        "images": each.images,
        "expected": dict(each.expected),
        "source": each.source,
        "revision": each.revision,
        "licence": each.licence,
        "citation": each.citation,
        "published_numbers": published.count(each.name),
    }
