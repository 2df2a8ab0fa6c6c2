"""What the Atlas draws: the published rates, read once, and one's own of the same benchmark, split and metric."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np
import streamlit as st

from backend.kinds import IMAGE_KINDS
from backend.metrics import rank_correlation
from backend.metrics.statistics import wilson
from backend.published.atlas import reading
from backend.published.atlas.columns import Column, columns
from backend.published.atlas.measures import Measure, measures
from backend.published.atlas.reading import Atlas
from backend.store import queries
from backend.store.catalog import public
from pages.shared.data import stored
from pages.shared.data.frames import lines_of

#: What the Atlas' own numbers were made with: cosines of two towers.
KIND: Final = "itc"
#: What the fetched answers of people are called as a system.
PEOPLE: Final = "people"
Ends = tuple[float, float]


@dataclass(frozen=True)
class Own:
    """One stored model under one score kind. rates: column -> (per cent, its 95 % interval), of the same items as the
    column. system: whose scores they are, where they were fetched; notes: what is then known of them, a sentence
    each. benchmarks: their names, of the rates."""

    model: str
    kind: str
    system: str = ""
    rates: Mapping[str, tuple[float, Ends | None]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Its name in addresses; no model of the Atlas is called so."""
        return f"stored:{self.kind} {self.model}"

    @property
    def is_people(self) -> bool:
        """Whether people answered, who stand far outside of all models."""
        return self.system == PEOPLE

    def of(self, measure: Measure) -> float | None:
        """Per cent; None where a column of the measure is missing."""
        return measure.of_rates({key: value for key, (value, _) in self.rates.items()})


@st.cache_resource(show_spinner="Reading the published rates …", max_entries=2)
def _read(path: str, sha256: str, changed: int) -> Atlas:  # noqa: ARG001 - part of the cache's key
    return reading.read(Path(path), sha256)


def atlas(path: Path, sha256: str) -> Atlas:
    """The published rates. FlipsideError for a file that is not the one that was fetched."""
    return _read(str(path), sha256, path.stat().st_mtime_ns)


@stored.kept("Looking for runs of the same benchmarks …")
def own() -> list[Own]:
    """Every stored model and kind that has at least one rate with the same benchmark, subset, metric and number of
    items as a column."""
    same: dict[tuple[str, str, str], Column] = {
        (each.same.benchmark, each.same.subset, each.same.metric): each for each in columns() if each.same
    }
    wanted = {benchmark for benchmark, _, _ in same}
    found: dict[tuple[str, str], Own] = {}
    for name, benchmark in stored.chosen().items():
        plain = name.partition("@")[0]
        if plain not in wanted:
            continue
        for model, run in benchmark.runs.items():
            record = stored.store().run(run).record
            said, notes = public.public(record), tuple(public.notes(record, benchmark.hash))
            for kind in (kind for kind in benchmark.kinds[model] if kind in IMAGE_KINDS):
                new = Own(model, kind, said.system if said else "", {}, notes, ())
                each = found.setdefault((model, kind), new)
                found[model, kind] = each = replace(each, benchmarks=(*each.benchmarks, name))
                rates = each.rates
                for line in lines_of(queries.rates(stored.store(), run, queries.Setting(kind), "subset")):
                    column = same.get((plain, str(line.group), str(line.metric)))
                    if column is not None and line.n == column.items and line.value == line.value:
                        ends = None if line.lo != line.lo else (100 * line.lo, 100 * line.hi)
                        rates[column.key] = (100 * float(line.value), ends)  # type: ignore[index]
    return [each for each in found.values() if each.rates]


@dataclass(frozen=True)
class Correlations:
    """Spearman's ρ of some measures over n models. rho, low, high: (k, k), ends of 95 % intervals; order: the measures
    so that those which rank alike stand together; clusters: families that intervals draw whole."""

    measures: tuple[Measure, ...]
    rho: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
    low: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
    high: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
    order: tuple[int, ...]
    n: int
    clusters: int


def correlations(found: Atlas, chosen: tuple[Measure, ...], third: Measure | None) -> Correlations:
    """Of the chosen measures; third: what is taken away first, which is then none of them."""
    keys = tuple(each.key for each in chosen if third is None or each.key != third.key)
    return _correlations(found, keys, third.key if third else "")


@st.cache_resource(show_spinner="Correlating over models …", max_entries=24)
def _correlations(_found: Atlas, keys: tuple[str, ...], third: str) -> Correlations:
    chosen = tuple(measures()[key] for key in keys)
    values = np.column_stack([each.of(_found) for each in chosen])
    families = [entry.family for entry in _found.entries]
    other = measures()[third].of(_found) if third else None
    rho = rank_correlation.spearman(values if other is None else np.column_stack([values, other]))
    if other is not None:
        k = len(keys)
        rho = rank_correlation.given(rho[:k, :k], rho[:k, k])
    low, high = rank_correlation.intervals(values, families, other)
    order = tuple(rank_correlation.order(rho))
    return Correlations(chosen, rho, low, high, order, len(_found.entries), len(set(families)))


def ends(measure: Measure, value: float) -> Ends | None:
    """Wilson's 95 % interval of a published rate, per cent; None where its number of items is not known."""
    if measure.items is None:
        return None
    found = wilson(value * measure.items / 100, measure.items)
    return None if found is None else (100 * found[0], 100 * found[1])


def ranks(measure: Measure, found: Atlas) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """(models,) each model's place by a measure, the best first; equal ones share the better place."""
    values = measure.of(found)
    return np.array([1 + int((values > value).sum()) for value in values])


def sharing(measure: Measure, found: Atlas) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """(models,) how many others have each model's place by a measure, their published rates being equal."""
    _, place, n = np.unique(measure.of(found), return_inverse=True, return_counts=True)
    return np.asarray(n[place] - 1, dtype=np.int64)
