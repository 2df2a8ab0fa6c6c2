"""Arrays as text for a script, and the file that a script of data is."""

import json
import zlib
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

#: Decimal places of floats in JSON: intervals and rates are drawn, not computed with.
PLACES = 6


def packed(values: ArrayLike, form: str) -> str:
    """Numbers as base64 of their little-endian bytes; dom.js's `unpack` reads them.

    >>> packed([1, -1], "<i1")
    'Af8='
    """
    return b64encode(np.ascontiguousarray(values, dtype=form).tobytes()).decode()


def deflated(texts: Sequence[str]) -> str:
    """Texts as base64 of a zlib stream of their JSON: sentences are alike, and take a tenth of their length."""
    return b64encode(zlib.compress(json.dumps(list(texts), ensure_ascii=False).encode(), 9)).decode()


def script(name: str, value: Any) -> bytes:
    """A classic script that hands a value to the page: `FLIPSIDE.add(name, value)`. Nothing in it can end the script or
    be taken for markup.

    >>> script("a", {"b": "</script>"})
    b'FLIPSIDE.add("a",{"b":"\\\\u003c/script>"});\\n'
    """
    text = json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign, escaped in (("<", "\\u003c"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        text = text.replace(sign, escaped)
    return f"FLIPSIDE.add({json.dumps(name)},{text});\n".encode()


def _plain(value: Any) -> Any:
    """The value without NaN and numpy's own types."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if hasattr(value, "item") and callable(value.item):
        value = value.item()
    if isinstance(value, float):
        return round(value, PLACES) if np.isfinite(value) else None
    return value
