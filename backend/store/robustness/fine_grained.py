"""Original against fine-grained: the same model's retrieval on two sets of captions of the same images.

The two pools differ in their images (MSCOCO-FG adds 26,244 that no caption belongs to), so recall is compared on the
images that both have with captions, and in the whole pools besides.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from backend.metrics import retrieval
from backend.metrics.paired import flips
from backend.metrics.statistics import Rate, rate
from backend.store.build.store import Store
from backend.store.catalog import catalog
from backend.store.labels.edited_captions import RUNS
from backend.store.robustness.pools import RECALLS
from backend.store.scores import outcomes, pools
from backend.store.scores.setting import Setting

#: Original -> its captions with more detail.
FINER: Final = {"coco": "coco_fg", "flickr30k": "flickr30k_fg"}


@dataclass(frozen=True)
class Side:
    """One side. name: the benchmark; rates: each recall with its interval; n_images, n_texts: the pool's size."""

    name: str
    rates: dict[str, Rate]
    n_images: int
    n_texts: int


@dataclass(frozen=True)
class Finer:
    """One model and kind on both. gains: metric -> (fine-grained − original, 95 % interval), by random halves of the
    images with their captions on both sides; rsum under "rsum". whole: the same rates in the whole pools."""

    model: str
    kind: str
    original: Side
    finer: Side
    gains: dict[str, tuple[float, tuple[float, float] | None]]
    whole: tuple[Side, Side]


def missing(store: Store) -> list[tuple[str, list[str]]]:
    """For each pair of benchmarks, which of the two no model has been run on."""
    names = set(catalog.runs(store)["benchmark_name"])
    return [(old, [name for name in (old, new) if name not in names]) for old, new in FINER.items()]


def finer(store: Store) -> list[Finer]:
    """Every model with retrieval scores of a kind on both benchmarks of a pair; the latest whole run of each."""

    def make() -> list[Finer]:
        found = []
        for old, new in FINER.items():
            for model, kind, a, b in _runs(store, old, new):
                found += _compared(store, model, kind, (old, a), (new, b))
        return found

    return store.cached("original against fine-grained", make)


def _runs(store: Store, old: str, new: str) -> list[tuple[str, str, str, str]]:
    rows = store.cursor().execute(
        f"""WITH known AS ({RUNS}),
        scored AS (
            SELECT DISTINCT k.identity, r.model, r.benchmark_name AS name, r.run_id, r.whole, k.updated, o.kind
            FROM known k JOIN runs r USING (run_id) JOIN outcomes o ON o.run_id = r.run_id
            WHERE r.benchmark_name IN ($1, $2) AND o.metric = 'i2t_recall_at_1'),
        best AS (
            SELECT identity, kind, name, arg_max(run_id, (whole, updated, run_id)) AS run, max(model) AS model
            FROM scored GROUP BY ALL)
        SELECT a.model, a.kind, a.run, b.run FROM best a JOIN best b ON b.identity = a.identity AND b.kind = a.kind
        WHERE a.name = $1 AND b.name = $2 ORDER BY ALL""",
        [old, new],
    )
    return rows.fetchall()


def _compared(store: Store, model: str, kind: str, old: tuple[str, str], new: tuple[str, str]) -> list[Finer]:
    sides = []
    for name, run_id in (old, new):
        run = store.run(run_id)
        known = pools.pools(run, kind)
        if not known:
            return []
        pool = max(known, key=lambda found: found.scores.size)
        sides.append((name, pool, outcomes.pool_scores(run, pool, Setting(kind))))
    shared = set.intersection(*({_stem(key) for key in _captioned(pool)} for _, pool, _ in sides))
    if not shared:
        return []
    whole = [_side(name, pool, scores, None) for name, pool, scores in sides]
    same = [_side(name, pool, scores, shared) for name, pool, scores in sides]
    gains = _gains(same[0][1], same[1][1])
    return [Finer(model, kind, same[0][0], same[1][0], gains, (whole[0][0], whole[1][0]))]


def _stem(key: str) -> str:
    """An image by its file name without folder and ending, as both releases know it."""
    return key.rpartition("/")[2].rpartition(".")[0] or key


def _captioned(pool: pools.Pool) -> pd.Series:
    """What the images that captions belong to are known by."""
    return pool.items["cluster"].iloc[np.unique(pool.text_item)]


def _side(name: str, pool: pools.Pool, scores: object, only: set[str] | None) -> tuple[Side, pd.DataFrame]:
    """A side, and its verdicts: metric, image, correct."""
    keys = pool.items["cluster"].map(_stem).to_numpy()
    rows, columns = np.arange(len(pool.image_item)), np.arange(len(pool.text_item))
    if only is not None:
        inside = np.isin(keys, list(only))
        rows, columns = rows[inside[pool.image_item]], columns[inside[pool.text_item]]
    table = np.asarray(scores)[np.ix_(rows, columns)] if only is not None else np.asarray(scores)
    verdicts, _ = retrieval.recall_outcomes(table, pool.relevance[np.ix_(rows, columns)])
    images = {"i2t": keys[pool.image_item[rows]], "t2i": keys[pool.text_item[columns]]}
    parts, rates = [], {}
    for metric in RECALLS:
        found, owner = verdicts[metric], images[metric[:3]]
        correct = np.where(found.defined, found.correct, np.nan)
        parts.append(pd.DataFrame({"metric": metric, "image": owner, "correct": correct}))
        rates[metric] = rate(found.correct, found.defined, clusters=None if metric.startswith("i2t") else owner)
    return Side(name, rates, len(rows), len(columns)), pd.concat(parts, ignore_index=True)


def _gains(a: pd.DataFrame, b: pd.DataFrame) -> dict[str, tuple[float, tuple[float, float] | None]]:
    """Fine-grained − original for every recall and their sum, paired by image."""
    found = {}
    for name in (*RECALLS, "rsum"):
        one, other = ((f if name == "rsum" else f[f["metric"] == name]) for f in (a, b))
        sides = [(f["correct"].to_numpy(), f["metric"].to_numpy(), f["image"].to_numpy()) for f in (one, other)]
        gained = flips.gain(sides[0], sides[1])
        if gained is not None:
            found[name] = gained
    return found
