"""Retrieval subsets as matrices: the whole pool from stored embeddings, or the labelled part that a kind scored."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.items import Kind, Protocol
from backend.metrics.core.tables import Owners, Products
from backend.store.build.stored_run import StoredRun
from backend.store.scores import drawn
from backend.store.scores.matrices import FloatArray, items_of, prior_sums


@dataclass(frozen=True)
class Pool:
    """A retrieval subset under one kind.

    items: frame of the pool's items, in order. table: scores (images, texts), an array, or vectors that stand in for it
    (`tables.Products`). n_tokens: like scores, NaN where the kind has
    none. image_item, text_item: row in `items` of each image and text; a text belongs to the image of its own item.
    text_no: position of each text in the whole pool. whole: False where only a labelled part has been scored.
    """

    subset: str
    items: pd.DataFrame
    table: NDArray[np.floating] | Products
    n_tokens: FloatArray
    image_item: NDArray[np.intp]
    text_item: NDArray[np.intp]
    text_no: NDArray[np.intp]
    whole: bool

    @cached_property
    def scores(self) -> NDArray[np.floating]:
        """All scores as one array."""
        return np.asarray(self.table)

    @property
    def owners(self) -> Owners:
        """The same as `relevance`, a block at a time."""
        return Owners(self.image_item, self.text_item)

    @property
    def relevance(self) -> NDArray[np.bool_]:
        """Which texts belong to which image, bool (images, texts)."""
        result: NDArray[np.bool_] = self.image_item[:, None] == self.text_item[None, :]
        return result


#: The largest pool that is judged as a whole, in cells of 4 bytes: MSCOCO-FG has 0.8 thousand million, a training split
#: of Flickr30k 4, one of COCO 64.
MOST_CELLS = 2_000_000_000


def pools(run: StoredRun, kind: str, subset: str | None = None) -> list[Pool]:
    """One pool for each retrieval subset that the run has scored under this kind, but for those that are too large."""
    items = items_of(run, Protocol.RETRIEVAL, subset)
    found = []
    for name in items["subset"].unique():
        part = items[items["subset"] == name].reset_index(drop=True)
        pool = _from_embeddings(run, name, part) if kind == Kind.ITC else None
        pool = pool or _from_scores(run, kind, name, part)
        if pool is not None:
            found.append(pool)
    return found


def _owners(items: pd.DataFrame) -> NDArray[np.intp]:
    """Row in `items` of each text of the pool."""
    return np.repeat(np.arange(len(items)), items["n_texts"].to_numpy(dtype=np.intp))


def starts(items: pd.DataFrame) -> NDArray[np.intp]:
    """Pool position of each item's first text."""
    return np.cumsum(np.concatenate([[0], items["n_texts"].to_numpy(dtype=np.intp)[:-1]]), dtype=np.intp)


