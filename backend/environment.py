"""How the owner's variables (`FLIPSIDE_…`) are read: one way for all of them. What is not set, or is blank, is the
default; a value that cannot be meant ends in one sentence that names the variable, what it says and what was expected.

`check` looks at all of them before any work begins: at each call of the command line, and when the dashboard starts.
`doctor` alone goes on, with what is wrong put aside and named in its report.
Torch, duckdb and the pages stay away: it is read first. What it takes to read a variable of another room is imported
where that variable is set.
"""

import contextlib
import difflib
import importlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from backend.errors import UsageError
from backend.paths import unreadable

#: Sizes are written in one way in all variables and options: 500MB, 4GB; what DuckDB takes besides is read, too.
_SIZE: Final = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?) ?(?:([kmgt])(i?)b|bytes?)", re.IGNORECASE)
_POWERS: Final = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_EXAMPLE: Final = "a size such as 500MB or 4GB"
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


def room(name: str, default: int) -> int:
    """Bytes of a size such as 4GB, or 0 for none. A bare whole number is read as it was before there were units: as
    megabytes of 1024 × 1024 bytes. default: in bytes."""
    value = said(name)
    if not value:
        return default
    if value.isascii() and value.isdecimal() and len(value) < 10:
        return int(value) << 20
    if not _SIZE.fullmatch(value):
        raise wrong(name, value, f"{_EXAMPLE}, or 0 for none")
    return bytes_of(value, name)


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


def size(name: str, least: int = 0) -> int | None:
    """Bytes of a size such as 4GB, at least so many (whole megabytes); None where it is not set."""
    value = said(name)
    found = bytes_of(value, name) if value else None
    if found is not None and found < least:
        raise wrong(name, value, f"a size from {least // 10**6}MB, such as 200MB")
    return found


def bytes_of(value: str, name: str) -> int:
    """The bytes of a size as people write it: MB are 1,000 × 1,000 bytes, MiB 1,024 × 1,024. name: the variable or
    option that says it, for the UsageError.

    >>> bytes_of("500MB", "FLIPSIDE_LIVE_MEMORY"), bytes_of("1.5 gb", "FLIPSIDE_LIVE_MEMORY"), bytes_of("2KiB", "")
    (500000000, 1500000000, 2048)
    """
    found = _SIZE.fullmatch(value)
    if found is None:
        raise wrong(name, value, _EXAMPLE)
    return int(float(found[1]) * (1024 if found[3] else 1000) ** _POWERS[(found[2] or "").upper()])


def memory(name: str, default: str) -> str:
    """A size as DuckDB is told it, in the words of the variable; 0 is none that it could work in."""
    value = said(name)
    if value and not bytes_of(value, name):
        raise wrong(name, value, _EXAMPLE)
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


def folders(name: str, several: bool = True) -> None:
    """Folders, separated as in PATH where there may be several. One that is not there yet is none to refuse."""
    value = said(name)
    if "://" in value:
        raise wrong(name, value, "a folder of this machine (an object store goes into FLIPSIDE_STORE)")
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    if value and (value != os.environ.get(name, "") or quoted or set(value) & set("\n\r")):
        raise wrong(name, os.environ.get(name, ""), "a folder without quotes, line breaks or blanks around it")
    for part in value.split(os.pathsep) if several else [value]:
        if not part.strip():
            continue
        try:
            path = Path(part).expanduser()
            taken = next((each for each in (path, *path.parents) if each.exists()), path)
            if taken.is_dir() or not taken.exists():
                continue
        except (OSError, RuntimeError, ValueError):  # too long, nobody's home, a NUL
            raise wrong(name, value, "a folder that there can be") from None
        raise wrong(name, value, f"a folder; {taken} is a file")


def folder_of_databases(name: str) -> None:
    """One folder, in which DuckDB can keep files."""
    folders(name, several=False)
    value = said(name)
    if value and (why := unreadable(Path(value).expanduser())):
        raise wrong(name, value, f"another folder, for the path of this one {why}")


