"""Checkpoints of one training: models that name a series and a step, and what changes over the steps.

A model that `flipside teach` made says in its runs' records which model it was taught from: that is its series' step 0
wherever it has a run on the benchmark.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from backend.items import SIMILARITIES
from backend.metrics import statistics
from backend.paths import bundled_models_dir
from backend.store.alpha.curves import alpha_curves
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.compare import lineage
from backend.store.quads.deviations import deviations
from backend.store.rates.rates import rates
from backend.store.scores.setting import Setting

MEASURES = ("v1", "v2_text", "v2_image")
BUNDLED = "bundled:"


@dataclass(frozen=True, order=True)
class Checkpoint:
    """A model of a series, after so many steps; run_id: its default run on the benchmark."""

    step: float
    model: str
    run_id: str


def series(store: Store, benchmark: str) -> dict[str, list[Checkpoint]]:
    """Series with two or more checkpoints on a benchmark (hash), each by step; a model may belong to several."""
    return {name: members for name, members in _members(store, benchmark).items() if len(members) > 1}


def alone(store: Store, benchmark: str) -> dict[str, tuple[Checkpoint, str]]:
    """Series with one checkpoint on a benchmark (hash): it, and the base that it was taught from, which has no run here
    ("" where its record names none)."""
    found = {name: members[0] for name, members in _members(store, benchmark).items() if len(members) == 1}
    return {name: (point, _base(store, point)) for name, point in found.items()}


def _members(store: Store, benchmark: str) -> dict[str, list[Checkpoint]]:
    """Series -> its checkpoints by step, with the base as step 0 (see `_begun`)."""

    def make() -> dict[str, list[Checkpoint]]:
        known = catalog.models(store, benchmark)
        runs = {str(model): str(run) for model, run in zip(known["model"], known["run_id"], strict=True)}
        found: dict[str, list[Checkpoint]] = {}
        for model, run_id in runs.items():
            for name, step in steps_of(store.run(run_id).record, model).items():
                found.setdefault(name, []).append(Checkpoint(step, model, run_id))
        return {name: _begun(store, sorted(members), runs) for name, members in sorted(found.items())}

    return store.cached(("series members", benchmark), make)


def _begun(store: Store, members: list[Checkpoint], runs: Mapping[str, str]) -> list[Checkpoint]:
    """A series by step, with the model that its first checkpoint was taught from before it, as step 0: where that has a
    run among these (model -> run), and is no checkpoint of the series itself."""
    base = _base(store, members[0])
    if base not in runs or members[0].step <= 0 or any(point.model == base for point in members):
        return members
    return [Checkpoint(0.0, base, runs[base]), *members]


def _base(store: Store, point: Checkpoint) -> str:
    made = lineage.of_record(store.run(point.run_id).record)
    return made.base if made else ""


def steps_of(record: dict[str, Any], spec: str) -> dict[str, float]:
    """Series -> step, as the run's record says (`run --series NAME --step N`), else the card of a bundled model; a
    model that was taught and names no series is one of its own, called by its spec.

    Never from a name; what is no pair of a text and a number is left out.

    >>> steps_of({"series": {"mine": 200}}, "hf:some/model")
    {'mine': 200.0}
    >>> steps_of({"model": {"taught": {"base": "hf:b", "recipe": "svlc", "step": 40}}}, "hf:some/model")
    {'hf:some/model': 40.0}
    """
    said = record.get("series")
    if said is None and spec.startswith(BUNDLED):
        said = _card(spec.removeprefix(BUNDLED)).get("series")
    made = lineage.of_record(record) if said is None else None
    if made is not None and made.step is not None:
        said = {spec: made.step}
    found = said.items() if isinstance(said, dict) else ()
    return {str(n): float(v) for n, v in found if isinstance(v, int | float) and not isinstance(v, bool) and v >= 0}


def _card(name: str) -> dict[str, Any]:
    path = bundled_models_dir() / name / "card.json"
    if "/" in name or not path.is_file():
        return {}
    card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return card


def accuracy(
    store: Store, checkpoints: list[Checkpoint], kind: str, metrics: tuple[str, ...], by: str = "subset"
) -> pd.DataFrame:
    """model, step, metric, group, value, n, lo, hi, chance: rates of the metrics at each checkpoint that has them."""
    parts = []
    for point in checkpoints:
        found = rates(store, point.run_id, Setting(kind), by)
        parts.append(found[found["metric"].isin(metrics)].assign(model=point.model, step=point.step))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def deviation(store: Store, checkpoints: list[Checkpoint], kind: str, subset: str | None = None) -> pd.DataFrame:
    """model, step, measure, value, n, lo, hi: mean |deviation| over σ, the standard deviation of the subset's quad
    cells (scale-free, `eqsim.scale_free`), with an interval by random halves of the clusters; σ stays as it is."""

    def make() -> pd.DataFrame:
        rows = []
        for point in checkpoints if kind in SIMILARITIES else []:
            frame = deviations(store, point.run_id, kind, None)
            frame = frame if subset is None else frame[frame["subset"] == subset]
            for name in MEASURES:
                known = frame[frame[f"{name}_scale_free"].notna()]
                sizes = known[f"{name}_scale_free"].abs().to_numpy(dtype=np.float64)
                if len(sizes):
                    ci = statistics.mean_interval(sizes, known["cluster"].to_numpy()) or (None, None)
                    rows.append((point.model, point.step, name, float(sizes.mean()), len(sizes), *ci))
        return pd.DataFrame(rows, columns=["model", "step", "measure", "value", "n", "lo", "hi"])

    return store.cached(("series deviation", tuple(checkpoints), kind, subset), make)


def alpha_star(store: Store, checkpoints: list[Checkpoint], subset: str | None = None) -> pd.DataFrame:
    """model, step, prior, metric, alpha, lo, hi, value, at_zero: α* on all items and the widest interval that attains
    it, under each checkpoint's default prior; empty where no checkpoint has generation scores and a prior."""
    rows = []
    for point in checkpoints:
        for curve in alpha_curves(store, point.run_id, None, "token", subset):
            best = curve.best
            if best is not None and not curve.note:
                ends = (best.alpha, best.lo, best.hi, best.value, curve.curve.at(0.0))
                rows.append((point.model, point.step, curve.prior, curve.metric, *ends))
    names = ["model", "step", "prior", "metric", "alpha", "lo", "hi", "value", "at_zero"]
    return pd.DataFrame(rows, columns=names)
