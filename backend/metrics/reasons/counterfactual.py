"""Choices and triplets: what would the model say of another image? (docs/reasons.md)

M(x) is the margin of the captions under an image x, the strongest foil chosen anew on every image: a foil fixed by the
item's own image would bias the evidence downwards. m = M(own), b = mean of M(others), g = m - b is this image's part.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from backend.metrics import by_item
from backend.metrics.clustered import effective_number
from backend.metrics.core.arrays import BoolArray, FloatArray, IntArray, as_scores
from backend.metrics.paired.halves import between
from backend.metrics.paired.resampling import cluster_index
from backend.metrics.reasons import mirror

#: The four cells, in the order of their codes; -1 is an undefined item.
CHOICE_CELLS = ("grounded", "by_bias", "outvoted", "no_evidence")
GROUNDED, BY_BIAS, OUTVOTED, NO_EVIDENCE = range(4)
#: The mean variance of the subset counts as so many degrees of freedom beside an item's own.
_PRIOR_FREEDOM = 4
_ROUNDINGS = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Evidence:
    """n choices or triplets under other images. NaN, -1 where the own scores are missing or no other image was scored.

    m, b, g: float64 (n,), as above, in the unit of the scores. s: the standard deviation of M under an arbitrary image,
    shrunken towards the subset's. z = g / (s sqrt(1 + 1/N)). b_error: the standard error of b, s / sqrt(N), which says
    how well b is known and is no measure of an image's evidence. n_other: intp (n,), other images counted. u: rank of m
    among the others, in (0, 1), free of any distribution, with equal margins broken by a seeded draw.
    cell, mirrored: intp (n,), into `CHOICE_CELLS`, of the item and of its decoy (g turned, b kept).
    right, mirrored_right: bool (n,), m > 0 and b - g > 0.

    >>> evidence([[0.5, 0.4]], [[[0.1, 0.2], [0.2, 0.2]]]).n_other.tolist()
    [2]
    """

    m: FloatArray
    b: FloatArray
    g: FloatArray
    s: FloatArray
    z: FloatArray
    b_error: FloatArray
    n_other: IntArray
    u: FloatArray
    cell: IntArray
    mirrored: IntArray
    right: BoolArray
    mirrored_right: BoolArray

    def __len__(self) -> int:
        return len(self.m)

    @property
    def defined(self) -> BoolArray:
        """Which items have a margin and another image, bool (n,)."""
        return ~np.isnan(self.z)


def margins(scores: ArrayLike, n_texts: ArrayLike | None = None, *, triplet: bool = False) -> FloatArray:
    """M(x) of (n, images, texts) scores, float64 (n, images); NaN where a score is missing.

    Choices: the truth in column 0 against the strongest foil; n_texts: (n,), texts of each item where rows are padded.
    Triplets: min(s(x, P1), s(x, P2)) - s(x, N), three columns.

    >>> margins([[[0.5, 0.4, 0.1], [0.5, 0.1, 0.4]]]).round(3).tolist()
    [[0.1, 0.1]]
    """
    s = as_scores(scores, (None, None))
    flat = s.reshape(-1, s.shape[2])
    if triplet:
        return by_item.triplet_i2t(flat).margin.reshape(s.shape[:2])
    counts = None if n_texts is None else np.repeat(np.asarray(n_texts), s.shape[1])
    return by_item.choice(flat, counts).margin.reshape(s.shape[:2])


def evidence(
    own: ArrayLike, others: ArrayLike, n_texts: ArrayLike | None = None, *, triplet: bool = False, seed: int = 0
) -> Evidence:
    """own: (n, texts), the item's scores under its image; others: (n, N, texts), its captions under N other images.

    NaN in `others` leaves an image out of its item: fill the own image and its cluster so. Texts as in `margins`.

    >>> found = evidence([[3.0, 0.0], [0.0, 3.0]], [[[0.0, 0.1], [0.0, -0.1]]] * 2)
    >>> [CHOICE_CELLS[code] for code in found.cell], found.g.tolist()
    (['grounded', 'no_evidence'], [3.0, -3.0])
    """
    mine = as_scores(own, (None,), "own")
    counts = None if n_texts is not None or triplet else _counts(mine)
    m = margins(mine[:, None, :], n_texts if counts is None else counts, triplet=triplet)[:, 0]
    table = as_scores(others, (None, mine.shape[1]), "others")
    return of_margins(m, margins(table, n_texts if counts is None else counts, triplet=triplet), seed)


def _counts(mine: FloatArray) -> IntArray:
    """Texts of each item by its own row, so that a missing score under another image is no padding."""
    there = ~np.isnan(mine)
    found = np.where(there.any(axis=1), mine.shape[1] - np.argmax(there[:, ::-1], axis=1), 0)
    return found.astype(np.intp)


def of_margins(own: ArrayLike, others: ArrayLike, seed: int = 0) -> Evidence:
    """The same from margins: own (n,), others (n, N), NaN left out.

    >>> found = of_margins([2.0], [[0.0, 1.0, -1.0]])
    >>> found.b.tolist(), found.s.tolist(), found.z.round(3).tolist()
    ([0.0], [1.0], [1.732])
    """
    m = np.asarray(own, dtype=np.float64).reshape(-1)
    table = as_scores(others, (None,), "others")
    if len(table) != len(m):
        raise ValueError(f"others must hold margins of the same {len(m)} items, got {len(table)}")
    m = np.where(np.isfinite(m), m, np.nan)
    counted = np.isfinite(table) & ~np.isnan(m)[:, None]
    n_other = counted.sum(axis=1)
    there = np.where(counted, table, 0.0)
    known = n_other > 0
    count = np.where(known, n_other, 1)
    b = np.where(known, there.sum(axis=1) / count, np.nan)
    g = m - b
    largest = np.maximum(np.abs(m), np.abs(there).max(axis=1, initial=0.0))
    g = np.where(np.abs(g) <= _ROUNDINGS * largest, 0.0 * g, g)  # a mean of equal margins is rounded
    s = _spread(np.where(counted, (table - b[:, None]) ** 2, 0.0).sum(axis=1), n_other)
    noise = s * np.sqrt(1 + 1 / count)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(g == 0, 0.0, g / noise)
    right, mirrored_right = known & (m > 0), known & (b - g > 0)
    sign = np.where(known, np.sign(g), np.nan)
    return Evidence(
        m=m, b=b, g=g, s=s, z=np.where(np.isnan(g), np.nan, z), b_error=s / np.sqrt(count), n_other=n_other,
        u=_rank(m, table, counted, seed), cell=_cells(sign, right), mirrored=_cells(-sign, mirrored_right),
        right=right, mirrored_right=mirrored_right,
    )  # fmt: skip


def _spread(squares: FloatArray, n_other: IntArray) -> FloatArray:
    """Standard deviation of an item's M(others), shrunken: ((N - 1) v + 4 mean v) / (N + 3); NaN without any."""
    several = n_other > 1
    variance = squares / np.where(several, n_other - 1, 1)
    if not several.any():
        return np.full(len(squares), np.nan)
    shrunken = (np.where(several, squares, 0.0) + _PRIOR_FREEDOM * variance[several].mean()) / (n_other + 3)
    return np.asarray(np.where(n_other > 0, np.sqrt(shrunken), np.nan), dtype=np.float64)


