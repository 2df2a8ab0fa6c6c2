"""Printed numbers beside the rates of a benchmark's runs: every comparison that the alias rule allows, and why others
are not made (docs/published.md). The same numbers as `report` gives under `published`, for all models at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from backend import published
from backend.items import Kind
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.catalog.default_run import ChosenRun
from backend.store.official import printed_keys
from backend.store.official.official import column, official
from backend.store.rates.rates import rates
from backend.store.scores.setting import Setting

COLUMNS = (
    "model", "run_id", "kind", "alpha", "prior", "metric", "group", "name", "value", "n", "low", "high", "printed",
    "difference", "paper", "table", "printed_model", "note", "caveats", "allow", "matched_by",
)  # fmt: skip


@dataclass(frozen=True)
class Beside:
    """numbers: one row a printed number (COLUMNS), the one to show first of a rate before the others. refused: (model,
    why a number that a paper prints of it is not compared)."""

    numbers: pd.DataFrame
    refused: list[tuple[str, str]]


def printed_beside(store: Store, benchmark: str) -> Beside:
    """Every printed number that may stand beside a rate of the default runs on a benchmark (hash).

    Columns: group is the subset, "" for all items; name the benchmark's own score, "" for a plain rate; value, low,
    high, printed, difference, allow are fractions; kind, alpha and prior the setting. Each kind is compared at its
    default setting; `gen` at α = 0 and, with each prior that the run has, at α = 1. Work is done only for models that
    a paper prints.
    """

    def make() -> Beside:
        rows: list[dict[str, Any]] = []
        refused: dict[tuple[str, str], None] = {}
        for chosen in _runs(store, benchmark):
            record = store.run(chosen.run_id).record
            weights = str((record.get("model") or {}).get("weights_sha256") or "")
            if not published.names_of(chosen.model, weights)[0]:
                continue
            for setting in _settings(store, chosen):
                found, reasons = _of_setting(store, chosen, setting)
                rows += found
                refused |= dict.fromkeys((chosen.model, reason) for reason in reasons)
        return Beside(pd.DataFrame(rows, columns=list(COLUMNS)), list(refused))

    return store.cached(("printed beside", benchmark), make)


def _runs(store: Store, benchmark: str) -> Iterator[ChosenRun]:
    known = catalog.models(store, benchmark)
    table = catalog.benchmarks(store).set_index("hash")
    name = str(table["name"][benchmark]) if benchmark in table.index else benchmark
    for model, run_id, kinds in zip(known["model"], known["run_id"], known["kinds"], strict=True):
        yield ChosenRun(str(run_id), str(model), name, benchmark, list(kinds), [])


def _settings(store: Store, chosen: ChosenRun) -> list[Setting]:
    found = [Setting(kind) for kind in chosen.kinds if kind != Kind.PRIOR]
    if Kind.GEN in chosen.kinds:
        found += [Setting(Kind.GEN, 1.0, prior) for prior in store.run(chosen.run_id).priors]
    return found


def _of_setting(store: Store, chosen: ChosenRun, setting: Setting) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows and refusals under one setting: of each subset, of all items, of the benchmark's own scores."""
    table = rates(store, chosen.run_id, setting, "subset")
    subsets = [
        group for group in dict.fromkeys(table["group"]) if " (" not in str(group)
    ]  # a part of a pool is no pool
    parts = [([str(group)], str(group), table[table["group"] == group]) for group in subsets]
    if len(subsets) > 1:
        parts.append((list(map(str, subsets)), "", rates(store, chosen.run_id, setting)))
    rows: list[dict[str, Any]] = []
    reasons: list[str] = []
    head = {"model": chosen.model, "run_id": chosen.run_id, "kind": str(setting.kind), "alpha": setting.alpha,
            "prior": setting.prior or ""}  # fmt: skip
    for names, group, lines in parts:
        ours = printed_keys.of_run(store, chosen, setting, names)
        reasons += published.refusals(ours, lines["metric"])
        for line in lines.to_dict("records"):
            value = None if pd.isna(line["value"]) else float(line["value"])
            rate = {"metric": line["metric"], "group": group, "name": "", "value": value, "n": int(line["n"]),
                    "low": line["lo"], "high": line["hi"]}  # fmt: skip
            matches = published.matches(ours, str(line["metric"])) if value is not None else []
            rows += [head | rate | _said(match.beside(value)) for match in matches]
    own = official(store, chosen, setting)
    for row in own:
        rate = {"metric": row["metric"], "group": "", "name": row["name"], "value": row["value"], "n": row["n"],
                "low": None, "high": None}  # fmt: skip
        rows += [head | rate | _said(entry) for entry in row["published_all"]]
    if own:
        ours = printed_keys.of_run(store, chosen, setting, list(map(str, subsets)))
        reasons += published.refusals(ours, (column(row) for row in own if row["value"] is not None))
    return rows, reasons


def _said(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "printed": entry["value"], "difference": entry["difference"], "paper": entry["paper"], "table": entry["table"],
        "printed_model": entry["model"], "note": entry["note"], "caveats": " ".join(entry["caveats"]),
        "allow": entry["allow"], "matched_by": entry["matched_by"],
    }  # fmt: skip