def _vectors(
    run: StoredRun, modality: str, items: pd.DataFrame
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
    """(row in items, index in item, unit vectors) of an embedding part, ordered."""
    frame = run.cursor.execute(
        """SELECT item_no, "index" AS place, vector FROM embeddings
        WHERE run_id = ? AND part = ? AND item_no BETWEEN ? AND ? ORDER BY item_no, "index" """,
        [run.run_id, f"embeddings:{modality}", int(items["item_no"].min()), int(items["item_no"].max())],
    ).df()
    frame = frame[frame["item_no"].isin(items["item_no"])]
    if frame.empty:
        none = np.zeros(0, dtype=np.intp)
        return none, none, np.zeros((0, 0), dtype=np.float32)
    vectors = np.stack(frame["vector"].to_list()).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    row = np.searchsorted(items["item_no"].to_numpy(), frame["item_no"].to_numpy()).astype(np.intp)
    return row, frame["place"].to_numpy(dtype=np.intp), vectors


def vectors(
    run: StoredRun, modality: str, items: pd.DataFrame
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
    """(row in items, index in item, unit vectors) of `embeddings:image` or `embeddings:text`; empty without them."""
    return _vectors(run, modality, items)


def too_large(run: StoredRun, subset: str | None = None) -> list[str]:
    """A sentence for each retrieval subset whose embedded pool is not judged, because it fits into no memory."""
    items = items_of(run, Protocol.RETRIEVAL, subset)
    found = []
    for name in items["subset"].unique():
        images, texts = _sizes(run, items[items["subset"] == name])
        if images * texts > MOST_CELLS:
            found.append(
                f"{name}: a pool of {images:,} images x {texts:,} texts is not judged (more than {MOST_CELLS:,} "
                "cells); a run with --limit or --sample is."
            )
    return found


def _sizes(run: StoredRun, items: pd.DataFrame) -> tuple[int, int]:
    """How many images and texts of a subset are embedded."""
    rows = run.cursor.execute(
        """SELECT part, count(*) FROM embeddings SEMI JOIN (SELECT unnest(?::INTEGER[]) AS item_no) USING (item_no)
        WHERE run_id = ? GROUP BY part""",
        [items["item_no"].tolist(), run.run_id],
    ).fetchall()
    counts = dict(rows)
    return int(counts.get("embeddings:image", 0)), int(counts.get("embeddings:text", 0))


def _from_embeddings(run: StoredRun, subset: str, items: pd.DataFrame) -> Pool | None:
    n_images, n_texts = _sizes(run, items)
    if n_images * n_texts > MOST_CELLS:
        return None
    image_row, _, images = _vectors(run, "image", items)
    text_row, text_index, texts = _vectors(run, "text", items)
    if not len(images) or not len(texts):
        return None
    whole = len(np.unique(image_row)) == len(items) and len(texts) == len(_owners(items))
    text_no = starts(items)[text_row] + text_index
    return Pool(subset, items, Products(images, texts), np.full((1, 1), np.nan), image_row, text_row, text_no, whole)


def _from_scores(run: StoredRun, kind: str, subset: str, items: pd.DataFrame) -> Pool | None:
    frame = run.cursor.execute(
        """SELECT item_no, text_index, value, n_tokens FROM scores
        WHERE run_id = ? AND part = ? AND item_no BETWEEN ? AND ? AND text_index IS NOT NULL""",
        [run.run_id, kind, int(items["item_no"].min()), int(items["item_no"].max())],
    ).df()
    frame = frame[frame["item_no"].isin(items["item_no"])]
    if frame.empty:
        return None
    image_no, image = np.unique(frame["item_no"].to_numpy(), return_inverse=True)
    text_no, text = np.unique(frame["text_index"].to_numpy(), return_inverse=True)
    scores, counts = (np.full((len(image_no), len(text_no)), np.nan) for _ in range(2))
    scores[image, text] = frame["value"].to_numpy(dtype=np.float64)
    counts[image, text] = frame["n_tokens"].to_numpy(dtype=np.float64, na_value=np.nan)
    owners = _owners(items)
    text_no = text_no.astype(np.intp)
    whole = len(image_no) == len(items) and len(text_no) == len(owners)
    row = np.searchsorted(items["item_no"].to_numpy(), image_no).astype(np.intp)
    return Pool(subset, items, scores, counts, row, owners[text_no], text_no, bool(whole))


def pool_prior(run: StoredRun, part: str, pool: Pool) -> FloatArray:
    """log P(t) of the pool's texts, sums (samples, texts); NaN where a text has none. All samples: which of them an
    image leaves out says `own_samples`."""
    widest = int(pool.items["n_texts"].max())
    sums, _ = prior_sums(run, part, pool.items, widest, own=True)
    return sums[:, pool.text_item, pool.text_no - starts(pool.items)[pool.text_item]]


def own_samples(run: StoredRun, part: str, pool: Pool, samples: int) -> NDArray[np.bool_]:
    """Which samples are under an image of the pool itself or its cluster, bool (samples, images)."""
    return drawn.own(run, part, pool.items, samples)[:, pool.image_item]
