"""The images and texts of a part of a benchmark as points, and the vectors that a run has stored for them.

A run keeps the vectors of pools, and of all else that a similarity of two vectors scores
(engine/inputs/kept_vectors.py); for runs without them (older ones, and what ships) `backend.live.maps.maps` has them
computed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.items import Protocol
from backend.metrics.core import registry
from backend.store.build.store import Store
from backend.store.scores import pools
from backend.store.scores.setting import Setting

#: Points that are shown at most; of more items a seeded sample is drawn.
MOST = 30_000
IMAGE, TEXT = "image", "text"
#: What stands for all parts together.
ALL = "all"


@dataclass(frozen=True)
class Points:
    """The images and texts of some items. A picture or caption that occurs in several items has several points and one
    place, its content.

    frame: one row a point, item by item, images first: item_no, item_id, subset, protocol, concept (several joined by
    |), modality, index (in its item), query (a text's position in its pool, else -1), content.
    contents: one row a content, images first: modality, label (the caption, or one that belongs to the image), uri
    ("" for texts and missing images), key (the image's, or the text). together: rows of `frame` that belong together,
    (p, 2) images and texts.
    n_items: items shown; n_all: items there are.
    """

    frame: pd.DataFrame
    contents: pd.DataFrame
    together: NDArray[np.intp]
    n_items: int
    n_all: int

    def having(self, rows: NDArray[np.bool_]) -> "Points":
        """Only the contents for which `rows` (n contents,) says so, and their points."""
        place = np.cumsum(rows) - 1
        keep = rows[self.frame["content"].to_numpy()]
        frame = self.frame[keep].reset_index(drop=True)
        frame["content"] = place[frame["content"].to_numpy()]
        moved = np.cumsum(keep) - 1
        both = keep[self.together].all(axis=1)
        pairs = moved[self.together[both]].reshape(-1, 2)
        return Points(frame, self.contents[rows].reset_index(drop=True), pairs, self.n_items, self.n_all)


def parts(subsets: dict[str, str]) -> list[str]:
    """The parts of a benchmark (subset -> protocol) that have points: pools first, because their vectors are stored;
    class names are read through templates, so classification has none.

    >>> parts({"a": "quad", "pool": "retrieval", "c": "classify"})
    ['pool', 'a', 'all']
    """
    listed = [name for name, protocol in subsets.items() if protocol != Protocol.CLASSIFY]
    listed.sort(key=lambda name: subsets[name] != Protocol.RETRIEVAL)
    return [*listed, ALL] if len(listed) > 1 else listed


def points(store: Store, benchmark: str, part: str, most: int = MOST, seed: int = 0) -> Points:
    """The points of a subset of a benchmark (hash), or of `all` but classification."""
    items = (
        store.cursor()
        .execute(
            """SELECT item_no, item_id, subset, protocol, texts, image_keys, image_uris, truth,
                array_to_string(concepts, '|') AS concept,
                (sum(len(texts)) OVER (PARTITION BY subset ORDER BY item_no) - len(texts))::INTEGER AS first_text
            FROM items WHERE benchmark = $1 AND ($2 = 'all' OR subset = $2) AND protocol <> 'classify'
            ORDER BY item_no""",
            [benchmark, part],
        )
        .df()
    )
    n_all = len(items)
    sizes = items["texts"].str.len() + items["image_keys"].str.len()
    if sizes.sum() > most:
        order = np.random.default_rng(seed).permutation(n_all)
        chosen = order[np.cumsum(sizes.to_numpy()[order]) <= most]
        items = items.iloc[np.sort(chosen)].reset_index(drop=True)
    return _listed(items, n_all)


def _listed(items: pd.DataFrame, n_all: int) -> Points:
    rows: list[tuple[int, str, int, int, object]] = []
    found: dict[tuple[str, str], tuple[str, str]] = {}
    together: list[tuple[int, int]] = []
    for place, item in enumerate(cast(Any, items.itertuples(index=False))):
        texts, truth = list(item.texts), json.loads(item.truth)
        first = len(rows)
        for index, (key, uri) in enumerate(zip(item.image_keys, item.image_uris, strict=True)):
            own = next((texts[t] for i, t in truth if i == index and t < len(texts)), "")
            found.setdefault((IMAGE, key), (own, uri))
            rows.append((place, IMAGE, index, -1, key))
        for index, text in enumerate(texts):
            found.setdefault((TEXT, text), (text, ""))
            query = int(item.first_text) + index if item.protocol == Protocol.RETRIEVAL else -1
            rows.append((place, TEXT, index, query, text))
        n_images = len(item.image_keys)
        together += [(first + i, first + n_images + t) for i, t in truth if i < n_images and t < len(texts)]
    keys = sorted(found, key=lambda key: key[0] != IMAGE)  # stable: images first, each in the order of the items
    number = {key: k for k, key in enumerate(keys)}
    columns = list(zip(*rows, strict=True)) or [(), (), (), (), ()]
    of = items.iloc[list(columns[0])].reset_index(drop=True)
    frame = of[["item_no", "item_id", "subset", "protocol", "concept"]].assign(
        modality=list(columns[1]), index=list(columns[2]), query=list(columns[3]),
        content=np.array([number[row[1], str(row[4])] for row in rows], dtype=np.intp),
    )  # fmt: skip
    contents = pd.DataFrame(
        [(key[0], *found[key], key[1]) for key in keys], columns=["modality", "label", "uri", "key"], dtype=object
    )
    pairs = np.asarray(together, dtype=np.intp).reshape(-1, 2)
    return Points(frame, contents, pairs, len(items), n_all)


def stored_vectors(store: Store, run_id: str, of: Points) -> NDArray[np.float32] | None:
    """Unit vectors of all contents (n, d), NaN where the run stored none; None where it stored none at all."""
    pooled = _pooled(store, run_id, of)
    kept = _kept(store, run_id, of)
    if pooled is None or kept is None:
        return kept if pooled is None else pooled
    return np.where(np.isfinite(pooled), pooled, kept)


def subsets_with_vectors(store: Store, run_id: str) -> frozenset[str]:
    """The subsets of which a run has stored vectors."""

    def ask() -> frozenset[str]:
        rows = store.cursor().execute(
            """SELECT DISTINCT i.subset FROM items i JOIN runs r ON r.run_id = $1 AND i.benchmark = r.benchmark
            SEMI JOIN (SELECT DISTINCT item_no FROM embeddings WHERE run_id = $1) e ON e.item_no = i.item_no""",
            [run_id],
        ).fetchall()  # fmt: skip
        return frozenset(str(name) for (name,) in rows)

    return store.cached(("subsets with vectors", run_id), ask)


def _kept(store: Store, run_id: str, of: Points) -> NDArray[np.float32] | None:
    """As `stored_vectors`, of what is no pool: each different image and caption of a subset stands with one item."""
    subsets = [str(name) for name in of.frame.loc[of.frame["protocol"] != Protocol.RETRIEVAL, "subset"].unique()]
    place = {(str(m), str(k)): c for c, (m, k) in enumerate(of.contents[["modality", "key"]].itertuples(index=False))}
    vectors: NDArray[np.float32] | None = None
    for modality, names in ((IMAGE, "image_keys"), (TEXT, "texts")):
        rows = store.cursor().execute(
            f"""SELECT i.{names}[e."index" + 1], e.vector FROM embeddings e
            JOIN runs r ON r.run_id = e.run_id JOIN items i ON i.benchmark = r.benchmark AND i.item_no = e.item_no
            WHERE e.run_id = ? AND e.part = ? AND i.subset IN (SELECT unnest(?::VARCHAR[]))""",
            [run_id, f"vectors:{modality}", subsets],
        ).fetchnumpy()  # fmt: skip
        named, found = list(rows.values())
        at = np.array([place.get((modality, str(name)), -1) for name in named], dtype=np.intp)
        if not len(at):
            continue
        data = np.stack(list(found)).astype(np.float32)
        data /= np.maximum(np.linalg.norm(data, axis=1, keepdims=True), 1e-12)
        if vectors is None:
            vectors = np.full((len(of.contents), data.shape[1]), np.nan, dtype=np.float32)
        vectors[at[at >= 0]] = data[at >= 0]
    return vectors


def _pooled(store: Store, run_id: str, of: Points) -> NDArray[np.float32] | None:
    """As `stored_vectors`, of pools."""
    pooled = of.frame["protocol"] == Protocol.RETRIEVAL
    items = of.frame.loc[pooled, ["item_no"]].drop_duplicates().sort_values("item_no").reset_index(drop=True)
    if items.empty:
        return None
    place = {
        (str(m), int(n), int(i)): int(c)
        for m, n, i, c in of.frame.loc[pooled, ["modality", "item_no", "index", "content"]].itertuples(index=False)
    }
    vectors: NDArray[np.float32] | None = None
    for modality in (IMAGE, TEXT):
        row, index, found = pools.vectors(store.run(run_id), modality, items)
        if not len(found):
            continue
        if vectors is None:
            vectors = np.full((len(of.contents), found.shape[1]), np.nan, dtype=np.float32)
        numbers = items["item_no"].to_numpy()[row]
        at = [place.get((modality, int(n), int(i)), -1) for n, i in zip(numbers, index, strict=True)]
        known = np.asarray(at) >= 0
        vectors[np.asarray(at)[known]] = found[known]
    return vectors


def verdicts(store: Store, run_id: str, setting: Setting, metric: str, of: Points) -> pd.DataFrame:
    """What a run makes of each point's item by a metric, in the order of `of.frame`: correct (missing where it has no
    verdict), margin, reason (its word, docs/reasons.md; "" where it is not measured).

    recall_at_k: an image by i2t_recall_at_k, a text by its own t2i_recall_at_k; headline: each protocol's own.
    """
    wanted = outcomes_of(store, run_id, setting, metric)
    frame = of.frame[["item_no", "modality", "query"]]
    by_item = wanted[wanted["query"] < 0].drop_duplicates("item_no").set_index("item_no")
    by_text = wanted[wanted["query"] >= 0].drop_duplicates(["item_no", "query"]).set_index(["item_no", "query"])
    found = by_item.reindex(frame["item_no"])[["correct", "margin", "reason"]].reset_index(drop=True)
    found["correct"], found["reason"] = found["correct"].astype("boolean"), found["reason"].fillna("")
    if len(by_text):
        own = by_text.reindex(pd.MultiIndex.from_frame(frame[["item_no", "query"]]))[["correct", "margin"]]
        is_query = ((frame["modality"] == TEXT) & (frame["query"] >= 0)).to_numpy()
        for name in ("correct", "margin"):
            found[name] = found[name].mask(is_query, own[name].reset_index(drop=True))
    return found


def judges(store: Store, benchmark: str, part: str) -> dict[str, list[str]]:
    """Run -> the kinds under which it has verdicts on a part of a benchmark (hash)."""

    def ask() -> dict[str, list[str]]:
        rows = store.cursor().execute(
            """SELECT DISTINCT o.run_id, o.kind FROM outcomes o
            JOIN runs r ON r.run_id = o.run_id AND r.benchmark = $1
            JOIN items i ON i.benchmark = $1 AND i.item_no = o.item_no
            WHERE ($2 = 'all' OR i.subset = $2) AND o.kind <> 'prior' ORDER BY ALL""",
            [benchmark, part],
        ).fetchall()  # fmt: skip
        return {run: [kind for other, kind in rows if other == run] for run, _ in rows}

    return store.cached(("judges", benchmark, part), ask)


def metrics(store: Store, run_id: str, setting: Setting, subsets: list[str]) -> list[str]:
    """What points of these subsets can be judged by: `headline` where there are several protocols, else the metrics."""
    frame = outcomes_of(store, run_id, setting, "")
    names = frame.loc[frame["subset"].isin(subsets), "metric"].unique().tolist()
    merged = [name.removeprefix("i2t_").removeprefix("t2i_") if "_recall_at_" in name else name for name in names]
    order = list(dict.fromkeys(merged))
    ranked = [name.removeprefix("i2t_") if "_recall_at_" in name else name for name in registry.headlines(judged=True)]
    first = [name for name in ranked if name in order]
    return ["headline"] * (len(first) > 1) + first + [name for name in order if name not in first]


def both_ways(metrics: Sequence[str]) -> list[str]:
    """Metrics with those of the other direction behind them: a caption of a pool is judged by its own query.

    >>> both_ways(["accuracy", "i2t_recall_at_1"])
    ['accuracy', 'i2t_recall_at_1', 't2i_recall_at_1']
    """
    return [*metrics, *(other for other in map(registry.other_way, metrics) if other)]


def outcomes_of(store: Store, run_id: str, setting: Setting, metric: str) -> pd.DataFrame:
    """item_no, subset, query, metric, correct, margin, reason of a metric ("": all; else as `verdicts`)."""
    from backend.store.rates.rates import headlines
    from backend.store.scores import outcomes

    frame = outcomes.compute(store, run_id, setting)
    if metric == "headline":
        keep = frame["metric"].isin(both_ways(headlines(setting.kind)))
    elif metric.startswith("recall_at_"):
        keep = frame["metric"].isin([f"i2t_{metric}", f"t2i_{metric}"])
    else:
        keep = (frame["metric"] == metric) | (not metric)
    return frame.loc[keep, ["item_no", "subset", "query", "metric", "correct", "margin", "reason"]]
