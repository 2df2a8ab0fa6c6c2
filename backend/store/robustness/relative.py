"""The relative drop under edits: which part of its right verdicts a model loses, on a benchmark and its finer release.

After the brittleness paper, experiment 3, which compares original and fine-grained captions under its perturbations.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from backend.metrics.paired.halves import LEAST, between, half_sums
from backend.metrics.paired.resampling import cluster_index
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.robustness.fine_grained import FINER
from backend.store.robustness.robustness import HEADLINE, verdicts


@dataclass(frozen=True)
class Drop:
    """One model, kind and edit on one benchmark (name). n: verdicts before and after; before: share right; relative:
    (before − after) / before, None where nothing was right, with its 95 % interval over images."""

    benchmark: str
    model: str
    kind: str
    column: str
    n: int
    before: float
    relative: float | None
    ci95: tuple[float, float] | None


def siblings(store: Store, name: str) -> list[tuple[str, str]]:
    """(name, hash) of a benchmark and of its original or finer release, the original first; those that are stored."""
    known = catalog.benchmarks(store)
    coarse = next((old for old, new in FINER.items() if name in (old, new)), name)
    wanted = [coarse, FINER[coarse]] if coarse in FINER else [name]
    return [(each, str(known[known["name"] == each]["hash"].iloc[0])) for each in wanted if each in set(known["name"])]


def drops(store: Store, name: str, benchmark: str, metric: str = HEADLINE) -> list[Drop]:
    """Of every model, kind and edit that has been scored on a benchmark (name and hash); all seeds of an edit together.
    Captions set against their edits have no before, and are left out."""

    def make() -> list[Drop]:
        frame = verdicts(store, benchmark, metric)
        frame = frame[frame["was"].notna() & frame["now"].notna()]
        return [
            _drop(part, name, str(model), str(kind), str(column))
            for (model, kind, column), part in frame.groupby(["model", "kind", "column"], sort=False)
        ]

    return store.cached(("relative drops", name, benchmark, metric), make)


def _drop(part: pd.DataFrame, name: str, model: str, kind: str, column: str) -> Drop:
    was, now = (part[side].to_numpy(dtype=np.float64) for side in ("was", "now"))
    if not was.sum():
        return Drop(name, model, kind, column, len(part), 0.0, None, None)
    index, n_clusters = cluster_index(part["cluster"].to_numpy(), len(part))
    sums = np.stack([np.bincount(index, of, minlength=n_clusters) for of in (was, now)], axis=1)
    ends = None
    if n_clusters >= LEAST:
        drawn = half_sums(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = between(np.where(drawn[:, 0] > 0, (drawn[:, 0] - drawn[:, 1]) / drawn[:, 0], np.nan))
    return Drop(name, model, kind, column, len(part), float(was.mean()), float((was - now).sum() / was.sum()), ends)