#: The least that a message to a live backend may be allowed: less holds no picture.
LEAST_MESSAGE: Final = 10**6
#: Variable -> how it is read, of all that are read in one of these ways.
CHECKED: Final[Mapping[str, Callable[[str], object]]] = {
    "FLIPSIDE_BACKEND_LIMIT": lambda name: size(name, LEAST_MESSAGE),
    "FLIPSIDE_BACKEND_PLAIN": lambda name: switched(name, False),
    "FLIPSIDE_BACKEND_TIMEOUT": lambda name: seconds(name, 120.0),
    "FLIPSIDE_CACHE": folder_of_databases,
    "FLIPSIDE_DATA": folders,
    "FLIPSIDE_DB_MEMORY": lambda name: memory(name, "1GB"),
    "FLIPSIDE_ENDPOINT_TIMEOUT": lambda name: seconds(name, 120.0),
    "FLIPSIDE_FOLLOW_LINKS": lambda name: switched(name, False),
    "FLIPSIDE_JOBS": lambda name: whole(name, 1, 1),
    "FLIPSIDE_JOBS_GRACE": lambda name: seconds(name, 20.0),
    "FLIPSIDE_KEEP_FEATURES": lambda name: room(name, 1 << 30),
    "FLIPSIDE_KEEP_PICTURES": lambda name: room(name, 512 << 20),
    "FLIPSIDE_LEXICON": lambda name: one_of(name, ("table",)),
    "FLIPSIDE_LIVE_MEMORY": size,
    "FLIPSIDE_MODELS": folders,
    "FLIPSIDE_PLUGINS": lambda name: switched(name, True),
    "FLIPSIDE_PROGRESS": lambda name: one_of(name, ("json",)),
}
#: Variable -> what reads it, of those that name addresses, hosts or models: "module:function", which takes nothing.
ELSEWHERE: Final[Mapping[str, str]] = {
    "FLIPSIDE_BACKEND": "backend.live.remote.address:base",
    "FLIPSIDE_DECODE": "backend.engine.inputs.processes:asked_for",
    "FLIPSIDE_ENDPOINTS": "backend.models.endpoint.address:listed",
    "FLIPSIDE_FRAME_ANCESTORS": "backend.live.hosts:rules",
    "FLIPSIDE_HOSTS": "backend.live.hosts:rules",
    "FLIPSIDE_LIVE_MODELS": "backend.models.own.lists:check",
    "FLIPSIDE_PY_MODELS": "backend.models.own.lists:check",
    "FLIPSIDE_RESULTS": "backend.verbs.fetch_results:set_by_owner",
    "FLIPSIDE_STORE": "backend.engine.storage.away:store_url",
}
#: Those that may say anything, or are set by processes of ours for others.
ANYTHING: Final = ("BACKEND_TOKEN", "ENDPOINT_KEY", "LISTED_ONLY", "TEACH_STORE")
#: Read by tests and scripts alone.
TOOLS: Final = ("CHROMIUM", "COSTS", "GOLDEN", "TEST_PART", "TEST_WORKERS")
_PREFIX: Final = "FLIPSIDE_"
KNOWN: Final = {*CHECKED, *ELSEWHERE, *(_PREFIX + name for name in (*ANYTHING, *TOOLS))}
#: How near a name has to be to one of ours to be asked about (1: the same). One that is a letter away is refused where
#: the longer of the two has at least so many letters: it was meant. Shorter ones (JOB, DATE) may be somebody else's,
_NEAR: Final = 0.75
_LETTERS: Final = 5
#: and so may these, which are words of their own beside HOSTS and COSTS.
_WORDS: Final = ("HOST", "COST")
#: What Kubernetes sets in every container for services called flipside, or flipside-something: NAME=VALUE.
_SERVICE: Final = re.compile(
    r"FLIPSIDE\w*(_SERVICE_HOST=|_SERVICE_PORT(_\w+)?=|_PORT=(tcp|udp)://|_PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?=).*"
)


def check() -> None:
    """Read every variable. UsageError for the first that cannot be meant, or is called as one of ours but for a
    letter."""
    for _, error in _wrong():
        raise error


def _wrong() -> Iterator[tuple[str, UsageError]]:
    """Every variable that cannot be meant, one after the other, with what is to be said of it."""
    for name in _unknown():
        if (near := _nearest(name)) and _a_letter_off(name, near):
            yield name, UsageError(f"{name} is not known; did you mean {near}?")
    for name, read in CHECKED.items():
        try:
            read(name)
        except UsageError as error:
            yield name, error
    for name, place in ELSEWHERE.items():
        if said(name):
            module, function = place.split(":")
            try:
                getattr(importlib.import_module(module), function)()
            except UsageError as error:
                yield name, error


#: Within `wrong_put_aside`: variable -> what is wrong with it.
_ASIDE: Final[dict[str, str]] = {}


@contextlib.contextmanager
def wrong_put_aside() -> Iterator[None]:
    """Within, variables that cannot be meant are as if they were not set, so that all else can be looked at (`doctor`);
    `put_aside` names them."""
    _ASIDE.update({name: str(error) for name, error in _wrong()})
    kept = {name: os.environ.pop(name, "") for name in _ASIDE}
    try:
        yield
    finally:
        os.environ.update(kept)
        _ASIDE.clear()


def put_aside() -> dict[str, str]:
    """Variable -> what is wrong with it, of those that `wrong_put_aside` has put aside."""
    return dict(_ASIDE)


def unread() -> str:
    """What is set and read by nobody, in one sentence; "" where nothing is."""
    names = _unknown()
    if not names:
        return ""
    are, them = ("is", "it") if len(names) == 1 else ("are", "them")
    near = dict.fromkeys(one for name in names if (one := _nearest(name)))
    meant = f" Did you mean {', '.join(near)}?" if near else ""
    return f"{', '.join(names)} {are} not known, and nothing reads {them}.{meant}"


def _unknown() -> list[str]:
    return sorted(
        name
        for name, value in os.environ.items()
        if name.startswith(_PREFIX) and name not in KNOWN and not _SERVICE.match(f"{name}={value}")
    )


def _nearest(name: str) -> str:
    known = [each.removeprefix(_PREFIX) for each in sorted(KNOWN)]
    typed = name.removeprefix(_PREFIX)
    longer = [each for each in known if typed.startswith(f"{each}_")]  # CACHE_DIR
    near = longer[-1:] or difflib.get_close_matches(typed, known, n=1, cutoff=_NEAR)
    return _PREFIX + near[0] if near else ""


def _a_letter_off(name: str, near: str) -> bool:
    """Whether one letter more, less or other, or two that changed places, make one of the other."""
    typed = name.removeprefix(_PREFIX)
    one, other = sorted((typed, near.removeprefix(_PREFIX)), key=len)
    if len(other) < _LETTERS or len(other) - len(one) > 1 or typed in _WORDS:
        return False
    if len(one) < _LETTERS and not typed.isalpha():  # DATA2 is somebody's second folder
        return False
    at = next((k for k in range(len(one)) if one[k] != other[k]), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    return one[at + 1 :] == other[at + 1 :] or (
        one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    )
