"""What a first visit asks once a server, asked before: the concepts of all quads, and the deviations and reasons of the
model that is chosen first, here and, where that is by another kind, on the pages before."""

from pages.equivariance import options, parts
from pages.shared.data.stored import StoredBenchmark


def prepare(benchmark: StoredBenchmark) -> None:
    """Keep it for a benchmark with runs; nothing where there are no quads, or no scores of an image with a text."""
    kinds = [kind for kind in options.KINDS if any(kind in of for of in benchmark.kinds.values())]
    if not benchmark.with_protocol("quad") or not kinds:
        return
    parts.concepts(benchmark, kinds)
    first = benchmark.models[0]
    asked = [(next(model for model in benchmark.models if kinds[0] in benchmark.kinds[model]), kinds[0])]
    asked += [(first, kind) for kind in benchmark.kinds[first][:1] if kind in kinds]  # a session keeps model and kind
    for model, kind in dict.fromkeys(asked):
        parts.own(benchmark, model, kind, "raw", options.ALL)
        parts.reasons_of(benchmark.runs[model], kind, options.ALL)
