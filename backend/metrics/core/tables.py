"""Tables of a pool that are worked out a block of rows at a time: scores from vectors, relevance from owners.

Both stand in for an array of (images, texts) where only blocks of rows are read: `table[start:stop]` is such a block,
`table.T` the same seen from the texts. 5,000 images with 25,000 texts have 125 million cells; their vectors have 15
million numbers.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from backend.metrics.core.arrays import BoolArray, IntArray


class Table(Protocol):
    """What a metric of pools reads: an array of two dimensions, or what stands in for one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(rows, columns)."""

    @property
    def T(self) -> "Table":  # noqa: N802 - as numpy calls it
        """The same with rows and columns exchanged."""

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        """A block of rows."""


@dataclass(frozen=True)
class Products:
    """Scores of unit vectors, (images, texts). images: (n, d), texts: (m, d), of one dtype, which the scores have, too.

    >>> Products(np.eye(2), np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]))[1:2].tolist()
    [[0.0, 0.5, 1.0]]
    """

    images: NDArray[np.floating]
    texts: NDArray[np.floating]
    turned: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """(images, texts), or (texts, images) of a turned one."""
        sizes = (len(self.images), len(self.texts))
        return sizes[::-1] if self.turned else sizes

    @property
    def T(self) -> "Products":  # noqa: N802 - as numpy calls it
        """The same seen from the texts."""
        return Products(self.images, self.texts, not self.turned)

    def __getitem__(self, rows: slice) -> NDArray[np.floating]:
        """A block of rows; a turned one's are worked out as columns, so that both sides see the same numbers."""
        block = (self.images @ self.texts[rows].T).T if self.turned else self.images[rows] @ self.texts.T
        return np.asarray(block)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All of it at once, where somebody takes it for an array."""
        whole = self[:]
        return whole if dtype is None else whole.astype(dtype, copy=False)


@dataclass(frozen=True)
class Owners:
    """Relevance of a pool in which each text belongs to the images of one owner: bool (images, texts).

    image: (images,) and text: (texts,), the owner of each by number.

    >>> Owners(np.array([0, 1]), np.array([0, 0, 1]))[:].tolist()
    [[True, True, False], [False, False, True]]
    """

    image: IntArray
    text: IntArray

    @property
    def shape(self) -> tuple[int, int]:
        """(images, texts)."""
        return len(self.image), len(self.text)

    @property
    def T(self) -> "Owners":  # noqa: N802 - as numpy calls it
        """The same seen from the texts."""
        return Owners(self.text, self.image)

    def __getitem__(self, rows: slice) -> BoolArray:
        """A block of rows."""
        found: BoolArray = self.image[rows][:, None] == self.text[None, :]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All of it at once, where somebody takes it for an array."""
        return self[:].astype(dtype or np.bool_, copy=False)

    def counts(self) -> tuple[IntArray, IntArray]:
        """How many texts are relevant to each image, and images to each text.

        >>> [found.tolist() for found in Owners(np.array([0, 2]), np.array([0, 0, 1])).counts()]
        [[2, 0], [1, 1, 0]]
        """
        return _times(self.image, self.text), _times(self.text, self.image)

    def first_of_texts(self) -> IntArray:
        """The first image that each text is relevant to; 0 for one that is relevant to none, as `argmax` has it."""
        owners, first = np.unique(self.image, return_index=True)
        if not len(owners):
            return np.zeros(len(self.text), dtype=np.intp)
        at = np.minimum(np.searchsorted(owners, self.text), len(owners) - 1)
        return np.where(owners[at] == self.text, first[at], 0).astype(np.intp)


def _times(own: IntArray, others: IntArray) -> IntArray:
    """How often each value of one array stands in another."""
    values, times = np.unique(others, return_counts=True)
    if not len(values):
        return np.zeros(len(own), dtype=np.intp)
    at = np.minimum(np.searchsorted(values, own), len(values) - 1)
    return np.where(values[at] == own, times[at], 0).astype(np.intp)


def relevant_counts(relevance: Table) -> tuple[IntArray, IntArray, IntArray]:
    """(texts relevant to each image, images relevant to each text, the first of these) of relevance in either form."""
    if isinstance(relevance, Owners):
        return *relevance.counts(), relevance.first_of_texts()
    good = np.asarray(relevance, dtype=np.bool_)
    first = good.argmax(axis=0) if good.size else np.zeros(good.shape[1], dtype=np.intp)
    return good.sum(axis=1), good.sum(axis=0), first
