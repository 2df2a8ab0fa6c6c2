"""What the user's code gave, as numpy arrays of the shape that was asked for; a wrong one is refused in a sentence."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.errors import FlipsideError

#: What a number's dtype may be: booleans, integers, floats.
_NUMERIC = "biuf"
#: Rows that are shorter are made longer before their length is taken.
SHORTEST = 1e-140


def rows(value: Any, n: int, said: str) -> NDArray[np.float32]:
    """(n, d) float32 rows of length one. said: who gave them, for the sentence.

    FlipsideError for another shape, for what is no numbers, and for a row of zeros, which has no direction. NaN stays:
    whoever stores scores names the item.
    """
    found = numbers(value, said)
    if found.ndim != 2 or len(found) != n or not found.shape[1]:
        raise FlipsideError(
            f"{said} gave {_shape(found)} for a list of {n}; expected is one row of numbers for each, shape ({n}, d)."
        )
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        odd = ~((lengths > SHORTEST) & np.isfinite(lengths))[:, 0]
        if odd.any():  # squares of very large and very small numbers are infinite and zero
            largest = np.abs(found[odd]).max(axis=1, keepdims=True)
            empty = np.flatnonzero(odd)[largest[:, 0] == 0]
            if len(empty):
                raise FlipsideError(f"{said} gave only zeros for number {empty[0] + 1} of {n}: that has no direction.")
            found[odd] /= largest
            lengths[odd] = np.linalg.norm(found[odd], axis=1, keepdims=True)
        return np.asarray(found / lengths, dtype=np.float32)


def one_each(value: Any, n: int, said: str) -> NDArray[np.float64]:
    """(n,) float64: one number a pair. A column (n, 1) is taken, too. FlipsideError for any other shape."""
    found = numbers(value, said)
    if found.shape == (n, 1):
        found = found[:, 0]
    if found.shape != (n,):
        what = " (all images with all texts?)" if found.shape == (n, n) and n > 1 else ""
        raise FlipsideError(
            f"{said} gave {_shape(found)}{what} for {n} pairs; expected is one number a pair, shape ({n},): image i "
            "with text i."
        )
    return found


def numbers(value: Any, said: str) -> NDArray[np.float64]:
    """Tensors (of any device and dtype, with or without gradients), arrays, or lists of these, as float64."""
    try:
        plain = _plain(value)
        found = np.asarray(plain)
    except ValueError as error:
        raise FlipsideError(f"{said} gave rows of different lengths ({error}); expected are equal ones.") from None
    except Exception as error:
        what = f"{type(value).__name__} that cannot be read as numbers ({type(error).__name__}: {str(error)[:120]})"
        raise FlipsideError(f"{said} gave a {what}; expected is a dense tensor, an array or a list.") from error
    if np.ma.is_masked(plain):
        raise FlipsideError(f"{said} gave an array with masked values; expected is a number for each.")
    if found.dtype.kind not in _NUMERIC:
        what = type(value).__name__ if found.dtype == object else f"values of type {found.dtype}"
        raise FlipsideError(f"{said} gave {what}; expected are numbers: a tensor, an array or a list.")
    return found.astype(np.float64)


def _plain(value: Any) -> Any:
    if callable(getattr(value, "detach", None)) and callable(getattr(value, "cpu", None)):
        tensor = value.detach().cpu()
        floating = callable(getattr(tensor, "is_floating_point", None)) and tensor.is_floating_point()
        return (tensor.double() if floating else tensor).numpy()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(entry) for entry in value]
    return value


def _shape(found: NDArray[np.float64]) -> str:
    return f"shape {tuple(found.shape)}" if found.ndim else "a single number"
