"""What the model page asks: the model's kinds, the best first, what its lines can be, and its rates as a grid."""

from backend.kinds import IMAGE_KINDS
from backend.metrics.core.registry import by_name, deciding
from backend.store.catalog.catalog import tagged
from backend.store.rates.rates import QUADS
from pages.overview.view import Grid, headline, split_part
from pages.overview.view import grid as make_grid
from pages.shared.data import stored, under
from pages.shared.data.best_kind import BEST, kind_of
from pages.shared.drawing import colours

#: What lines can be, in the order in which they are offered.
GROUPINGS = ("subset", "concept", "perturbation")


def name(benchmark: stored.StoredBenchmark, model: str) -> str:
    """What the model is called beside the others of the benchmark."""
    return colours.labels(benchmark.models)[model]


def kinds(benchmark: stored.StoredBenchmark, model: str) -> list[str]:
    """The model's score kinds: the one with the highest mean rate first, as on Overview, then the others that look at
    images; kinds of texts alone only where there is nothing else, for their lines stand beside the images' anyway."""
    known = stored.headlines(benchmark, "subset")
    best = kind_of(known[known["model"] == model], BEST)
    own = [kind for kind in benchmark.kinds[model] if kind in IMAGE_KINDS] or list(benchmark.kinds[model])
    return sorted(own, key=lambda kind: kind != best)


def groupings(benchmark: stored.StoredBenchmark) -> list[str]:
    """What a line can be here; subsets first where there are several."""
    has = dict(zip(GROUPINGS[1:], tagged(stored.store(), benchmark.hash), strict=True))
    found = [each for each in GROUPINGS if has.get(each, True)]
    alone = len(benchmark.subsets) == 1 and len(found) > 1
    return [*found[1:], found[0]] if alone else found


def grid(
    benchmark: stored.StoredBenchmark, model: str, kind: str, by: str, judged: under.Judged = ()
) -> Grid:  # fmt: skip
    """The model's only row of Overview's heat map, its columns in the same order. judged: of `alpha.judged`."""
    known = under.headlines(benchmark, by, QUADS[0], judged)
    own = headline(known[known["model"] == model], QUADS[0])
    groups = list(benchmark.subsets) if by == "subset" else list(dict.fromkeys(map(str, own["group"])))
    return make_grid(own, groups, kind, families=by != "subset")


def behind(opened: str, shown: Grid, by: str) -> dict[str, str]:
    """The address of the failures behind a line: kind, metric and group. opened: its key."""
    row, _, column = opened.partition("\n")
    group, _, metric = column.partition("\t")
    if (row, column) not in shown.kinds:
        return {}
    kind, known = shown.kinds[row, column], by_name(metric)
    judged = metric if known.judge else deciding(known.protocol, kind) or metric
    return {"kind": kind, "metric": judged, by: split_part(group)[0]}
