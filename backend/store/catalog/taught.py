"""Runs of models that `flipside teach` made, on items that these were trained on."""

import json
from collections.abc import Mapping
from typing import Any

from backend.store.build.records import benchmark_of
from backend.store.build.store import Store

#: Longest word of a record that is shown: it may have come in a bundle.
_LONGEST = 120


def trained_on(record: Mapping[str, Any]) -> str:
    """On how much of its own benchmark a run's model was trained, in words ("320 of its items"); "" where nothing is
    known of it. An edition of a benchmark (winoground~typo) has the benchmark's items; one of another hash has items
    that may be the same, which is said.

    >>> source = {"benchmark": "winoground", "hash": "ab", "items": 320}
    >>> trained_on({"model": {"taught": {"trained_on": [source]}}, "benchmark": {"name": "winoground", "hash": "ab"}})
    '320 of its items'
    """
    name, own = _benchmark(record)
    model = record.get("model")
    said = model.get("taught") if isinstance(model, Mapping) else None
    sources = said.get("trained_on") if isinstance(said, Mapping) else None
    for each in sources if isinstance(sources, list) else ():
        if not isinstance(each, Mapping) or not name or _root(str(each.get("benchmark") or "")) != _root(name):
            continue
        items = each.get("items")
        n = f"{items:,}" if isinstance(items, int) else "some"
        return f"{n} of its items" if str(each.get("hash"))[:16] == own else f"{n} items of {_word(each['benchmark'])}"
    return ""


def notes(record: Mapping[str, Any]) -> list[str]:
    """The sentence that stands wherever the run's results do."""
    found = trained_on(record)
    if not found:
        return []
    model = record.get("model")
    name = _word(model.get("spec")) if isinstance(model, Mapping) and model.get("spec") else "the model"
    return [f"Trained on: {name} was taught on {found}, so these results say nothing of others."]


def by_run(store: Store) -> dict[str, str]:
    """Run -> what `trained_on` says of it, of all runs of which it says anything."""

    def make() -> dict[str, str]:
        rows = store.cursor().execute(
            "SELECT run_id, record FROM runs WHERE json_extract(record, '$.model.taught.trained_on') IS NOT NULL"
        )
        found = {str(run_id): trained_on(json.loads(record)) for run_id, record in rows.fetchall()}
        return {run_id: said for run_id, said in found.items() if said}

    return store.cached("runs of models that were trained on their items", make)


def _benchmark(record: Mapping[str, Any]) -> tuple[str, str]:
    said = record.get("benchmark")
    name = said.get("name") if isinstance(said, Mapping) else None
    return str(name or ""), benchmark_of(record)


def _root(name: str) -> str:
    """The benchmark of an edition.

    >>> _root("winoground~typo")
    'winoground'
    """
    return name.partition("~")[0]


def _word(value: object) -> str:
    return str(value)[:_LONGEST]
