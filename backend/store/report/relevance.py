"""Similarity-based relevance of a run's retrieval pools (ours), graded by a named text encoder's stored embeddings."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.items import SIMILARITIES, Kind, Protocol
from backend.metrics import statistics
from backend.metrics.core.registry import METRICS
from backend.metrics.relevance import TOP
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.catalog.models_named import how_to_get, read_from
from backend.store.scores import outcomes, pools
from backend.store.scores.setting import Setting

#: Direction -> how its queries are graded, and the metric's name.
GRADES = {m.name.partition("_")[0]: m.value for m in METRICS if m.protocol == Protocol.RETRIEVAL and m.value}
NAMES = {m.name.partition("_")[0]: m.name for m in METRICS if m.protocol == Protocol.RETRIEVAL and m.value}
SOURCE = "ours"


@dataclass(frozen=True)
class Encoder:
    """A text encoder with a run on the same benchmark that stored text embeddings. alone: it never sees an image."""

    model: str
    run_id: str
    alone: bool


def encoders(store: Store, run_id: str) -> list[Encoder]:
    """The encoders that a run's pools can be graded with: models of texts alone first, the latest run of each."""
    rows = (
        store.cursor()
        .execute(
            """SELECT r.model, r.run_id, EXISTS (
                SELECT 1 FROM run_parts q WHERE q.run_id = r.run_id AND q.part = 'embeddings:image') AS sees
            FROM runs r JOIN run_parts p USING (run_id)
            WHERE p.part = 'embeddings:text' AND p.complete
                AND r.benchmark = (SELECT benchmark FROM runs WHERE run_id = $1)
                AND (r.origin = 'imported') = (SELECT origin = 'imported' FROM runs WHERE run_id = $1)
            ORDER BY r.updated, r.run_id""",
            [run_id],
        )
        .fetchall()
    )
    latest = {str(model): Encoder(str(model), str(run), not sees) for model, run, sees in rows}
    return sorted(latest.values(), key=lambda e: (not e.alone, e.model))


def choose_encoder(store: Store, run_id: str, wanted: str | None = None) -> Encoder | None:
    """The encoder that is named, or the first that sees no image; None where there is none of those.

    UsageError for a name without stored text embeddings on this benchmark.
    """
    known = encoders(store, run_id)
    if wanted is None:
        return next((encoder for encoder in known if encoder.alone), None)
    for encoder in known:
        if encoder.model == wanted:
            return encoder
    has = ", ".join(encoder.model for encoder in known) or "none yet"
    benchmark = store.run(run_id).record.get("benchmark", {}).get("name", "NAME")
    raise UsageError(
        f"{wanted} has no complete text embeddings on this benchmark; there are those of {has}. "
        f"{_how(wanted, str(benchmark), read_from(store, run_id))}"
    )


def _how(model: str, benchmark: str, folder: str) -> str:
    return how_to_get(model, benchmark, Kind.T2T, "makes them", folder=folder)


def similarity(
    store: Store, run_id: str, setting: Setting, subset: str | None = None, encoder: str | None = None
) -> dict[str, dict[str, Any]]:
    """{metric: {value, n, ties, ci95, encoder, k, source, reason}} of both directions, over all pools of the run.

    Values are means over queries; intervals are by random halves of the images. Without an encoder the values are None
    and the reason says what to run. Empty where the run has no pool of this kind.
    """

    def make() -> dict[str, dict[str, Any]]:
        run = store.run(run_id)
        there = pools.pools(run, setting.kind, subset) if setting.kind in SIMILARITIES else []
        if not there:
            return {}
        chosen = choose_encoder(store, run_id, encoder)
        if chosen is None:
            benchmark = str(run.record.get("benchmark", {}).get("name", "NAME"))
            how = _how("bundled:sentence", benchmark, read_from(store, run_id))
            why = f"no text encoder has a run on this benchmark; {how}"
            return {name: _entry(statistics.UNDEFINED, "", why) for name in NAMES.values()}
        values: dict[str, list[NDArray[np.float64]]] = {side: [] for side in NAMES}
        images: dict[str, list[NDArray[Any]]] = {side: [] for side in NAMES}
        reason = ""
        for number, pool in enumerate(there):
            embeddings = _of_pool(store.run(chosen.run_id), pool)
            if embeddings is None:
                reason = f"{chosen.model} has no embeddings of all texts of {pool.subset}"
                continue
            given = outcomes.pool_scored(run, pool, setting, embeddings)
            for side, owner in (("i2t", pool.image_item), ("t2i", pool.text_item)):
                values[side].append(GRADES[side](given))
                images[side].append(owner + number * 10**9)
        return {name: _entry(_mean(values[side], images[side]), chosen.model, reason) for side, name in NAMES.items()}

    return store.cached(("similarity", run_id, setting, subset, encoder), make)


def _entry(rate: statistics.Rate, encoder: str, reason: str) -> dict[str, Any]:
    return {**rate.as_dict(), "encoder": encoder or None, "k": TOP, "source": SOURCE, "reason": reason}


def _mean(values: list[NDArray[np.float64]], images: list[NDArray[Any]]) -> statistics.Rate:
    if not values:
        return statistics.UNDEFINED
    found, owner = np.concatenate(values), np.concatenate(images)
    known = ~np.isnan(found)
    if not known.any():
        return statistics.UNDEFINED
    ci95 = statistics.mean_interval(found, owner)
    return statistics.Rate(float(found[known].mean()), int(known.sum()), 0, ci95)


def _of_pool(run: StoredRun, pool: pools.Pool) -> NDArray[np.float32] | None:
    """The encoder's vectors of the pool's texts, in the pool's order; None where one is missing."""
    row, index, vectors = pools.vectors(run, "text", pool.items)
    if not len(vectors):
        return None
    place = pd.Series(np.arange(len(vectors)), index=pools.starts(pool.items)[row] + index)
    wanted = place.reindex(pool.text_no)
    return None if wanted.isna().any() else vectors[wanted.to_numpy(dtype=np.intp)]


__all__ = ["NAMES", "SOURCE", "TOP", "Encoder", "choose_encoder", "encoders", "similarity"]
