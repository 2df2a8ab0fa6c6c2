"""Two pictures of a prior P(t): how likely truths and foils are without the image, and what few null images are worth.

After VisualGPTScore: table 2 (frequency charts of P(t)) and section 3 (one to three noise images are said to suffice).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.kinds import Kind
from backend.metrics import by_item, clustered, statistics
from backend.metrics.core.arrays import FloatArray
from backend.metrics.core.compare import real_texts
from backend.metrics.paired.resampling import cluster_index
from backend.metrics.reasons.priors import log_mean
from backend.metrics.statistics import Rate
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.scores import matrices

#: Bars of a chart.
BINS = 30


@dataclass(frozen=True)
class Shape:
    """log P(t) a token of a subset's captions under one source. edges: (BINS + 1,); truths, foils: (BINS,), how many in
    each bar; n_truths, n_foils: their sums. likelier: share of (truth, foil) pairs in which the foil is the likelier
    one, ties one half: 0.5 where P(t) does not tell them apart; ci95: its interval, an image with all its
    pairs a cluster; n_pairs, n_items: how many pairs there are, and of how many items."""

    edges: FloatArray
    truths: NDArray[np.intp]
    foils: NDArray[np.intp]
    likelier: float
    ci95: tuple[float, float] | None = None
    n_pairs: int = 0
    n_items: int = 0

    @property
    def n_truths(self) -> int:
        return int(self.truths.sum())

    @property
    def n_foils(self) -> int:
        return int(self.foils.sum())


@dataclass(frozen=True)
class Few:
    """Accuracy at α = 1 with P(t) from the first k of all null images, on items with all of them."""

    images: int
    accuracy: Rate


def shape(store: Store, run_id: str, prior: str, subset: str) -> Shape | None:
    """The chart of a subset of choices or triplets; None where the run has no P(t) of it under this source."""
    return store.cached(("prior shape", run_id, prior, subset), lambda: _shape(store.run(run_id), prior, subset))


def _shape(run: StoredRun, prior: str, subset: str) -> Shape | None:
    for protocol in (Protocol.CHOICE, Protocol.TRIPLET):
        items = matrices.items_of(run, protocol, subset)
        where = run.prior(prior)
        if not len(items) or where is None:
            continue
        sums, counts = matrices.prior_sums(*where, items, protocol.info.texts or int(items["n_texts"].max()))
        each = log_mean(sums) / np.where(counts > 0, counts, np.nan)
        truths, foils = (each[:, :2], each[:, 2:]) if protocol == Protocol.TRIPLET else (each[:, :1], each[:, 1:])
        known = each[np.isfinite(each)]
        if not np.isfinite(truths).any() or not np.isfinite(foils).any():
            continue
        edges = np.histogram_bin_edges(known, BINS)
        counted = [np.histogram(part[np.isfinite(part)], edges)[0] for part in (truths, foils)]
        gap = (foils[:, None, :] - truths[:, :, None]).reshape(len(foils), -1)
        there = np.isfinite(gap)
        won = ((gap > 0) + (gap == 0) / 2) * there
        if not there.any():
            continue
        sums = np.stack([won.sum(axis=1), there.sum(axis=1)], axis=1)
        likelier, n_pairs = float(sums[:, 0].sum() / sums[:, 1].sum()), int(sums[:, 1].sum())
        ci95 = _interval(sums, items["cluster"])
        return Shape(edges, counted[0], counted[1], likelier, ci95, n_pairs, int(there.any(axis=1).sum()))
    return None


def _interval(sums: FloatArray, cluster: pd.Series) -> tuple[float, float] | None:
    """Of a ratio of sums (items, 2), each part of a whole, clusters of items being what is independent; None for fewer
    than two."""
    index, n_clusters = cluster_index(cluster, len(sums))
    there = sums[:, 1] > 0
    if n_clusters < 2:
        return None
    found, many = cluster_index(index[there], int(there.sum()))
    return clustered.interval(sums[there, 0] / sums[there, 1], found, many, sums[there, 1])


def few_images(store: Store, run_id: str, prior: str, subset: str) -> list[Few]:
    """Accuracy of a subset of choices over the number of sampled images, 0 (α = 0) to all; empty without `gen`, without
    this source, or where it is no sample (a blind language model)."""
    return store.cached(("few images", run_id, prior, subset), lambda: _few(store.run(run_id), prior, subset))


def _few(run: StoredRun, prior: str, subset: str) -> list[Few]:
    where = run.prior(prior)
    if Kind.GEN not in run.parts or where is None:
        return []
    block = matrices.block(run, Kind.GEN, Protocol.CHOICE, subset)
    if not len(block):
        return []
    sums = matrices.prior_of(run, *where, block, block.scores.shape[1])
    if len(sums) < 2:
        return []
    count = np.where(block.n_tokens > 0, block.n_tokens, np.nan)
    gen = block.scores / count
    real = real_texts(gen)
    cluster = block.items["cluster"].to_numpy()
    margins = [by_item.choice(gen, real.sum(axis=1)).margin]
    margins += [by_item.choice(gen - _first(sums, k) / count, real.sum(axis=1)).margin for k in range(1, len(sums) + 1)]
    known = np.all(~np.isnan(margins), axis=0)
    return [Few(k, statistics.rate(each > 0, known, clusters=cluster)) for k, each in enumerate(margins)]


def _first(sums: FloatArray, k: int) -> FloatArray:
    """log P(t) from the first k samples that an item may use, (n, texts): those under its own images are NaN."""
    there = ~np.isnan(sums).all(axis=2)
    kept = there & (np.cumsum(there, axis=0) <= k)
    return log_mean(np.where(kept[:, :, None], sums, np.nan))
