"""Which of a benchmark's rows are no models of their own: people, repeats, heads of one model."""

from backend.store.catalog import public
from backend.store.catalog.public import Apart
from pages.shared.data import stored


@stored.kept()
def of(benchmark: stored.StoredBenchmark) -> Apart:
    """By the records of its models' runs; of several benchmarks at once, of the runs that stand for them."""
    return public.apart({model: stored.store().run(run).record for model, run in benchmark.runs.items()})
