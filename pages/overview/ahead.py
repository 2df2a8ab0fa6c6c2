"""What the first other choice of columns asks once a server, asked before: the rates by concept and by change; and,
once nobody waits, what the page asks of the benchmarks that may be chosen next."""

from collections.abc import Iterator
from typing import Final

from backend.store.rates.rates import QUADS
from pages.overview import causes, controls, data, failure
from pages.overview.view import grid, headline
from pages.shared.data import apart, stored
from pages.shared.data.best_kind import BEST
from pages.shared.server.warm import MOST

#: Other benchmarks that are asked before somebody chooses them: each takes some 0.3 s and 2 MB of 5,000 items.
OTHERS: Final = 2


def prepare(benchmark: stored.StoredBenchmark) -> None:
    """Keep them for a benchmark."""
    for by in controls.groups_of(benchmark):
        stored.headlines(benchmark, by)


def more(benchmark: stored.StoredBenchmark) -> Iterator[None]:
    """The first look at other benchmarks, one at a step."""
    others = [each for each in stored.chosen().values() if each.hash != benchmark.hash and each.runs]
    for other in [each for each in others if sum(each.subsets.values()) <= MOST][:OTHERS]:
        _look(other)
        yield


def _look(benchmark: stored.StoredBenchmark) -> None:
    """What the page asks where nothing but the benchmark is chosen."""
    prepare(benchmark)
    quad = QUADS[0]
    found = headline(data.rates(benchmark, "subset", quad=quad), quad)
    shown = grid(found, list(benchmark.subsets), BEST, families=False, best=data.kinds(benchmark, quad))
    failure.found(benchmark, shown)
    causes.found(benchmark, shown)
    data.printed(benchmark)
    apart.of(benchmark)
    data.lead(benchmark, quad, BEST)
