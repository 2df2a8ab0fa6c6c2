"""Array types of this package and the one check that every entry makes of its input."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]


def as_scores(values: ArrayLike, tail: tuple[int | None, ...], name: str = "scores") -> FloatArray:
    """The values as float64 with shape (n, *tail); None in `tail` stands for any length.

    An empty input of any shape becomes (0, *tail), so that "no items" never needs a special case.

    Raises ValueError with the expected and the found shape.

    >>> as_scores([[1, 2, 3]], (3,)).shape, as_scores([], (2, 2)).shape
    ((1, 3), (0, 2, 2))
    """
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if len(array) == 0:
        return array if array.ndim == 1 + len(tail) else np.zeros((0, *(size or 1 for size in tail)))
    fits = array.ndim == 1 + len(tail) and all(
        want is None or want == have for want, have in zip(tail, array.shape[1:], strict=True)
    )
    if not fits:
        wanted = ", ".join(["n", *("any" if size is None else str(size) for size in tail)])
        raise ValueError(f"{name} must have shape ({wanted}), got {array.shape}")
    return array


def as_mask(values: ArrayLike | None, n: int, name: str = "mask") -> BoolArray:
    """A boolean array of length n; None means all True. Raises ValueError on another length.

    >>> as_mask(None, 2).tolist(), as_mask([0, 1], 2).tolist()
    ([True, True], [False, True])
    """
    if values is None:
        return np.ones(n, dtype=np.bool_)
    array = np.asarray(values, dtype=np.bool_).reshape(-1)
    if len(array) != n:
        raise ValueError(f"{name} must have length {n}, got {len(array)}")
    return array
