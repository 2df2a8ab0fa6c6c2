"""The cells of a record: texts, lists of texts in whatever way a table holds them, and words for tags."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from backend import taxonomy
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import checked

#: What a spreadsheet writes where a formula stood, or instead of one that failed.
_FORMULA = re.compile(r"=\s*(?:[A-Z][A-Z0-9.]*\s*\(|\$?[A-Z]{1,3}\$?\d)|#(?:REF!|NAME\?|VALUE!|DIV/0!|N/A|NUM!|NULL!)$")
_JOINED = "|"

Record = Mapping[str, Any]


def word(record: Record, name: str) -> str:
    """A cell as one word or number, without blanks around it; "" where there is none."""
    value = record.get(name) if name else None
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, str | int | float):
        raise Malformed(f"'{name}' is {_shown(value)}, expected a word or a number")
    return checked(str(value).strip(), name)


def one(value: Any, name: str) -> str:
    """A cell as one text, as it stands. Malformed where it is blank, no text, or a formula."""
    if value is None or (isinstance(value, str) and not value.strip()):
        raise Malformed(f"'{name}' is blank")
    if isinstance(value, list) and len(value) == 1:
        value = value[0]  # lists of captions often hold one
    if not isinstance(value, str) or not value.strip():
        raise Malformed(f"'{name}' is {_shown(value)}, expected a text")
    if _FORMULA.match(value):
        raise Malformed(
            f"'{name}' is {value[:40]!r}, a spreadsheet's formula or its error; save the sheet with values instead"
        )
    return checked(value, name)


def several(record: Record, names: Sequence[str]) -> list[str]:
    """The texts of some columns, of which each may hold a list; where there are several, blank ones fall away."""
    found: list[str] = []
    for name in names:
        value = listed(record.get(name))
        if isinstance(value, list):
            found += [one(each, name) for each in value]
        elif len(names) == 1 or not (value is None or (isinstance(value, str) and not value.strip())):
            found.append(one(value, name))
    if not found:
        raise Malformed(f"{', '.join(repr(name) for name in names)}: blank")
    return found


def listed(value: Any) -> Any:
    """The list that a cell's text writes out, as JSON or as Python does; anything else as it is."""
    if not (isinstance(value, str) and value.lstrip()[:1] == "[" and value.rstrip()[-1:] == "]"):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, list) and all(isinstance(each, str) for each in found):
            return found
    return value


def terms(record: Record, name: str) -> tuple[str, ...]:
    """The words of a tag's cell, parted by `|` where there are several; the common word where it is one of ours."""
    value = listed(record.get(name)) if name else None
    words = value if isinstance(value, list) else str(value or "").split(_JOINED)
    return tuple(dict.fromkeys(_common(checked(str(each).strip(), name)) for each in words if str(each).strip()))


def _common(said: str) -> str:
    lower = said.lower().replace("color", "colour").replace(" ", "_")
    return lower if lower in taxonomy.CONCEPTS or lower in taxonomy.PERTURBATIONS else said


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:60]
