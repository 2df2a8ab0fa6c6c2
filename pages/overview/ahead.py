"""What the first other choice of columns asks once a server, asked before: the rates by concept and by change."""

from pages.overview import controls
from pages.shared.data import stored


def prepare(benchmark: stored.StoredBenchmark) -> None:
    """Keep them for a benchmark."""
    for by in controls.groups_of(benchmark):
        stored.headlines(benchmark, by)
