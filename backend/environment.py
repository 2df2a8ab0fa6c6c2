"""How the owner's variables (`FLIPSIDE_…`) are read: one way for all of them. What is not set, or is blank, is the
default; a value that cannot be meant ends in one sentence that names the variable, what it says and what was expected.

`check` looks at all of them before any work begins: at each call of the command line, and when the dashboard starts.
Torch, duckdb and the pages stay away: it is read first.
"""

import os
import re
from collections.abc import Callable, Mapping
from typing import Final

from backend.errors import UsageError

_UNITS: Final = {"MB": 10**6, "GB": 10**9}
_SIZE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(MB|GB)", re.IGNORECASE)
#: What DuckDB takes for a size.
_MEMORY: Final = re.compile(r"[0-9]+(?:\.[0-9]+)? ?(?:[kmgt]i?b|bytes?)", re.IGNORECASE)
#: A day: nobody means to wait longer for one thing.
_LONGEST: Final = 86_400.0


def said(name: str) -> str:
    """What a variable says, without blanks around it; "" where it is not set."""
    return os.environ.get(name, "").strip()


def wrong(name: str, value: str, expected: str) -> UsageError:
    """The error of a value that cannot be meant. expected: with an example, as the end of a sentence.

    >>> print(wrong("FLIPSIDE_JOBS", "two", "a whole number from 1, such as 2"))
    FLIPSIDE_JOBS=two: expected a whole number from 1, such as 2.
    """
    return UsageError(f"{name}={value[:120]}: expected {expected}.")


def whole(name: str, default: int, least: int = 0, unit: str = "") -> int:
    """A whole number of at least `least`. unit: in words, for the UsageError."""
    value = said(name)
    if not value:
        return default
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and int(value) >= least):
        raise wrong(name, value, f"a whole number{f' of {unit}' if unit else ''} from {least}, such as {default}")
    return int(value)


def megabytes(name: str, default: int) -> int:
    """Bytes, which the variable says in megabytes of 1024 × 1024 bytes; 0 is none. default: in bytes."""
    return whole(name, default >> 20, unit="megabytes (0 for none)") << 20


def seconds(name: str, default: float) -> float:
    """A number of seconds above 0 and of at most a day."""
    value = said(name)
    if not value:
        return default
    try:
        found = float(value)
    except ValueError:
        found = 0.0
    if not 0 < found <= _LONGEST:
        raise wrong(name, value, f"a number of seconds, such as {default:g}")
    return found


def size(name: str) -> int | None:
    """Bytes of a size such as 4GB; None where it is not set."""
    return bytes_of(value, name) if (value := said(name)) else None


def bytes_of(value: str, name: str) -> int:
    """The bytes of a size as people write it. name: the variable or option that says it, for the UsageError.

    >>> bytes_of("500MB", "FLIPSIDE_LIVE_MEMORY"), bytes_of("1.5 gb", "FLIPSIDE_LIVE_MEMORY")
    (500000000, 1500000000)
    """
    found = _SIZE.fullmatch(value)
    if found is None:
        raise wrong(name, value, "a size such as 500MB or 4GB")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def memory(name: str, default: str) -> str:
    """A size in DuckDB's own words."""
    value = said(name)
    if value and not (_MEMORY.fullmatch(value) and float(re.split("[^0-9.]", value)[0])):
        raise wrong(name, value, f"a size such as 500MB or {default}")
    return value or default


def one_of(name: str, words: tuple[str, ...]) -> str:
    """One of some words, or ""."""
    value = said(name)
    if value and value not in words:
        raise wrong(name, value, f"{' or '.join(words)}, or nothing")
    return value


def switched(name: str, default: bool) -> bool:
    """Whether a variable is 1 (yes) or 0 (no)."""
    value = one_of(name, ("0", "1"))
    return value == "1" if value else default


#: Variable -> how it is read, of all that are read in one of these ways. The others name folders, models, addresses or
#: hosts; whoever reads those says what is wrong with them.
CHECKED: Final[Mapping[str, Callable[[str], object]]] = {
    "FLIPSIDE_DB_MEMORY": lambda name: memory(name, "1GB"),
    "FLIPSIDE_ENDPOINT_TIMEOUT": lambda name: seconds(name, 120.0),
    "FLIPSIDE_FOLLOW_LINKS": lambda name: switched(name, False),
    "FLIPSIDE_JOBS": lambda name: whole(name, 1, 1),
    "FLIPSIDE_JOBS_GRACE": lambda name: seconds(name, 20.0),
    "FLIPSIDE_KEEP_FEATURES": lambda name: megabytes(name, 1 << 30),
    "FLIPSIDE_KEEP_PICTURES": lambda name: megabytes(name, 512 << 20),
    "FLIPSIDE_LEXICON": lambda name: one_of(name, ("table",)),
    "FLIPSIDE_LIVE_MEMORY": size,
    "FLIPSIDE_BACKEND_LIMIT": size,
    "FLIPSIDE_BACKEND_PLAIN": lambda name: switched(name, False),
    "FLIPSIDE_BACKEND_TIMEOUT": lambda name: seconds(name, 120.0),
    "FLIPSIDE_PLUGINS": lambda name: switched(name, True),
    "FLIPSIDE_PROGRESS": lambda name: one_of(name, ("json",)),
}


def check() -> None:
    """Read every variable of CHECKED. UsageError for the first that cannot be meant."""
    for name, read in CHECKED.items():
        read(name)
