"""Whom a page offers to compare with: the first of some models that has anything in common with a side."""

from collections.abc import Iterable

from backend.store.compare import partners
from backend.store.queries import Setting, Side
from pages.shared.data.stored import StoredBenchmark, kept, store


def partner(
    benchmark: StoredBenchmark, model: str, kind: str, among: Iterable[str] | None = None
) -> tuple[str, str] | None:
    """(model, kind) of the first of some models (none named: all others) that compares with this one under a kind,
    under the same kind where that does; None where none does."""
    for other in benchmark.models if among is None else among:
        theirs = benchmark.kinds.get(other, ()) if other != model else ()
        for each in sorted(theirs, key=lambda name: name != kind):  # a stable sort: the others as they stand
            if compares(benchmark, (model, kind), (other, each)):
                return other, each
    return None


def compares(benchmark: StoredBenchmark, a: tuple[str, str], b: tuple[str, str]) -> bool:
    """Whether two, (model, kind) each, have anything to compare on a benchmark (see `partners.compares`). Without a
    run of one there is nothing."""
    if a[0] not in benchmark.runs or b[0] not in benchmark.runs:
        return False
    sides = [Side(benchmark.runs[model], Setting(kind)) for model, kind in (a, b)]
    partial = tuple(sorted(benchmark.runs[model] for model in benchmark.partial if model in benchmark.runs))
    return _compares(sides[0], sides[1], partial)


@kept()
def _compares(a: Side, b: Side, partial: tuple[str, ...]) -> bool:
    return partners.compares(store(), a, b, partial)
