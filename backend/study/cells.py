"""The run behind each cell of a study, for who reads its results: as its state has it, else a run here that fits."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.study.grid import BenchmarkEntry, ModelEntry, Study
from backend.study.state import MISSING, CellState, cells_of

Key = tuple[str, str]


def runs_and_reasons(store: Store, study: Study) -> tuple[dict[Key, str], dict[Key, str]]:
    """(`Study.key_of` a model, benchmark's title) -> run id of each cell that has one; and why the others have none.

    A cell that the study's state does not know as filled, because the file lies elsewhere now or its runs were made
    without it, has the latest run here of the same model, items and kinds.
    """
    known = cells_of(study)
    table, damaged = catalog.runs(store), catalog.damaged(store)
    again = f"`flipside study {shlex.quote(str(study.path))}`"
    sound = table[~table["run_id"].isin(damaged.keys())]
    runs: dict[Key, str] = {}
    why: dict[Key, str] = {}
    for model in study.models:
        for entry in study.benchmarks:
            key = study.key_of(model), entry.title
            cell = known.get(key)
            run = _of_state(cell, sound) or _fitting(store, sound, study, model, entry)
            if run:
                runs[key] = run
            elif broken := _of_state(cell, table) or _fitting(store, table, study, model, entry):
                why[key] = f"a file of its run cannot be used ({damaged[broken]}); {again} scores it again"
            elif cell is not None and cell.state == MISSING:
                why[key] = cell.why
            else:
                why[key] = f"it has not been scored yet: {again}"
    return runs, why


def _of_state(cell: CellState | None, table: pd.DataFrame) -> str:
    """The run of a cell that is filled, where nobody has deleted it since."""
    return cell.run_id if cell is not None and cell.is_done and cell.run_id in set(table["run_id"]) else ""


def _fitting(store: Store, table: pd.DataFrame, study: Study, model: ModelEntry, entry: BenchmarkEntry) -> str:
    """The latest run that the cell would make, a complete one if there is any; "" for none. Never an imported one, for
    nobody here made it."""
    kinds = set(study.kinds_of(model, entry) or ())
    best: tuple[bool, str] = (False, "")
    for row in table[(table["model"] == model.spec) & (table["origin"] != "imported")].to_dict("records"):
        name, run_id = str(row["benchmark_name"]), str(row["run_id"])
        if entry.name not in (name, name.partition(":")[0], row["benchmark"]) or not row["n_items"]:
            continue
        folder = catalog.data_folder(str(row["benchmark"]), name)
        if entry.data is not None and folder and Path(folder).resolve() != entry.data:
            continue
        record = store.run(run_id).record
        dtype = (record.get("model") or {}).get("dtype")
        if kinds - {*row["kinds"], *(["prior"] if row["priors"] else [])} or model.dtype not in ("auto", dtype):
            continue
        done = bool(row["complete"])
        if (done or any(catalog.settings(store, run_id).parts.values())) and _is_selected(row, entry, record):
            best = best if best[0] and not done else (done, run_id)
    return best[1]


def _is_selected(row: Mapping[Any, Any], entry: BenchmarkEntry, record: Mapping[str, Any]) -> bool:
    """Whether a row of `catalog.runs` has scored what a study's entry selects."""
    wanted = entry.selection
    if isinstance(row["picked"], str):
        return False
    split = None if pd.isna(row["split"]) or row["split"] == "all" else str(row["split"])
    asked = None if wanted.split == "all" else wanted.split
    limit, sample = (None if pd.isna(row[name]) else int(row[name]) for name in ("limit", "sample"))
    if catalog.names(row["subset"]) != set(wanted.subsets) or (asked is not None and asked != split):
        return False
    if limit is None and sample is None:  # a limit of at least all that there is leaves nothing out
        most = wanted.limit or wanted.sample
        return most is None or most >= int(record.get("n_selected") or 0) > 0
    drawn = sample is None or int(row["seed"] or 0) == wanted.seed
    return (limit, sample) == (wanted.limit, wanted.sample) and drawn
