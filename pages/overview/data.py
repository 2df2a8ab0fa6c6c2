"""What Overview asks the store, cached for one generation of the data: rates of a benchmark or of all of them, and the
printed numbers beside them."""

from functools import partial
from typing import Any

import pandas as pd

from backend.store.official.printed import COLUMNS, Beside, printed_beside
from backend.store.rates.rates import QUADS
from pages.overview.view import EVERY, Grid, headline
from pages.shared.data import apart, best, findings, gaps, stored, under
from pages.shared.data.best import Lead, leading
from pages.shared.data.best_kind import BEST, best_kinds
from pages.shared.frame import alpha

#: The grouping by which all benchmarks stand side by side.
WHOLE = "all"


def rates(benchmark: stored.StoredBenchmark, by: str, every: bool = False, quad: str = QUADS[0]) -> pd.DataFrame:
    """Rates as `stored.headlines` gives them, or of every metric. All benchmarks at once: one group each, named by the
    benchmark, whatever `by` says."""
    ask = under.rates if every else partial(under.headlines, quad=quad)
    if not benchmark.parts:
        return ask(benchmark, by, judged=alpha.judged(benchmark))
    parts = []
    for part in benchmark.parts:
        found = ask(part, WHOLE, judged=alpha.judged(part))
        parts.append(found.assign(group=part.name + found["group"].str.removeprefix(WHOLE)))
    return pd.concat(parts, ignore_index=True) if parts else ask(benchmark, by)


def kinds(benchmark: stored.StoredBenchmark, quad: str = QUADS[0]) -> dict[str, str]:
    """Model -> the score kind that it is shown by, whatever the columns are (see `best_kind.best_kinds`)."""
    judged = tuple((part.hash, alpha.judged(part)) for part in benchmark.parts or (benchmark,))
    return _kinds(benchmark, quad, judged)


@stored.kept()
def _kinds(benchmark: stored.StoredBenchmark, quad: str, judged: object) -> dict[str, str]:
    del judged  # what the rates follow from besides, for the key
    return best_kinds(headline(rates(benchmark, "subset", quad=quad), quad))


def lead(benchmark: stored.StoredBenchmark, quad: str, kind: str) -> Lead | None:
    """The best model and the next; None for all benchmarks at once, and where there are no two. quad, kind: as the
    sidebar says them."""
    return None if benchmark.parts else _lead(benchmark, quad, kind, alpha.judged(benchmark))


@stored.kept()
def _lead(benchmark: stored.StoredBenchmark, quad: str, kind: str, judged: under.Judged) -> Lead | None:
    known = under.headlines(benchmark, WHOLE, quad, judged)
    if kind not in (BEST, EVERY):
        known = known[known["kind"] == kind]
    store = stored.store()
    apart_ = best.apart(store, benchmark.runs, benchmark.partial)
    return leading(store, benchmark.name, benchmark.runs, known, apart_, dict(judged), kinds(benchmark, quad))


def heat_finding(benchmark: stored.StoredBenchmark, shown: Grid, by: str, first: Lead | None) -> str:
    """What the heat map gives to be copied: whether its best model is better than the next, else its widest gap, paired
    where both models have verdicts on the same items. by: what its columns are, as `rates` takes it."""
    if first is not None:
        return first.said
    found = findings.widest(shown, apart.of(benchmark).people)
    if found is None or benchmark.parts:  # a column is then a benchmark of its own
        return findings.heat(found, benchmark.name)
    judged = alpha.judged(benchmark)
    return findings.heat(found, benchmark.name, _paired(benchmark, found, by, judged), dict(judged))


@stored.kept()
def _paired(benchmark: stored.StoredBenchmark, found: findings.Widest, by: str, judged: under.Judged) -> Any:
    return gaps.paired(stored.store(), benchmark.runs, found, by, dict(judged))


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
