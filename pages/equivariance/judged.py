"""Which quads a model's rates here are of, where it has judged fewer than the benchmark has: no sentence says “all”."""

from collections.abc import Sequence
from typing import Any

from backend.protocols import Protocol
from backend.store.rates import covered
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import listing

#: Every quad, and how a category that is a concept begins (`options.ALL`, `options.CONCEPT`).
ALL, CONCEPT = "all", "concept:"


def of_how_many(benchmark: stored.StoredBenchmark, model: str, kind: str, category: str, n: int) -> int | None:
    """How many quads the benchmark has in a category, where a model has judged fewer of them (n); else None."""
    if str(Protocol.QUAD) not in covered.judged(stored.store(), benchmark.runs[model], kind):
        return None
    by = "all" if category == ALL else "concept" if category.startswith(CONCEPT) else "subset"
    known = covered.totals(stored.store(), benchmark.hash, by)
    every = known.get((str(Protocol.QUAD), category.removeprefix(CONCEPT)), 0)
    return every if n < every else None


def quads(benchmark: stored.StoredBenchmark, options: Any, model: str, kind: str, n: int) -> str:
    """Which quads a number of one model is of, for a sentence. n: how many it has judged of what is shown;
    options: of the page."""
    every = of_how_many(benchmark, model, kind, options.category, n)
    if every is None:
        return str(options.quads)
    return f"the {n:,} of {every:,} quads{'' if options.category == ALL else f' of {options.where}'} that it has judged"


def caption(benchmark: stored.StoredBenchmark, options: Any, counts: Sequence[tuple[str, int]]) -> str:
    """A sentence with a blank before it on models that stand beside whole runs with a part of the quads; "" without
    any. counts: (model, how many it has judged)."""
    names = colours.labels(benchmark.models)
    found = [(names[model], n, of_how_many(benchmark, model, options.kind, options.category, n)) for model, n in counts]
    told = [f"{name} of {n:,} of {every:,}" for name, n, every in found if every is not None]
    if not told:
        return ""
    return f" Not of all these quads: {listing(told, len(told))}; such a row compares with no other."
