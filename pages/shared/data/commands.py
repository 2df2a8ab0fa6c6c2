"""A stored benchmark in a command that a page suggests."""

from backend.benchmarks import typed
from pages.shared.data.stored import StoredBenchmark


def name(benchmark: StoredBenchmark) -> str:
    """Its name on the command line: that of an edition comes without the hash that tells it from another."""
    return benchmark.name.partition("@")[0]


def words(benchmark: StoredBenchmark) -> str:
    """What follows `--benchmark`: with `--data DIR` where no folder of it was read here (see `typed.words`)."""
    return typed.words(name(benchmark))


def lacking(benchmark: StoredBenchmark) -> str:
    """What that folder must hold, in brackets after a space; "" where none is lacking."""
    said = typed.lacking(name(benchmark)).strip()
    return f" ({said})" if said else ""
