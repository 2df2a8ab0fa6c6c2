"""Which of the compared sides are not judged by the α that is taken along through all pages, and why."""

from collections.abc import Sequence

from pages.compare.sides import Named
from pages.shared.data.stored import StoredBenchmark
from pages.shared.frame import alpha


def not_judged(benchmark: StoredBenchmark, named: Sequence[Named]) -> str:
    """Which sides are not judged by the α that is taken along, and why; "" where all are, or none is taken."""
    now = alpha.taken()
    if now is None:
        return ""
    told = []
    for entry in named:
        of = entry.side.setting
        under = alpha.setting(benchmark, entry.model, "gen")
        if of.kind != "gen":
            told.append(f"{entry.label} ({of.kind} scores have no α)")
        elif not under.alpha:
            told.append(f"{entry.label} (this P(t) is not stored for it)")
        elif of != under:
            how = f"α = {alpha.number(of.alpha)}, as chosen here" if of.alpha else "α = 0, as chosen here"
            told.append(f"{entry.label} ({how})")
    return f"Not judged at the α of all pages: {'; '.join(told)}." if told else ""
