"""Lists with commas: model specs, which may hold commas of their own, and names that hold none."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from backend import plugins
from backend.errors import UsageError
from backend.models.spec import PREFIXES

if TYPE_CHECKING:
    from backend.store.build.store import Store


def specs(text: str) -> list[str]:
    """The models of a list, each once. A comma parts two of them only where a prefix of a spec follows it.

    >>> specs("bundled:clip, hf:a/b"), specs("fake:ok/itc,t2t"), specs("endpoint:http://h/v1#a,st:x")
    (['bundled:clip', 'hf:a/b'], ['fake:ok/itc,t2t'], ['endpoint:http://h/v1#a', 'st:x'])
    """
    prefixes = "|".join(map(re.escape, [*PREFIXES, *plugins.named("families")]))
    return _once(re.split(rf",\s*(?=(?:{prefixes}):)", text), "--model")


def names(text: str, flag: str) -> list[str]:
    """The names of a list, each once; UsageError where there is none.

    >>> names("world, visla,world", "--benchmark")
    ['world', 'visla']
    """
    return _once(text.split(","), flag)


def models_named(text: str, store: "Store", flag: str) -> list[str]:
    """The models of a list, by spec or by what they are called, which both may hold commas. UsageError for one that
    has no run."""
    from backend.store.catalog import catalog
    from backend.store.catalog.models_named import specs_called, specs_meant

    table = catalog.runs(store)
    known = {*table["model"], *table["name"], *catalog.shown(store).values()}
    pieces, found = text.split(","), []
    while pieces:
        size = next((n for n in range(len(pieces), 1, -1) if ",".join(pieces[:n]).strip() in known), 1)
        found.append(",".join(pieces[:size]))
        pieces = pieces[size:]
    listed = _once(found, flag)
    for model in listed:
        if not specs_called(store, model):  # of several that are called so, the benchmark decides
            specs_meant(store, model)
    return listed


def _once(parts: Iterable[str], flag: str) -> list[str]:
    found = list(dict.fromkeys(part.strip() for part in parts if part.strip()))
    if not found:
        raise UsageError(f"{flag} names nothing: give one or several, with commas between them.")
    return found
