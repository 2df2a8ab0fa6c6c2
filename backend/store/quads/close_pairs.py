"""Close pairs mined from a run's retrieval pools (EqSim's top-k selection), with their deviations."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.items import SIMILARITIES, Kind, Protocol
from backend.kinds import PAIR_KINDS, SPOKEN, listed
from backend.metrics import eqsim, protocols
from backend.metrics.close_pairs import ClosePairs, K, Rows, Side, mined
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.quads.deviations import logit_scale
from backend.store.scores import matrices, pools

#: Of `eqsim.SETTINGS`, those that a mined pair can be measured in.
SETTINGS = ("raw", "softmax-pool", "softmax-cells")
#: What is said wherever mined pairs are shown.
CAUTION = "Mined, not annotated: a caption may fit both images of a pair."

COLUMNS = (
    "subset", "item_a", "item_b", "item_no_a", "item_no_b", "text_a", "text_b", "rank", "s11", "s12", "s21", "s22",
    "v1", "v2_text", "v2_image", "v1_scale_free", "v2_text_scale_free", "v2_image_scale_free", "v1_over_margin",
    "v2_text_over_margin", "v2_image_over_margin", "text_margin", "image_margin", "group_margin", "kind",
    "normalisation",
)  # fmt: skip


def close_pairs(
    store: Store,
    run_id: str,
    kind: str,
    subset: str | None = None,
    k: int = K,
    normalise: str = "raw",
    side: Side = "both",
) -> pd.DataFrame:
    """One row a mined pair of COLUMNS, pool by pool, in pool order; empty without a pool of this kind.

    Each image stands with its own first caption, as in a training batch. Pairs are chosen by the score as stored
    (cosine, log-odds, mean log-probability a token); deviations are in the normalisation: `raw`, `softmax-pool` (over
    the pool's images x first captions) or `softmax-cells`. rank: 1 is the closest. Scale-free forms are divided by the
    standard deviation of all mined cells of the pool.

    Raises UsageError for a kind that has no such scores, k below 1, or another normalisation or side.
    """
    if kind not in SIMILARITIES:
        raise UsageError(f"close pairs need scores of an image with a text: kind {listed(PAIR_KINDS)}, not {kind}.")
    if normalise not in SETTINGS:
        raise UsageError(f"normalisation '{normalise}' is none of {', '.join(SETTINGS)}.")
    if k < 1 or side not in ("both", "image", "text"):
        raise UsageError(f"close pairs need k of at least 1 and a side both, image or text, not {k} and '{side}'.")

    def make() -> pd.DataFrame:
        run = store.run(run_id)
        scale = logit_scale(store, run_id) if kind == Kind.ITC else 1.0
        parts = []
        for items, rows in _squares(run, kind, subset):
            pairs = mined(rows, len(items), k, side, scale)
            parts.append(_frame(run, items, pairs, kind, normalise, scale))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(COLUMNS))

    return store.cached(("close pairs", run_id, kind, subset, k, normalise, side), make)


def _squares(run: StoredRun, kind: str, subset: str | None) -> Iterator[tuple[pd.DataFrame, Rows]]:
    """(items, rows of images x first captions) of each pool; cosines are computed when they are asked for."""
    everything = matrices.items_of(run, Protocol.RETRIEVAL, subset)
    for name in everything["subset"].unique():
        items = everything[everything["subset"] == name].reset_index(drop=True)
        found = _from_vectors(run, items) if kind == Kind.ITC else None
        found = found or _from_pool(run, kind, str(name))
        if found is not None:
            yield found


def _from_vectors(run: StoredRun, items: pd.DataFrame) -> tuple[pd.DataFrame, Rows] | None:
    image_row, _, images = pools.vectors(run, "image", items)
    text_row, text_index, texts = pools.vectors(run, "text", items)
    first = text_index == 0
    both, image_at, text_at = np.intersect1d(image_row, text_row[first], return_indices=True)
    if not len(both):
        return None
    of_images, of_texts = images[image_at], texts[first][text_at]

    def rows(start: int, stop: int) -> NDArray[np.float32]:
        return np.asarray(of_images[start:stop] @ of_texts.T)

    return items.iloc[both].reset_index(drop=True), rows


def _from_pool(run: StoredRun, kind: str, subset: str) -> tuple[pd.DataFrame, Rows] | None:
    """The part of a pool that has been scored: its images whose first caption is in it."""
    pool = next(iter(pools.pools(run, kind, subset)), None)
    if pool is None:
        return None
    scores = pool.scores / np.where(pool.n_tokens > 0, pool.n_tokens, np.nan) if kind in SPOKEN else pool.scores
    text_row, text_at = np.unique(pool.text_item, return_index=True)  # texts stand in order, the first one first
    first = pool.text_no[text_at] == pools.starts(pool.items)[text_row]
    both, image_at, at = np.intersect1d(pool.image_item, text_row[first], return_indices=True)
    if not len(both):
        return None
    square = scores[np.ix_(image_at, text_at[first][at])]
    return pool.items.iloc[both].reset_index(drop=True), lambda start, stop: square[start:stop]


def _frame(
    run: StoredRun,
    items: pd.DataFrame,
    pairs: ClosePairs,
    kind: str,
    normalise: str,
    scale: float,
) -> pd.DataFrame:
    scores = pairs.scores
    ones = np.ones((len(scores), 2)) if kind in SPOKEN else None  # already divided by its tokens
    # The softmax needs no more of the pool than the sum it divides by: one cell that holds all of it.
    pool = np.array([pairs.log_sum_exp / scale])
    if kind == Kind.SCORE:  # without a unit: nothing but their own spread
        s = eqsim.in_spreads(scores, np.zeros(len(scores))) if len(scores) else scores
    else:
        s = eqsim.normalise(scores, kind, normalise, ones, pool, scale) if len(scores) else scores
    dev = eqsim.deviations(s)
    captions = [texts[0] for texts in matrices.texts_of(run, items)]
    columns: dict[str, Any] = {"subset": items["subset"].to_numpy()[pairs.first]}
    for end, at in (("a", pairs.first), ("b", pairs.second)):
        columns[f"item_{end}"] = items["item_id"].to_numpy()[at]
        columns[f"item_no_{end}"] = items["item_no"].to_numpy()[at]
        columns[f"text_{end}"] = np.array(captions, dtype=object)[at]
    columns |= {"rank": pairs.rank} | {f"s{i + 1}{j + 1}": s[:, i, j] for i in (0, 1) for j in (0, 1)} | dev._asdict()
    columns |= {f"{name}_scale_free": values for name, values in eqsim.scale_free(dev, s)._asdict().items()}
    columns |= {f"{name}_over_margin": values for name, values in eqsim.dev_over_margin(dev, s)._asdict().items()}
    columns |= {f"{name.removesuffix('_score')}_margin": v.margin for name, v in protocols.quad(s).items()}
    return pd.DataFrame(columns | {"kind": kind, "normalisation": normalise})[list(COLUMNS)]


__all__ = ["CAUTION", "COLUMNS", "SETTINGS", "close_pairs"]
