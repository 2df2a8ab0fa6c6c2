"""Options of `report` that would change nothing: wrong use, said in a sentence, never silence."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from backend import published
from backend.errors import UsageError

#: How many printed benchmarks of a model are named.
NAMED = 12


def tags(frame: pd.DataFrame) -> list[str]:
    """What the items of outcomes can be grouped by. frame: of `outcomes.compute`."""
    own = {name for text in pd.unique(frame["tags"]) for name, values in json.loads(text or "{}").items() if values}
    named = ("concept", "perturbation", "cell", "reason")
    usual = ["subset", *(name for name in named if frame[name].astype(bool).any())]
    return list(dict.fromkeys([*usual, *sorted(own - set(named))]))  # a placeholder's concept is none


def refuse_without_effect(document: Mapping[str, Any]) -> None:
    """UsageError where `--published-as` brought no printed number and nothing says why.

    document: of `report`, whose notes say why a printed number is not compared.
    """
    name = document["published_as"]
    if not name or not document["n_items"] or any(_published(document)):
        return
    if any("not compared" in line or "No published number" in line for line in document["notes"]):
        return
    wanted = {(each.paper, each.model) for each in published.names_called(name)}
    printed = [number for number in published.everything() if (number.paper, number.model) in wanted]
    where = list(dict.fromkeys(f"{number.benchmark} {number.subset}".strip() for number in printed))
    more = f" and {len(where) - NAMED} more" if len(where) > NAMED else ""
    raise UsageError(
        f"--published-as {name}: no paper prints a number of it that stands beside one of {document['benchmark']} as "
        f"reported here. It is printed for {', '.join(where[:NAMED])}{more}. Ask for these items (--subset), or leave "
        "the option out."
    )


def _published(document: Mapping[str, Any]) -> Iterator[bool]:
    for table in (document["metrics"], *document["by"].values()):
        yield from (bool(entry["published"]) for entry in table.values())
    yield from (bool(row.get("published")) for row in document["official"])
