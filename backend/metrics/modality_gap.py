"""How far apart a model puts images and texts: the modality gap, and the cosines of matched and unmatched pairs.

Liang, Zhang, Kwon, Yeung, Zou 2022, Mind the Gap (NeurIPS), section 4: the gap is the difference of the two centroids
of L2-normalised embeddings.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.metrics.core.arrays import FloatArray, IntArray
from backend.metrics.paired.halves import LEAST, between, half_sums
from backend.metrics.paired.resampling import cluster_index

#: Pairs of different items that are drawn for the distribution of unmatched cosines.
DRAWN = 20_000


@dataclass(frozen=True)
class Gap:
    """size: Euclidean length of the difference of the centroids, 0 to 2; ci95: its interval, None with fewer than six
    items; floor: the length that sampling alone would show (root mean square) where there is no gap.

    >>> found = modality_gap([[1.0, 0.0]], [[1.0, 0.0]], ["a"], ["a"])
    >>> found.size, found.ci95, found.n_images, found.n_texts
    (0.0, None, 1, 1)
    """

    size: float
    ci95: tuple[float, float] | None
    floor: float | None
    n_images: int
    n_texts: int


def modality_gap(
    images: ArrayLike,
    texts: ArrayLike,
    image_items: ArrayLike,
    text_items: ArrayLike,
    samples: int = 2000,
    seed: int = 0,
) -> Gap | None:
    """The gap of L2-normalised images (n, d) and texts (m, d); None where either is empty.

    image_items (n,), text_items (m,): what each belongs to; random halves of the items are taken (`halves`), images
    with their texts. The interval is that of the difference along its own direction: the length of a half's difference
    is always larger than the length it estimates.

    >>> modality_gap([[1.0, 0.0]], [[0.0, 1.0]], ["a"], ["a"]).size
    1.4142135623730951
    """
    x, y = np.asarray(images, dtype=np.float64), np.asarray(texts, dtype=np.float64)
    if not len(x) or not len(y):
        return None
    difference = x.mean(axis=0) - y.mean(axis=0)
    size = float(np.linalg.norm(difference))
    index, n_items = cluster_index(np.concatenate([np.asarray(image_items), np.asarray(text_items)]), len(x) + len(y))
    if n_items < 2:
        return Gap(size, None, None, len(x), len(y))
    of_x, of_y = index[: len(x)], index[len(x) :]
    along = difference / size if size > 0 else np.zeros_like(difference)
    columns = [np.bincount(of, values, n_items) for of, values in ((of_x, x @ along), (of_y, y @ along))]
    columns += [np.bincount(of, minlength=n_items).astype(np.float64) for of in (of_x, of_y)]
    sums = half_sums(np.stack(columns, axis=1), samples, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = sums[:, 0] / sums[:, 2] - sums[:, 1] / sums[:, 3]
    return Gap(size, between(drawn) if n_items >= LEAST else None, _floor(x, y, of_x, of_y, n_items), len(x), len(y))


def _floor(x: FloatArray, y: FloatArray, of_x: IntArray, of_y: IntArray, n_items: int) -> float:
    """Root of the trace of the difference's covariance, items being what is independent (linearised ratio means)."""
    pull = np.zeros((n_items, x.shape[1]))
    np.add.at(pull, of_x, (x - x.mean(axis=0)) / len(x))
    np.add.at(pull, of_y, -(y - y.mean(axis=0)) / len(y))
    return float(np.sqrt((pull**2).sum() * n_items / (n_items - 1)))


@dataclass(frozen=True)
class PairCosines:
    """Cosines of three sorts of (image, text) pairs. matched: they belong together; foils: of one item, but not
    together; others: of different items (a seeded sample). items: of each matched pair, for resampling.

    >>> pair_cosines([[1.0, 0.0]], [[0.0, 1.0]], ["a"], ["a"], [[0, 0]]).matched.tolist()
    [0.0]
    """

    matched: FloatArray
    foils: FloatArray
    others: FloatArray
    items: NDArray[np.generic]


def pair_cosines(
    images: ArrayLike,
    texts: ArrayLike,
    image_items: ArrayLike,
    text_items: ArrayLike,
    together: ArrayLike,
    drawn: int = DRAWN,
    seed: int = 0,
) -> PairCosines:
    """Cosines of L2-normalised images (n, d) with texts (m, d). together: (p, 2), rows of images and of texts that
    belong together. Pairs of different items whose two vectors are also those of a matched pair are left out, for the
    same picture or caption may occur in many items.

    >>> found = pair_cosines([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], ["a"], ["a", "a"], [[0, 0]])
    >>> found.matched.tolist(), found.foils.tolist(), found.others.tolist()
    ([1.0], [0.0], [])
    """
    x, y = np.asarray(images, dtype=np.float64), np.asarray(texts, dtype=np.float64)
    pairs = np.asarray(together, dtype=np.intp).reshape(-1, 2)
    of_x, of_y = np.asarray(image_items), np.asarray(text_items)
    same_x, same_y = _same(x), _same(y)

    def fresh(i: NDArray[np.intp], t: NDArray[np.intp]) -> NDArray[np.intp]:
        """Pairs (p, 2) without those whose two vectors are also a matched pair's."""
        found = np.stack([i, t], axis=1)
        return found[~np.isin(same_x[i] * (len(y) + 1) + same_y[t], known)]

    known = same_x[pairs[:, 0]] * (len(y) + 1) + same_y[pairs[:, 1]]
    order = np.argsort(of_y, kind="stable")
    low, high = np.searchsorted(of_y[order], of_x), np.searchsorted(of_y[order], of_x, side="right")
    row = np.repeat(np.arange(len(x)), high - low)
    place = np.arange(len(row)) - np.repeat(np.cumsum(high - low) - (high - low), high - low)
    foils = fresh(row, order[low[row] + place].astype(np.intp))
    others = np.zeros((0, 2), dtype=np.intp)
    if len(x) and len(y):
        rng = np.random.default_rng(seed)
        cells = len(x) * len(y)
        flat = np.arange(cells) if cells <= drawn else rng.integers(0, cells, drawn)
        i, t = flat // len(y), flat % len(y)
        apart = of_x[i] != of_y[t]
        others = fresh(i[apart], t[apart])

    def cosines(at: NDArray[np.intp]) -> FloatArray:
        return np.asarray(np.einsum("pd,pd->p", x[at[:, 0]], y[at[:, 1]]), dtype=np.float64)

    return PairCosines(cosines(pairs), cosines(foils), cosines(others), of_x[pairs[:, 0]])


def _same(vectors: FloatArray) -> NDArray[np.intp]:
    """A number for each row, equal where the rows are."""
    if not len(vectors):
        return np.zeros(0, dtype=np.intp)
    return np.unique(vectors, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)