def _rank(m: FloatArray, table: FloatArray, counted: BoolArray, seed: int) -> FloatArray:
    below = np.sum(counted & (table < m[:, None]), axis=1)
    ties = np.sum(counted & (table == m[:, None]), axis=1)
    n_other = counted.sum(axis=1)
    rank = (below + np.random.default_rng(seed).random(len(m)) * (1 + ties)) / (n_other + 1)
    return np.asarray(np.where(n_other > 0, rank, np.nan), dtype=np.float64)


def _cells(sign: FloatArray, right: BoolArray) -> IntArray:
    for_right, for_wrong = np.where(sign > 0, GROUNDED, BY_BIAS), np.where(sign > 0, OUTVOTED, NO_EVIDENCE)
    return np.where(np.isnan(sign), -1, np.where(right, for_right, for_wrong)).astype(np.intp)


def share_by_rank(u: ArrayLike) -> float | None:
    """2 P(u > 1/2) - 1: the share of `mirror.at_least` with no assumption on how margins are distributed.

    >>> share_by_rank([0.9, 0.8, 0.1, 0.7])
    0.5
    """
    values = np.asarray(u, dtype=np.float64)
    values = values[~np.isnan(values)]
    return float(2 * np.mean(values > 0.5) - 1) if len(values) else None


def joint_interval(
    own: ArrayLike, others: ArrayLike, images: ArrayLike | None = None, clusters: ArrayLike | None = None,
    resamples: int = 400, seed: int = 0,
) -> tuple[float, float] | None:  # fmt: skip
    """95 % interval of (n+ - n-)/n, items and other images resampled together.

    Of few clusters, and where all items agree, no draw differs much from the sample: then it is no narrower than
    `mirror.at_least` makes it by the number of clusters alone.

    own: (n,) margins; others: (n, N), NaN left out; images: (n, N), which image each is, so that one that several items
    share is drawn once for all (None: each item has its own); clusters: (n,). None with fewer than two clusters.

    >>> low, high = joint_interval([2.0] * 20, [[0.0, 1.0, -1.0]] * 20)
    >>> low > 0.5, high
    (True, 1.0)
    """
    m, table = np.asarray(own, dtype=np.float64).reshape(-1), as_scores(others, (None,), "others")
    counted = np.isfinite(table)
    keep = np.isfinite(m) & counted.any(axis=1)
    m, table, counted = m[keep], np.where(counted, table, 0.0)[keep], counted[keep]
    index, _ = cluster_index(clusters, len(keep))
    index, n_clusters = cluster_index(index[keep], int(keep.sum()))
    if n_clusters < 2:
        return None
    ids = np.arange(table.size) if images is None else np.asarray(images)[keep].reshape(-1)
    image, n_images = cluster_index(ids, table.size)
    image = image.reshape(table.shape)
    rng = np.random.default_rng(seed)
    b = table.sum(axis=1) / counted.sum(axis=1)
    found = np.empty(resamples)
    for place in range(resamples):
        weight = counted * rng.exponential(size=n_images)[image]  # Rubin's bootstrap: no image set is ever empty
        drawn = (table * weight).sum(axis=1) / weight.sum(axis=1)
        sign = np.where(m == b, 0.0, np.sign(m - drawn))
        inside = rng.integers(0, 2, n_clusters)[index]
        found[place] = (sign * inside).sum() / inside.sum() if inside.any() else np.nan
    halves, sign = between(found), np.sign(m - b)
    number = effective_number(np.bincount(index).astype(np.float64))
    if halves is not None and number >= mirror.FEW_CLUSTERS and len(np.unique(sign)) > 1:
        return halves
    ends = mirror.by_number(sign, number)
    return ends if halves is None else (min(halves[0], ends[0]), max(halves[1], ends[1]))


def agree(intervals: Sequence[tuple[float, float] | None]) -> bool:
    """Do shares under several sources of images differ by no more than their intervals? If not, no item has a reason.

    >>> agree([(0.1, 0.3), (0.2, 0.5), None]), agree([(0.1, 0.2), (0.3, 0.5)])
    (True, False)
    """
    known = [ends for ends in intervals if ends is not None]
    return not known or max(low for low, _ in known) <= min(high for _, high in known)
