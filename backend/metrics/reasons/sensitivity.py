"""What edits of the caption show: sensitivity as d', near misses towards zero."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics.core.arrays import BoolArray, FloatArray, as_mask, as_scores
from backend.metrics.paired.halves import LEAST, between, half_sums
from backend.metrics.paired.resampling import cluster_index


@dataclass(frozen=True)
class Sensitivity:
    """d_prime with its interval over items, and how many edits of each kind it rests on; None where undefined.

    >>> Sensitivity(None, None, 0, 0).n_changing
    0
    """

    d_prime: float | None
    ci95: tuple[float, float] | None
    n_preserving: int
    n_changing: int


def d_prime(
    preserving: ArrayLike, changing: ArrayLike, clusters: ArrayLike | None = None, seed: int = 0
) -> Sensitivity:
    """(mean change of preserving - mean change of changing edits) / sqrt of the mean of their two variances.

    preserving, changing: (n, e), the signed change of the true caption's margin when it is edited (edited - original),
    NaN where an edit does not apply. A model that reads loses margin under changing edits alone: d' > 0. Different
    numbers of edits compare, since it is no count. clusters: (n,), for the interval.

    >>> round(d_prime([[0.1, -0.1]] * 9, [[-0.9, -1.1]] * 9).d_prime, 2)
    9.72
    """
    tables = [as_scores(values, (None,)) for values in (preserving, changing)]
    if len(tables[0]) != len(tables[1]):
        raise ValueError(f"both kinds of edits must be of the same items, got {len(tables[0])} and {len(tables[1])}")
    index, n_clusters = cluster_index(clusters, len(tables[0]))
    columns = []
    for table in tables:
        for power in (0, 1, 2):
            sums = np.where(np.isnan(table), 0.0, np.where(np.isnan(table), 0.0, table) ** power).sum(axis=1)
            columns.append(np.bincount(index, sums, minlength=n_clusters))
    per_cluster = np.stack(columns, axis=1)
    total = per_cluster.sum(axis=0)
    value = float(_ratio(total[None, :])[0])
    counts = int(total[0]), int(total[3])
    if not np.isfinite(value):
        return Sensitivity(None, None, *counts)
    ends = between(_ratio(half_sums(per_cluster, seed=seed))) if n_clusters >= LEAST else None
    return Sensitivity(value, ends, *counts)


def _ratio(sums: FloatArray) -> FloatArray:
    """d' of rows of (count, sum, sum of squares) of both kinds; NaN where one has fewer than two edits or no spread."""
    with np.errstate(divide="ignore", invalid="ignore"):
        means = [sums[:, at + 1] / sums[:, at] for at in (0, 3)]
        spreads = [
            (sums[:, at + 2] - sums[:, at] * m**2) / (sums[:, at] - 1) for at, m in zip((0, 3), means, strict=True)
        ]
        pooled = np.maximum(spreads[0], 0) + np.maximum(spreads[1], 0)
        usable = (sums[:, 0] > 1) & (sums[:, 3] > 1) & (pooled > 0)
        return np.where(usable, (means[0] - means[1]) / np.sqrt(pooled / 2), np.nan)


def near_miss(
    margin: ArrayLike, edited: ArrayLike, read_as: Sequence[Sequence[object]] | None = None,
    min_edits: int = 8, percentile: float = 90.0,
) -> tuple[BoolArray, BoolArray]:  # fmt: skip
    """(near a miss, has evidence), bool (n,): |margin| below the 90th percentile of the change towards zero.

    margin: (n,); edited: (n, e), the margin under each meaning-preserving edit, NaN where not scored. Edits that push
    the margin away from zero count as no change. read_as: (n, e), what the model reads of each edit, its token ids say:
    equal ones count once. Evidence: a margin and `min_edits` edits that differ.

    >>> near_miss([0.1, 0.1, -0.1], [[-0.2] * 8, [0.4] * 8, [-0.4] * 8])[0].tolist()
    [True, False, False]
    """
    own = np.asarray(margin, dtype=np.float64).reshape(-1)
    moved = np.sign(own)[:, None] * (own[:, None] - as_scores(edited, (None,), "edited"))
    counted = ~np.isnan(moved)
    if read_as is not None:
        for item, ids in enumerate(read_as):
            seen: set[object] = set()
            for place, read in enumerate(ids):
                counted[item, place] &= read not in seen
                seen |= {read} if counted[item, place] else set()
    known = ~np.isnan(own) & (counted.sum(axis=1) >= min_edits)
    label = np.zeros(len(own), dtype=np.bool_)
    if known.any():
        towards = np.where(counted, np.maximum(moved, 0.0), np.nan)[known]
        label[known] = np.abs(own[known]) < np.nanpercentile(towards, percentile, axis=1)
    return label, as_mask(known, len(own))
