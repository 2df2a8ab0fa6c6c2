"""The images and texts of a part of a benchmark as points, and the vectors that a run has stored for them.

A run keeps the vectors of pools, and of all else that a similarity of two vectors scores
(engine/inputs/kept_vectors.py); for runs without them (older ones, and what ships) `backend.live.maps.maps` has them
computed.
"""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from backend.items import Protocol
from backend.store.build.store import Store
from backend.store.scores import pools

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
    """The points of a subset of a benchmark (hash), or of `all` but classification. Of more than `most` only the items
    that are drawn are read."""
    cursor, binds = store.cursor(), {"benchmark": benchmark, "part": part}
    here = "benchmark = $benchmark AND ($part = 'all' OR subset = $part) AND protocol <> 'classify'"
    sizes = cursor.sql(
        f"SELECT item_no, len(texts) + len(image_keys) AS n FROM items WHERE {here} ORDER BY item_no", params=binds
    ).to_arrow_table()
    numbers, size = sizes["item_no"].to_numpy(), sizes["n"].to_numpy()
    if size.sum() > most:
        order = np.random.default_rng(seed).permutation(len(size))
        numbers = numbers[np.sort(order[np.cumsum(size[order]) <= most])]
    cursor.register("drawn", pa.table({"item_no": numbers}))
    items = cursor.sql(
        f"""SELECT item_no, item_id, subset, protocol, array_to_string(concepts, '|') AS concept, texts, image_keys,
            image_uris, truth FROM items SEMI JOIN drawn USING (item_no) WHERE {here} ORDER BY item_no""",
        params=binds,
    ).to_arrow_table()
    first_text = np.zeros(len(items), dtype=np.int64)
    if len(pooled := np.flatnonzero(pc.equal(items["protocol"], str(Protocol.RETRIEVAL)).to_numpy())):
        before = cursor.sql(
            f"""SELECT n FROM (SELECT item_no, protocol, sum(len(texts)) OVER (PARTITION BY subset ORDER BY item_no)
                - len(texts) AS n FROM items WHERE {here}) SEMI JOIN drawn USING (item_no)
            WHERE protocol = '{Protocol.RETRIEVAL}' ORDER BY item_no""",
            params=binds,
        )
        first_text[pooled] = before.fetchnumpy()["n"]
    return _listed(items, first_text, len(size))


def _listed(items: pa.Table, first_text: NDArray[np.int64], n_all: int) -> Points:
    """The points of some items. first_text: (n,) how many texts of its pool stand before each item's."""
    keys, uris, texts = (items[name].combine_chunks() for name in ("image_keys", "image_uris", "texts"))
    n_images, n_texts = (pc.list_value_length(each).to_numpy().astype(np.intp) for each in (keys, texts))
    n_points = n_images + n_texts
    first, first_image, first_own = (np.cumsum(n) - n for n in (n_points, n_images, n_texts))
    place = np.repeat(np.arange(len(items)), n_points)
    within = np.arange(len(place)) - first[place]
    is_text = within >= n_images[place]
    index = within - np.where(is_text, n_images[place], 0)
    (image, images), (text, said) = (_numbered(each.flatten()) for each in (keys, texts))
    content = np.empty(len(place), dtype=np.intp)
    content[~is_text], content[is_text] = image, len(images) + text
    item, i, t = _together(items["truth"], n_images, n_texts)
    own = np.full(len(image), "", dtype=object)
    own[(first_image[item] + i)[::-1]] = said[text[first_own[item] + t]][::-1]  # of several the first
    at = np.zeros(len(images), dtype=np.intp)
    at[image[::-1]] = np.arange(len(image) - 1, -1, -1)  # where each image is first
    nothing = np.full(len(said), "", dtype=object)
    contents = {
        "modality": np.repeat(np.array([IMAGE, TEXT], dtype=object), [len(images), len(said)]),
        "label": np.concatenate([own[at], said]),
        "uri": np.concatenate([uris.flatten().to_numpy(zero_copy_only=False)[at], nothing]),
        "key": np.concatenate([images, said]),
    }
    in_pool = pc.equal(items["protocol"], str(Protocol.RETRIEVAL)).to_numpy()[place]
    frame = items.select(["item_no", "item_id", "subset", "protocol", "concept"]).take(pa.array(place)).to_pandas()
    frame = frame.assign(
        modality=pd.array([IMAGE, TEXT], dtype="str").take(is_text.astype(np.intp)),
        index=index,
        query=np.where(is_text & in_pool, first_text[place] + index, -1),
        content=content,
    )
    pairs = np.stack([first[item] + i, first[item] + n_images[item] + t], axis=1)
    return Points(frame, pd.DataFrame(contents, dtype=object), pairs, len(items), n_all)


def _numbered(words: pa.Array) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """Which of the different words each is (n,), and these, in the order in which they first come."""
    coded = words.dictionary_encode()
    return coded.indices.to_numpy().astype(np.intp), coded.dictionary.to_numpy(zero_copy_only=False)


def _together(
    truth: pa.ChunkedArray, n_images: NDArray[np.intp], n_texts: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """(item, image, text) of every pair that belongs together, each (p,), item by item. Items are asked together where
    their truth (JSON) is the same, as that of most is."""
    which, different = _numbered(truth.combine_chunks())
    order = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which, minlength=len(different)))
    found = [np.zeros((0, 3), dtype=np.intp)]
    for text, rows in zip(different, np.split(order, ends)[:-1], strict=True):
        pairs = np.asarray(json.loads(text), dtype=np.intp).reshape(-1, 2)
        found.append(np.column_stack([np.repeat(rows, len(pairs)), np.tile(pairs, (len(rows), 1))]))
    item, i, t = (every := np.concatenate(found))[np.argsort(every[:, 0], kind="stable")].T
    there = (i < n_images[item]) & (t < n_texts[item])
    return item[there], i[there], t[there]


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
