"""What Overview asks the store, cached for one generation of the data: rates of a benchmark or of all of them, and the
printed numbers beside them."""

from functools import partial

import pandas as pd

from backend.store.official.printed import COLUMNS, Beside, printed_beside
from backend.store.rates.rates import QUADS
from pages.shared.data import stored

#: The grouping by which all benchmarks stand side by side.
WHOLE = "all"


def rates(benchmark: stored.StoredBenchmark, by: str, every: bool = False, quad: str = QUADS[0]) -> pd.DataFrame:
    """Rates as `stored.headlines` gives them, or of every metric. All benchmarks at once: one group each, named by the
    benchmark, whatever `by` says."""
    ask = stored.rates if every else partial(stored.headlines, quad=quad)
    if not benchmark.parts:
        return ask(benchmark, by)
    parts = []
    for part in benchmark.parts:
        found = ask(part, WHOLE)
        parts.append(found.assign(group=part.name + found["group"].str.removeprefix(WHOLE)))
    return pd.concat(parts, ignore_index=True) if parts else ask(benchmark, by)


def printed(benchmark: stored.StoredBenchmark) -> Beside:
    """What papers print beside these rates. All benchmarks at once: numbers of a whole benchmark, under its name."""
    if not benchmark.parts:
        return _printed(benchmark.hash)
    frames, refused = [], []
    for part in benchmark.parts:
        found = _printed(part.hash)
        whole = found.numbers["group"].isin(["", *part.subsets] if len(part.subsets) == 1 else [""])
        frames.append(found.numbers[whole & (found.numbers["name"] == "")].assign(group=part.name))
        refused += found.refused
    frames = [frame for frame in frames if len(frame)]
    return Beside(pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(COLUMNS)), refused)


@stored.kept()
def _printed(benchmark: str) -> Beside:
    return printed_beside(stored.store(), benchmark)
