"""JSON from elsewhere, read with bounds: what any reader, writer or database could stumble over is refused at once.

Python's own parser takes NaN, lone surrogates and whole numbers of any size, and ends in a RecursionError where
brackets are nested a thousand deep. Each of these would come up again later, in a page or in the database.
"""

import json
import math
from typing import Any

#: Levels; the deepest of our own records has eight.
DEEPEST = 64
#: Values in one document.
MOST = 2_000_000


def loads(text: str | bytes, most: int = MOST, *, any_number: bool = False) -> Any:
    """The document in `text`: numbers finite and at most 64 bits, texts valid Unicode, at most DEEPEST levels and
    `most` values. ValueError, in a few words, for anything else.

    any_number: of files that other programs write (a tokenizer's greatest length has 31 digits), whose numbers stay out
    of our records.

    >>> loads('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> loads("[" * 100_000)
    Traceback (most recent call last):
    ...
    ValueError: it is nested deeper than 64 levels
    """
    try:
        document = json.loads(text, parse_constant=None if any_number else _refused)
    except RecursionError:
        raise ValueError(_DEEP) from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except ValueError as error:  # Python makes no whole number of thousands of digits
        raise ValueError(_LONG if "digits" in str(error) else str(error)) from None
    _check(document, most, any_number)
    return document


def _refused(name: str) -> Any:
    raise ValueError(f"it holds {name}, which is no number of JSON")


_LONG = "it holds a whole number of more than 64 bits"
_DEEP = f"it is nested deeper than {DEEPEST} levels"


def _check(document: Any, most: int, any_number: bool) -> None:
    """Level by level, so that no depth can exhaust the stack."""
    level, seen = [document], 0
    for _ in range(DEEPEST):
        seen += len(level)
        if seen > most:
            raise ValueError(f"it holds more than {most:,} values")
        deeper: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                _check_texts(value)
                deeper.extend(value.values())
            elif isinstance(value, list):
                deeper.extend(value)
            elif isinstance(value, str) or not any_number:
                _check_one(value)
        if not deeper:
            return
        level = deeper
    raise ValueError(_DEEP)


def _check_texts(names: dict[str, Any]) -> None:
    for name in names:
        _check_one(name)


def _check_one(value: Any) -> None:
    if isinstance(value, str):
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ValueError("it holds half a character (a lone surrogate)") from None
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("it holds a number too large to be stored")
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError(_LONG)
