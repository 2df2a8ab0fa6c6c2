"""Scores of an item's captions under other items' images, as arrays: what its margin is taken against.

Of `itm`, `gen`, `vqa` and a cosine of pairs they are stored; of a cosine of two vectors they are a product of stored
vectors, under every image that the item may be scored under (backend/other_images.py).
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.kinds import PAIR_KINDS, Kind
from backend.other_images import DEFAULT, PROTOCOLS, OtherImages, Seen
from backend.protocols import Protocol
from backend.store.build.stored_run import StoredRun
from backend.store.scores.counterfactual_pairs import Shown, pairs
from backend.store.scores.matrices import FloatArray, block, texts_of

#: Cells of one subset that are made of vectors at most (images are left off the end of the draw), and cells of a
#: product that are held at once.
MOST_CELLS, AT_ONCE = 20_000_000, 8_000_000
#: The parts that hold a cosine's vectors.
VECTORS = {"counterfactual:text", "counterfactual:image"}
#: Images of other subsets that shares are compared under, at most.
ELSEWHERE = 32

Vectors = NDArray[np.float32]
#: From items of a subset, the most texts that one has, and its name to scores under other images, the images' numbers
#: and scores under images of other subsets, as in `UnderOthers`.
Scored = Callable[[pd.DataFrame, int, str], tuple[FloatArray, NDArray[np.int32], FloatArray]]
_DRAWS: dict[int, OtherImages] = {}
_KEPT, _GUARD = 2, threading.Lock()


@dataclass(frozen=True)
class UnderOthers:
    """The n items of one subset that a run has scored under their own image and under others.

    items: frame, one row an item, as of `matrices.Block`. own: (n, texts), the stored scores under its own image.
    scores: (n, images, texts), NaN where one is missing; the images of an item stand first, whichever these are.
    images: (n, images), the number of each image, -1 where there is none: the least number of a choice or a triplet of
    the benchmark that shows it. n_tokens: (n, texts), NaN where the kind has none. Texts as in `Block`: the truth and
    its foils, or the three of a triplet; sums of log-probabilities for gen, cosines for itc, log-odds for itm and vqa.
    may_fit: whether some of the images may fit the captions, too; False where those that do are left out.
    elsewhere: (n, images, texts), the same under images of other subsets, NaN where one may not be taken; no images
    (n, 0, texts) where none was scored: `run --counterfactual` scores pairs under images of the same subset alone.
    """

    subset: str
    protocol: Protocol
    items: pd.DataFrame
    own: FloatArray
    scores: FloatArray
    images: NDArray[np.int32]
    n_tokens: FloatArray
    may_fit: bool
    elsewhere: FloatArray

    def __len__(self) -> int:
        return len(self.items)


def kinds_under_others(run: StoredRun) -> list[str]:
    """The kinds of a run that have scores under other images, in the order of `Kind`; whether complete or not."""
    vectors = run.parts.keys() >= VECTORS
    return [str(k) for k in PAIR_KINDS if f"counterfactual:{k}" in run.parts or (k == Kind.ITC and vectors)]


def under_others(
    run: StoredRun, kind: str, subset: str | None = None, protocol: Protocol | None = None
) -> list[UnderOthers]:
    """A kind's choices and triplets, one entry a subset, in the benchmark's order; without items that have no score
    under any other image. Empty where the run has none. subset: one name, or several with commas; protocol: one alone.
    """
    if kind not in kinds_under_others(run):
        return []
    # Vectors first: they know the captions under every image, the pairs under those that were asked for.
    paired = not (kind == Kind.ITC and run.parts.keys() >= VECTORS)
    scored = _by_pairs(run, kind) if paired else _by_vectors(run)
    found = []
    for each in PROTOCOLS if protocol is None else [protocol]:
        here = block(run, kind, each, subset)
        for name in here.items["subset"].unique():
            rows = np.flatnonzero((here.items["subset"] == name).to_numpy())
            items = here.items.iloc[rows].reset_index(drop=True)
            wide = int(items["n_texts"].max())
            own, counts = here.scores[rows, :wide], here.n_tokens[rows, :wide]
            scores, images, away = scored(items, wide, name)
            kept: NDArray[np.bool_] = np.asarray((images >= 0).any(axis=1))
            if not kept.any():
                continue
            left = items.iloc[np.flatnonzero(kept)].reset_index(drop=True)
            fit = _may_fit(run, kind, paired, name)
            found.append(
                UnderOthers(name, each, left, own[kept], scores[kept], images[kept], counts[kept], fit, away[kept])
            )
    return sorted(found, key=lambda each: int(each.items["item_no"].iloc[0]))


def _by_pairs(run: StoredRun, kind: str) -> Scored:
    shown = Shown.of(run)
    return lambda items, wide, name: pairs(run, f"counterfactual:{kind}", items, wide, name, shown)


def _by_vectors(run: StoredRun) -> Scored:
    drawn = _drawn(run)
    return lambda items, wide, name: (
        *_of_vectors(run, drawn, name, items, wide), _elsewhere(run, drawn, name, items, wide)
    )  # fmt: skip


def _may_fit(run: StoredRun, kind: str, paired: bool, subset: str) -> bool:
    """What the run's record says; a run that says nothing vouches for nothing."""
    told = run.record.get("counterfactual")
    entry = told.get(f"counterfactual:{kind}" if paired else "counterfactual:text") if isinstance(told, dict) else None
    left_out = entry.get("left_out") if isinstance(entry, dict) else None
    return not (isinstance(left_out, dict) and subset in left_out and subset not in (entry or {}).get("may_fit", ()))


