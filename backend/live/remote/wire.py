"""Messages between the pages and a live backend: a JSON head, then the bytes of arrays. Nothing in them is ever run.

    4 bytes, big endian: length of the head   head: JSON, UTF-8   the arrays' bytes, one after the other

The head lists the arrays under `arrays` with `dtype` (one of DTYPES), `shape`, `bytes` and `packed` (by zlib). What is
read is checked for all of that before memory is taken for it. `format` is raised where a message means something else.
"""

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend import plain_json

FORMAT: Final = 1
MEDIA: Final = "application/x-flipside"
#: All that an array may be, always in little-endian order.
DTYPES: Final = {"uint8": "<u1", "float32": "<f4", "float64": "<f8", "bool": "|b1", "int64": "<i8"}
#: Bytes of a head, and arrays and axes in a message, at most.
HEAD, ARRAYS, AXES = 16_000_000, 4096, 4
_LENGTH: Final = 4


class BrokenError(ValueError):
    """A message that is none; says in a few words why."""


class TooLargeError(BrokenError):
    """A message, or what it unpacks to, is larger than is taken."""


def packed(head: Mapping[str, Any], arrays: Sequence[NDArray[Any]] = (), *, small: bool = False) -> bytes:
    """A message. small: worth some time, so arrays are compressed where that helps; no bit of them is lost."""
    listed, parts = [], []
    for array in arrays:
        name = array.dtype.name
        if name not in DTYPES:
            raise BrokenError(f"arrays of {name} are not sent")
        raw = np.ascontiguousarray(array, dtype=DTYPES[name]).tobytes()
        short = zlib.compress(raw, 1) if small else raw
        is_packed = len(short) < len(raw)
        parts.append(short if is_packed else raw)
        listed.append({"dtype": name, "shape": list(array.shape), "bytes": len(parts[-1]), "packed": is_packed})
    written = json.dumps({"format": FORMAT, **head, "arrays": listed}, allow_nan=False).encode()
    if len(written) > HEAD:
        raise TooLargeError(f"its texts take {len(written):,} bytes, more than {HEAD:,}")
    return b"".join([len(written).to_bytes(_LENGTH, "big"), written, *parts])


def unpacked(data: bytes, most: int) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Head and arrays of a message. most: bytes of all arrays together. BrokenError for what is no message."""
    view = memoryview(data)
    n = int.from_bytes(view[:_LENGTH], "big")
    if len(view) < _LENGTH or n > min(HEAD, len(view) - _LENGTH):
        raise BrokenError("it is cut short")
    try:
        head = plain_json.loads(bytes(view[_LENGTH : _LENGTH + n]))
    except ValueError as error:
        raise BrokenError(f"its head is no JSON that is taken ({str(error)[:100]})") from None
    listed = head.get("arrays") if isinstance(head, dict) else None
    if not isinstance(listed, list) or len(listed) > ARRAYS:
        raise BrokenError("its head lists no arrays")
    arrays, at, held = [], _LENGTH + n, 0
    for one in listed:
        dtype, shape, size = _said(one)
        whole = math.prod(shape) * dtype.itemsize
        held += whole
        if held > most:
            raise TooLargeError(f"its arrays take more than {most:,} bytes")
        part = bytes(view[at : at + size])
        at += size
        if len(part) != size:
            raise BrokenError("it is cut short")
        raw = _unzipped(part, whole) if one["packed"] else part
        if len(raw) != whole:
            raise BrokenError(f"an array has {len(raw):,} bytes, its shape asks for {whole:,}")
        if dtype == np.bool_ and raw.strip(b"\0\1"):
            raise BrokenError("a truth value is neither 0 nor 1")
        arrays.append(np.frombuffer(raw, dtype=dtype).reshape(shape))
    if at != len(view):
        raise BrokenError("something follows its end")
    return head, arrays


def _said(one: Any) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    if not isinstance(one, dict) or one.get("dtype") not in DTYPES or not isinstance(one.get("packed"), bool):
        raise BrokenError("an array is of no type that is sent")
    shape: Any = one.get("shape")
    size: Any = one.get("bytes")
    numbers = [size, *shape] if isinstance(shape, list) else [None]
    if len(numbers) > AXES + 1 or not all(type(n) is int and 0 <= n < 2**40 for n in numbers):
        raise BrokenError("an array has no shape")
    if math.prod(max(n, 1) for n in shape) >= 2**62:  # an axis of none makes others no smaller for numpy
        raise BrokenError("an array has no shape that can be")
    return np.dtype(DTYPES[one["dtype"]]), tuple(shape), size


def _unzipped(part: bytes, whole: int) -> bytes:
    """At most one byte more than `whole`, whatever the part would unpack to."""
    try:
        return zlib.decompressobj().decompress(part, whole + 1)
    except zlib.error:
        raise BrokenError("a packed array is damaged") from None
