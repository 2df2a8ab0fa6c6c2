"""What a first visit asks once a server, asked before: the curves of the model and the subset that are shown first, and
how sure their verdict is. Of large benchmarks alone: of others it takes a moment, and is room that nobody may need."""

from typing import Final

from backend.store.alpha import uncertainty
from pages.debias import barcode, curves
from pages.debias.options import first, subsets_of
from pages.shared.data import stored
from pages.shared.data.stored import StoredBenchmark

#: Items of a benchmark from which on it is asked.
FEW: Final = 20_000


def prepare(benchmark: StoredBenchmark) -> None:
    """Keep it for a benchmark with runs; nothing where no model has generation scores and a prior."""
    subset = first(subsets_of(benchmark))
    speakers = [m for m in benchmark.models if "gen" in benchmark.kinds[m] and benchmark.priors[m]]
    if not speakers or not subset or sum(benchmark.subsets.values()) < FEW:
        return
    run, sources = benchmark.runs[speakers[0]], benchmark.priors[speakers[0]]
    listed = stored.alpha_curves(run, sources[0], "token", subset, None)
    if not listed:
        return
    found = [curves.curve_of(run, source, "token", subset, None, listed[0].metric) for source in sources]
    shown = found[0]
    if shown is None or not shown.curve.n:
        return
    worth = uncertainty.verdict(stored.store(), run, shown, subset, None, (0.0, 1.0))
    if worth is not None:
        curves.won(run, shown, subset, None, worth.star.alpha)  # as the page speaks of it before α is moved
    barcode.items(benchmark, shown, subset, (0.0, 1.0))
