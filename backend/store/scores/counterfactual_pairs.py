"""Stored scores of captions under other items' images, pair by pair, as arrays."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.store.build.stored_run import StoredRun
from backend.store.scores.matrices import FloatArray

Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Shown:
    """What the items of a benchmark show, by their number: codes of cluster, first image and subset, intp (items,).

    subsets: their names, by code.
    """

    cluster: Ints
    image: Ints
    subset: Ints
    subsets: list[str]

    @classmethod
    def of(cls, run: StoredRun) -> "Shown":
        """Of all items of the run's benchmark."""
        rows = run.cursor.execute(
            """SELECT cluster, coalesce(image_keys[1], '') AS image, subset FROM items WHERE benchmark = ?
            ORDER BY item_no""",
            [run.benchmark],
        ).df()
        cluster, image, subset = (pd.factorize(rows[name]) for name in ("cluster", "image", "subset"))
        of_cluster, of_image, of_subset = (np.asarray(codes, dtype=np.intp) for codes, _ in (cluster, image, subset))
        return cls(of_cluster, of_image, of_subset, [str(name) for name in subset[1]])

    def images_of(self, subset: str) -> NDArray[np.bool_]:
        """Which images, by code, an item of a subset shows."""
        found = np.zeros(int(self.image.max(initial=-1)) + 1, dtype=np.bool_)
        found[self.image[self.subset == self.subsets.index(subset)]] = True
        return found


def pairs(
    run: StoredRun, part: str, items: pd.DataFrame, wide: int, subset: str, shown: Shown
) -> tuple[FloatArray, NDArray[np.int32], FloatArray]:
    """Some items of a subset under other images: (n, images, texts) and the images' numbers (n, images), -1 where there
    is none, of images that items of the subset show; and (n, images, texts) under others. Scores are NaN where missing.

    An item's own image, and images of its cluster, are left out: who made a bundle may have put them there.
    """
    rows = run.cursor.execute(
        """SELECT item_no, image_item, text_index, value FROM counterfactual_scores
        WHERE run_id = ? AND part = ? AND item_no BETWEEN ? AND ?""",
        [run.run_id, part, int(items["item_no"].min()), int(items["item_no"].max())],
    ).fetchnumpy()
    item_no, image, text, value = (np.ma.getdata(rows[c]) for c in ("item_no", "image_item", "text_index", "value"))
    known = items["item_no"].to_numpy()
    row = np.minimum(np.searchsorted(known, item_no), len(known) - 1)
    keep = (known[row] == item_no) & (text >= 0) & (text < wide) & (image >= 0) & (image < len(shown.image))
    keep[keep] &= shown.cluster[item_no[keep]] != shown.cluster[image[keep]]
    keep[keep] &= shown.image[item_no[keep]] != shown.image[image[keep]]
    row, image, text, value = row[keep], image[keep].astype(np.int64), text[keep], value[keep]
    same = shown.images_of(subset)[shown.image[image]]
    scores, images = _table(items, wide, *(each[same] for each in (row, image, text, value)))
    return scores, images, _table(items, wide, *(each[~same] for each in (row, image, text, value)))[0]


def _table(
    items: pd.DataFrame, wide: int, row: Ints, image: NDArray[np.int64], text: Ints, value: FloatArray
) -> tuple[FloatArray, NDArray[np.int32]]:
    """Rows as (n, images, texts) and (n, images); nothing of an item that lacks captions under one of its images: of
    some captions alone there is no margin."""
    cells, which = np.unique(row.astype(np.int64) << 32 | image, return_inverse=True)
    owner, number = cells >> 32, cells & 0xFFFFFFFF
    place = np.arange(len(cells)) - np.searchsorted(owner, owner)
    images = np.full((len(items), int(place.max(initial=-1)) + 1), -1, np.int32)
    images[owner, place] = number
    scores = np.full((*images.shape, wide), np.nan)
    scores[row, place[which], text] = value
    there = np.isfinite(scores).sum(axis=2)
    lacks = ((images >= 0) & (there != items["n_texts"].to_numpy()[:, None])).any(axis=1)
    images[lacks], scores[lacks] = -1, np.nan
    return scores, images
