"""Rows on their way into a shard: collected as tuples, turned into columns once."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from backend.engine.storage import schema
from backend.models.base import TokenScores

#: One row in the order of its part's schema; an embedding row holds its vector as an array.
Row = tuple[Any, ...]
Rows = dict[str, list[Row]]


def score_row(
    item_no: int, image: int, text: int, value: float, *, text_b: int = -1, sample: int = -1, n_tokens: int = -1
) -> Row:
    """A row of schema.SCORES; -1 stands for "does not apply"."""
    return (item_no, image, text, text_b, sample, value, n_tokens)


def token_row(item_no: int, image: int, text: int, sample: int, scores: TokenScores) -> Row:
    """A row of schema.TOKENS."""
    tokens, logprobs = scores
    return (item_no, image, text, sample, tokens, logprobs)


def other_row(item_no: int, image: int, text: int, value: float, n_tokens: int) -> Row:
    """A row of schema.UNDER_OTHERS."""
    return (item_no, image, text, value, n_tokens)


def columns(part: str, rows: list[Row]) -> dict[str, Any]:
    """The rows as columns, sorted by item number (rows of one item keep their order)."""
    names = schema.schema_of(part).names
    order = np.argsort(np.array([row[0] for row in rows], np.int64), kind="stable")
    found: dict[str, Any] = dict(zip(names, zip(*(rows[i] for i in order), strict=True), strict=True))
    found["item_no"] = np.array(found["item_no"], np.int32)
    if "vector" in found:
        found["vector"] = _vectors(np.stack(found["vector"]))
    return found


def _vectors(rows: npt.NDArray[np.float32]) -> Any:
    """Half precision: a cosine moves by less than 1e-3, and a shipped pool takes half the room."""
    flat = pa.array(rows.astype(np.float16).ravel())
    offsets = np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1]
    return pa.ListArray.from_arrays(pa.array(offsets), flat)
