"""What there is: benchmarks, runs, models, and the settings that a run can be shown under."""

import json
from dataclasses import dataclass
from typing import Any

import pandas as pd

from backend.errors import UsageError
from backend.store import diagnosis, matrices
from backend.store.derive import kinds_of
from backend.store.reader import Store
from backend.store.setting import Setting


@dataclass(frozen=True)
class Available:
    """What a run can be shown under.

    kinds: in the order of preference; the first is the default. priors: for `gen` (and `prior`), the first is the
    default. parts: every part and whether it is complete. missing: diagnosis labels without evidence, and what is
    missing for each.
    """

    kinds: list[str]
    priors: list[str]
    parts: dict[str, bool]
    missing: dict[str, str]

    @property
    def default(self) -> Setting:
        """The setting to start with."""
        return Setting(self.kinds[0]) if self.kinds else Setting()


def benchmarks(store: Store) -> pd.DataFrame:
    """hash, name, data_dir, n_items, n_images, n_texts, subsets {name: n}, protocols {subset: protocol}, n_runs."""

    def make() -> pd.DataFrame:
        frame = (
            store.cursor()
            .execute(
                """SELECT hash, name, coalesce((
                    SELECT last(json_extract_string(record, '$.benchmark.data_dir') ORDER BY updated) FROM runs r
                    WHERE r.benchmark = b.hash), '') AS data_dir, n_items, n_images, n_texts, subsets, protocols,
                (SELECT count(*) FROM runs r WHERE r.benchmark = b.hash) AS n_runs
            FROM benchmarks b ORDER BY name, hash"""
            )
            .df()
        )
        for column in ("subsets", "protocols"):
            frame[column] = frame[column].map(json.loads)
        return frame

    return store.cached("benchmarks", make)


def runs(store: Store, benchmark: str | None = None) -> pd.DataFrame:
    """One row a run, the latest last: run_id, model, benchmark (hash), benchmark_name, split, subset, limit, sample,
    seed, whole (no items left out by limit, sample or a picked set), created, updated, picked (the digest of the picked
    items that alone were scored, else missing), kinds, priors, complete (all parts), n_items.
    """

    def make() -> pd.DataFrame:
        cursor = store.cursor()
        frame = cursor.execute(
            """SELECT run_id, model, benchmark, benchmark_name, split, subset, "limit", sample, seed, whole, created,
                updated, json_extract_string(record, '$.selection.items.sha256') AS picked,
                coalesce((SELECT bool_and(complete) FROM run_parts p WHERE p.run_id = r.run_id), false)
                    AS complete,
                coalesce((SELECT count(DISTINCT item_no) FROM outcomes o WHERE o.run_id = r.run_id), 0) AS n_items
            FROM runs r WHERE ?::VARCHAR IS NULL OR benchmark = ? ORDER BY updated NULLS FIRST, run_id""",
            [benchmark, benchmark],
        ).df()
        frame["kinds"] = [kinds_of(cursor, run_id) for run_id in frame["run_id"]]
        frame["priors"] = [matrices.priors_of(cursor, run_id) for run_id in frame["run_id"]]
        return frame

    return store.cached(("runs", benchmark), make)


def models(store: Store, benchmark: str) -> pd.DataFrame:
    """One row a model that has a run on a benchmark (hash): model, run_id (the one shown by default), kinds, priors.

    The latest run without --limit, --sample, --subset or --split that has outcomes; otherwise the latest there is, but
    never one of picked items (--set): those are shown with their set alone (`picked_runs`).
    """

    def make() -> pd.DataFrame:
        frame = runs(store, benchmark)
        frame = frame[(frame["kinds"].map(len) > 0) & frame["picked"].isna()]
        whole = frame["whole"] & frame["subset"].isna() & frame["split"].isna()
        ranked = frame.assign(rank=whole.astype(int) * 2 + frame["complete"].astype(int))
        ranked = ranked.sort_values("rank", kind="stable").drop_duplicates("model", keep="last").sort_values("model")
        return ranked[["model", "run_id", "kinds", "priors", "whole", "complete"]].reset_index(drop=True)

    return store.cached(("models", benchmark), make)


def settings(store: Store, run_id: str) -> Available:
    """Kinds, prior sources and evidence of a run."""

    def make() -> Available:
        cursor = store.cursor()
        return Available(
            kinds_of(cursor, run_id),
            matrices.priors_of(cursor, run_id),
            matrices.parts_of(cursor, run_id),
            diagnosis.missing_evidence(cursor, run_id),
        )

    return store.cached(("settings", run_id), make)


def record(store: Store, run_id: str) -> dict[str, Any]:
    """A run's whole record, as the engine wrote it. UsageError for an unknown run."""
    row = store.cursor().execute("SELECT record FROM runs WHERE run_id = ?", [run_id]).fetchone()
    if row is None:
        raise UsageError(
            f"there is no run '{run_id}' here. `flipside sql \"SELECT run_id, model FROM runs\"` lists them."
        )
    found: dict[str, Any] = json.loads(row[0])
    return found


def problems(store: Store) -> pd.DataFrame:
    """Files that the last import left out: path, reason."""
    return store.cursor().execute("SELECT path, reason FROM problems ORDER BY path").df()
