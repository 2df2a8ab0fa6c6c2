"""Retrieval before and after an edit: both pools judged on the images and captions that both runs have scored."""

import json
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from backend.items import SIMILARITIES, Protocol
from backend.metrics import retrieval
from backend.metrics.core.registry import judging
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.robustness import editions
from backend.store.scores import outcomes, pools
from backend.store.scores.setting import Setting

RECALLS: Final = judging(Protocol.RETRIEVAL)


@dataclass(frozen=True)
class Keyed:
    """A pool whose images and texts are known by the item that they are from. images: item ids; texts: (item id,
    number in the item); clusters: what each image is known by; edited: item ids in the pool itself."""

    scores: Any
    images: pd.Index
    texts: pd.MultiIndex
    clusters: pd.Series
    edited: pd.Series


def judged(store: Store, parent: str) -> pd.DataFrame:
    """All recalls of the pools that runs and their edited runs share, judged on what both have scored."""

    def make() -> pd.DataFrame:
        known = editions.pairs(store, parent)
        known = known[(known["way"] == "replace") & known["kind"].isin(SIMILARITIES)]
        parts = []
        for (run, kind), lines in known.groupby(["run", "kind"], sort=False):
            before = _keyed_pools(store.run(str(run)), str(kind))
            for line in lines.itertuples() if before else ():
                for subset, after in _keyed_pools(store.run(str(line.edited_run)), str(kind)).items():
                    if subset in before:
                        found = _judged(before[subset], after).assign(subset=subset)
                        parts.append(found.assign(model=str(line.model), kind=str(kind), hash=str(line.hash)))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    return store.cached(("robustness pools", parent), make)


def _keyed_pools(run: StoredRun, kind: str) -> dict[str, Keyed]:
    return {
        pool.subset: _keyed(pool, outcomes.pool_scores(run, pool, Setting(kind))) for pool in pools.pools(run, kind)
    }


def _keyed(pool: pools.Pool, scores: Any) -> Keyed:
    ids = pd.Series([_origin(tags, name) for tags, name in zip(pool.items["tags"], pool.items["item_id"], strict=True)])
    numbers = pool.text_no - pools.starts(pool.items)[pool.text_item]
    images = pd.Index(ids.iloc[pool.image_item])
    return Keyed(
        scores, images, pd.MultiIndex.from_arrays([ids.iloc[pool.text_item], numbers]),
        pd.Series(pool.items["cluster"].to_numpy()[pool.image_item], index=images),
        pd.Series(pool.items["item_id"].to_numpy(), index=ids),
    )  # fmt: skip


def _origin(tags: str, item_id: str) -> str:
    return str((json.loads(tags or "{}").get("origin") or [item_id])[0])


def _judged(before: Keyed, after: Keyed) -> pd.DataFrame:
    images, texts = (
        getattr(before, name).intersection(getattr(after, name), sort=False) for name in ("images", "texts")
    )
    texts = texts[texts.get_level_values(0).isin(images)]
    found = []
    for side in (before, after):
        rows, columns = side.images.get_indexer(images), side.texts.get_indexer(texts)
        relevance = np.asarray(images)[:, None] == np.asarray(texts.get_level_values(0))[None, :]
        found.append(retrieval.recall_outcomes(_taken(side.scores, rows, columns), relevance)[0])
    clusters = before.clusters[~before.clusters.index.duplicated()].reindex(images)
    parts = []
    for name in RECALLS:
        was, now = found[0][name], found[1][name]
        owners = images if name.startswith("i2t") else texts.get_level_values(0)
        query = np.full(len(images), -1) if name.startswith("i2t") else texts.get_level_values(1).to_numpy()
        parts.append(
            pd.DataFrame(
                {
                    "metric": name, "item_id": owners, "edited_id": after.edited.reindex(owners).to_numpy(),
                    "query": query, "cluster": clusters.reindex(owners).to_numpy(),
                    "was": np.where(was.defined, was.correct, np.nan),
                    "now": np.where(now.defined, now.correct, np.nan), "was_margin": was.margin,
                    "now_margin": now.margin,
                }
            )
        )  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def _taken(scores: Any, rows: Any, columns: Any) -> Any:
    """Those rows and columns; the array itself where that is all of it, for pools can be large."""
    whole = all(np.array_equal(at, np.arange(n)) for at, n in zip((rows, columns), scores.shape, strict=True))
    return scores if whole else scores[np.ix_(rows, columns)]
