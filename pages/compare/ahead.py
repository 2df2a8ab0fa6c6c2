"""What a first visit asks once a server, asked before: the two models that Compare opens on, for whoever comes from no
other page and, where that takes little room, from one that shows the model that is chosen first."""

from typing import Final

from pages.compare import answer, data, opening, sides, what_changed
from pages.compare.picture import draw as picture
from pages.compare.sides import BY, Comparison
from pages.shared.data.stored import StoredBenchmark

#: Items of a benchmark from which on one pair alone is asked: each takes some megabytes.
MANY: Final = 20_000


def prepare(benchmark: StoredBenchmark) -> None:
    """Keep it for a benchmark with runs; nothing where there are no two things to compare."""
    known = sides.options(benchmark)
    if len(known) < 2:
        return
    first = benchmark.models[0]
    pairs = [opening.usual(benchmark, known)]
    if sum(benchmark.subsets.values()) < MANY:
        pairs.append(opening.pair(list(known), known, data.ranked(benchmark), (first, benchmark.kinds[first][0])))
    for pair in dict.fromkeys(pairs):
        named = sides.name_sides(benchmark, [(key, *known[key]) for key in pair], 1.0, None)
        _ask(Comparison(named, None, ()))


def _ask(chosen: Comparison) -> None:
    """What the page asks of two sides where nothing else is chosen."""
    found = data.verdicts(chosen.sides, chosen.metric, chosen.subsets)
    if not len(found):
        return
    answer.of(chosen)
    if split := data.dividing(chosen.sides, chosen.metric, chosen.subsets, list(BY)):
        picture.spec_of(chosen, split[0], BY[split[0]])
    what_changed.flow_of(chosen, what_changed.families(found)[0], next(iter(sides.PARTS)))
