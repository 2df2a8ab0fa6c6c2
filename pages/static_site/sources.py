"""Whose results a published site shows, where they were fetched from public places, and on which terms."""

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from backend.live import real_results
from backend.store.build.store import Store
from backend.store.catalog import public
from pages.overview.fetched import facts
from pages.static_site.selection import Edition


def credit(store: Store, edition: Edition, names: Mapping[str, str], there: Container[str]) -> dict[str, Any]:
    """models: how many rows were fetched; facts: sources with their terms, heads of one model and repeats, as (what,
    said of it); terms: what the packages that they came in ask for. All empty where none was fetched. names: of models;
    there: those that are in the site."""
    found = {}
    for row in edition.runs.to_dict("records"):
        if row["model"] not in there:
            continue
        said = public.public(store.run(str(row["run_id"])).record)
        if said is not None:
            # Two are counted once only where both are in the site.
            found[str(row["model"])] = said if said.repeats in there else replace(said, repeats="", how="")
    name = edition.name.partition("~")[0]
    terms = [term for each in real_results.offers([]) if each.benchmark == name for term in each.terms] if found else []
    return {"models": len(found), "facts": [list(each) for each in facts(found, names)], "terms": terms}
