"""What a first visit asks once a server, asked before: how many models are right on each item, and what fails without
any filter for the model that is chosen first."""

from dataclasses import replace

from backend.store.queries import FailureFilter, Setting
from pages.failures import data, filters
from pages.shared.data.stored import StoredBenchmark


def prepare(benchmark: StoredBenchmark) -> None:
    """Keep it for a benchmark with runs."""
    model = benchmark.models[0]
    base = FailureFilter(
        benchmark.runs[model], Setting(benchmark.kinds[model][0]), correct=None, limit=1, also=benchmark.also(model)
    )
    data.failures(base)
    data.failures(replace(base, correct=filters.SHOW["wrong"], limit=filters.PER_PAGE))
    data.solved(base)
