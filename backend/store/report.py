"""What `flipside report` prints: every metric of one run under one setting, with interval and published number."""

import math
from typing import Any

import pandas as pd

from backend.benchmarks import REGISTRY, declaration
from backend.benchmarks.base import Published
from backend.benchmarks.published import lookup
from backend.items import Kind
from backend.store import catalog, outcomes
from backend.store.choose import Chosen, choose_run, choose_setting
from backend.store.rates import rates
from backend.store.reader import Store
from backend.store.setting import Norm, Setting

#: Weights that a paper has measured, under whatever name they lie here.
KNOWN_WEIGHTS = {
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": "All-MiniLM-L6-v2",
}


def report(
    store: Store,
    model: str,
    benchmark: str,
    *,
    kind: str | None = None,
    alpha: float | None = None,
    prior: str | None = None,
    norm: Norm | None = None,
    subset: str | None = None,
    run: str | None = None,
    by: str | None = None,
) -> dict[str, Any]:
    """The document of `report --json`. Values are fractions, undefined ones None; `notes` says what was filled in.

    by: a tag, or "subset"; without it the subsets, where the run covers several.
    """
    chosen = choose_run(store, model, benchmark, kind, subset, run)
    setting, notes = choose_setting(store, chosen, kind, alpha, prior, norm)
    frame = outcomes.compute(store, chosen.run_id, setting, subset)
    present = list(frame["subset"].unique())
    numbers = _published(chosen)
    name = _paper_name(store, chosen)
    pooled = rates(store, chosen.run_id, setting, None, subset)
    grouped = by or ("subset" if len(present) > 1 else None)
    by_group: dict[str, Any] = {}
    if grouped:
        table = rates(store, chosen.run_id, setting, grouped, subset)
        for group in table["group"].unique():
            where = str(group) if grouped == "subset" else ""
            by_group[str(group)] = _metrics(table[table["group"] == group], numbers, name, where)
    record = catalog.record(store, chosen.run_id)
    if by and not by_group:
        notes.append(f"No item has the tag '{by}'.")
    return {
        "model": chosen.model,
        "benchmark": chosen.benchmark,
        "benchmark_hash": chosen.benchmark_hash,
        "run": chosen.run_id,
        "selection": record.get("selection"),
        "subset": subset,
        "setting": _said(setting),
        "n_items": int(frame["item_no"].nunique()) if len(frame) else 0,
        "metrics": _metrics(pooled, numbers, name, str(present[0]) if len(present) == 1 else ""),
        "grouped_by": grouped,
        "by": by_group,
        "notes": chosen.notes + notes,
    }


def _said(setting: Setting) -> dict[str, Any]:
    """The setting without what does not apply to its kind."""
    said = setting.as_dict()
    if setting.kind not in (Kind.GEN, Kind.PRIOR):
        said["norm"] = None
    return said


def _metrics(table: pd.DataFrame, numbers: tuple[Published, ...], name: str, subset: str) -> dict[str, Any]:
    found = {}
    for row in table.to_dict("records"):
        value = _number(row["value"])
        lo, hi = _number(row["lo"]), _number(row["hi"])
        found[str(row["metric"])] = {
            "value": value,
            "n": int(row["n"]),
            "ties": int(row["ties"]),
            "ci95": None if lo is None or hi is None else [lo, hi],
            "chance": _number(row["chance"]),
            "published": _compared(numbers, name, subset, str(row["metric"]), value),
        }
    return found


def _number(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _compared(
    numbers: tuple[Published, ...], name: str, subset: str, metric: str, value: float | None
) -> dict[str, Any] | None:
    printed = lookup(numbers, name, subset, metric) if subset else None
    if printed is None:
        return None
    difference = None if value is None else value - printed.value
    return {"value": printed.value, "paper": printed.paper, "table": printed.table, "difference": difference}


def _published(chosen: Chosen) -> tuple[Published, ...]:
    return declaration(chosen.benchmark).published() if chosen.benchmark in REGISTRY else ()


def _paper_name(store: Store, chosen: Chosen) -> str:
    described = catalog.record(store, chosen.run_id).get("model")
    weights = described.get("weights_sha256") if isinstance(described, dict) else None
    return KNOWN_WEIGHTS.get(str(weights), chosen.model)
