"""Looking through the printed tables: by paper, our or the printed benchmark's name, and part of a model's name."""

import difflib
from collections.abc import Iterable
from functools import cache

from backend.errors import UsageError
from backend.published import aliases
from backend.published.printed import PAPERS, Printed, everything


def search(paper: str | None = None, benchmark: str | None = None, model: str | None = None) -> list[Printed]:
    """Printed numbers, in the order of the tables.

    benchmark: ours (`visla`) or the printed name (`VISLA-Generic`). model: a part of the printed name, case ignored.
    UsageError with what there is where a name is unknown; a combination that no table has gives an empty list.

    >>> len(search("visla", model="minilm-l6"))
    10
    """
    numbers = everything()
    papers = _known("paper", paper, PAPERS)
    names = {number.benchmark for number in numbers} | {aliases.column_of(number).benchmark for number in numbers}
    benchmarks = _known("benchmark", benchmark, sorted(names - {""}))
    wanted = (model or "").casefold()
    if wanted and not any(wanted in number.model.casefold() for number in numbers):
        aliases.names_called(str(model))  # raises, with near matches
    return [
        number
        for number in numbers
        if (papers is None or number.paper == papers)
        and (benchmarks is None or benchmarks in (number.benchmark, aliases.column_of(number).benchmark))
        and wanted in number.model.casefold()
    ]


@cache  # of tables that ship; a page asks at each run
def count(benchmark: str) -> int:
    """How many printed numbers stand beside a metric of one of our benchmarks.

    >>> count("visla"), count("world")
    (600, 0)
    """
    return sum(
        (column := aliases.column_of(number)).benchmark == benchmark and column.how != "none" for number in everything()
    )


def _known(what: str, name: str | None, known: Iterable[str]) -> str | None:
    """The name as it is spelled in the tables, case ignored."""
    if name is None:
        return None
    spelled = {entry.casefold(): entry for entry in known}
    if name.casefold() in spelled:
        return spelled[name.casefold()]
    near = [spelled[match] for match in difflib.get_close_matches(name.casefold(), spelled, n=3)]
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(spelled.values())}."
    raise UsageError(f"no table has the {what} '{name}'. {hint}")