def _drawn(run: StoredRun) -> OtherImages:
    """The draw that the run has made, out of the items whose captions have vectors. The last two are kept: models that
    scored the same items share one, and what it knows of captions that fit."""
    rows = run.cursor.execute(
        """SELECT item_no, subset, protocol, image_keys, tags, item_no IN (
                SELECT item_no FROM counterfactual_vectors WHERE run_id = ? AND part = 'counterfactual:text')
        FROM items WHERE benchmark = ? ORDER BY item_no""",
        [run.run_id, run.benchmark],
    ).fetchall()
    seed = (run.record.get("selection") or {}).get("seed") or 0
    key = hash((seed, tuple((n, name, p, tuple(keys), tags, used) for n, name, p, keys, tags, used in rows)))
    with _GUARD:
        if key not in _DRAWS:
            _DRAWS[key] = OtherImages.of(
                (Seen(n, name, p, keys, json.loads(tags), used) for n, name, p, keys, tags, used in rows), seed
            )
            while len(_DRAWS) > _KEPT:
                del _DRAWS[next(iter(_DRAWS))]
        return _DRAWS[key]


def _of_vectors(
    run: StoredRun, drawn: OtherImages, subset: str, items: pd.DataFrame, wide: int
) -> tuple[FloatArray, NDArray[np.int32]]:
    """The same of vectors: one product of all captions and all images of the subset."""
    if subset not in drawn.pools:
        return np.full((len(items), 0, wide), np.nan), np.full((len(items), 0), -1, np.int32)
    pool = drawn.pools[subset]
    most = max(DEFAULT, MOST_CELLS // max(1, len(items) * wide))
    captions = texts_of(run, items)
    places = [
        np.flatnonzero(drawn.may(number, texts, DEFAULT))[:most] if drawn.knows(number) else np.zeros(0, np.intp)
        for number, texts in zip(items["item_no"].tolist(), captions, strict=True)
    ]
    images = np.full((len(items), max(map(len, places))), -1, np.int32)
    scores = np.full((*images.shape, wide), np.nan)
    vectors = _images(run, drawn, subset)
    step = max(1, AT_ONCE // max(1, wide * len(pool)))
    for at in range(0, len(items), step):
        texts = _texts(run, items.iloc[at : at + step], wide, vectors.shape[1])
        product = np.einsum("ntd,id->nit", texts, vectors, optimize=True)
        for row, each in enumerate(places[at : at + step], at):
            scores[row, : len(each)] = product[row - at, each]
            images[row, : len(each)] = pool.numbers[each]
    images[np.isnan(scores).all(axis=2)] = -1
    return scores, images


def _elsewhere(run: StoredRun, drawn: OtherImages, subset: str, items: pd.DataFrame, wide: int) -> FloatArray:
    """Items' captions under the first images of the other subsets' draws, (n, images, texts)."""
    numbers, captions = items["item_no"].tolist(), texts_of(run, items)
    tables = []
    others = [name for name in drawn.pools if name != subset]
    for name in others:
        first = max(1, ELSEWHERE // len(others))
        vectors = _images(run, drawn, name)[:first]
        texts = _texts(run, items, wide, vectors.shape[1])
        product = np.einsum("ntd,id->nit", texts, vectors, optimize=True).astype(np.float64)
        may = np.stack([drawn.elsewhere(n, t, name, first) for n, t in zip(numbers, captions, strict=True)])
        tables.append(np.where(may[:, :, None], product, np.nan))
    return np.concatenate(tables, axis=1) if tables else np.full((len(items), 0, wide), np.nan)


def _images(run: StoredRun, drawn: OtherImages, subset: str) -> Vectors:
    """Unit vectors of a subset's images in the order of the draw, (images, d), NaN where one is missing."""
    pool = drawn.pools[subset]
    # A vector is kept with the first selected item that shows the image.
    rows = run.cursor.execute(
        """SELECT i.image_keys[1] AS key, v.vector FROM counterfactual_vectors v
        JOIN items i ON i.benchmark = ? AND i.item_no = v.item_no
        WHERE v.run_id = ? AND v.part = 'counterfactual:image'""",
        [run.benchmark, run.run_id],
    ).df()
    place = pd.Series(np.arange(len(pool)), index=pool.keys)
    at = place.reindex(rows["key"]).to_numpy()
    here = ~np.isnan(at)
    vectors = rows["vector"].to_numpy()
    found = np.full((len(pool), len(vectors[0]) if len(vectors) else 1), np.nan, np.float32)
    if here.any():
        found[at[here].astype(np.intp)] = np.stack(vectors[here].tolist())
    return _unit(found)


def _texts(run: StoredRun, items: pd.DataFrame, wide: int, width: int) -> Vectors:
    """Unit vectors of some items' captions, (n, texts, d), NaN where one is missing."""
    first, last = int(items["item_no"].min()), int(items["item_no"].max())
    rows = run.cursor.execute(
        """SELECT item_no, "index", vector FROM counterfactual_vectors
        WHERE run_id = ? AND part = 'counterfactual:text' AND item_no BETWEEN ? AND ?""",
        [run.run_id, first, last],
    ).df()
    known, item_no, text = items["item_no"].to_numpy(), rows["item_no"].to_numpy(), rows["index"].to_numpy()
    row = np.minimum(np.searchsorted(known, item_no), len(known) - 1)
    here = (known[row] == item_no) & (text < wide)
    found = np.full((len(items), wide, width), np.nan, np.float32)
    if here.any():
        found[row[here], text[here]] = np.stack(rows["vector"].to_numpy()[here].tolist())
    return _unit(found)


def _unit(vectors: Vectors) -> Vectors:
    """Half precision has moved their length a little."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
