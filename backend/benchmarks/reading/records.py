"""Reading other people's files, one record at a time: JSON, JSON Lines and CSV, whatever their size.

A file that cannot be read as what it should be stops the import with the file and the place (FlipsideError). A record
that is not what it should be is skipped with its line or id and the reason; the others are read.
"""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import ijson

from backend.benchmarks.reading.delimited import BrokenRowError, rows_under
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.nesting import Shallow, UnboundedError
from backend.errors import FlipsideError
from backend.items import Item, Skipped

#: Longer lines and texts than these are in no caption file; they would only fill the memory.
LONGEST_LINE = 16 << 20
LONGEST_TEXT = 100_000
#: A broken JSON file up to this size is searched for the place.
SEARCHED = 256 << 20

Record = Mapping[str, Any]

# A cell may be as long as its line: lists of hard negatives are.
csv.field_size_limit(LONGEST_LINE)


def each(
    file: str, records: Iterator[tuple[int | str, Any]], make: Callable[[int | str, Any], Item]
) -> Iterator[Item | Skipped]:
    """The item of each record, or why it has none. file: as it is named in the report. A record is known by its number
    in the file (int: its line) or its own key (str)."""
    for key, record in records:
        if isinstance(record, Malformed):
            yield skipped(file, key, str(record))
            continue
        try:
            yield make(key, record)
        except Malformed as reason:
            yield skipped(file, key, str(reason))


def skipped(file: str, key: int | str, reason: str) -> Skipped:
    """A skipped record by its line (int) or its own key (str)."""
    return Skipped(file, reason, line=key) if isinstance(key, int) else Skipped(file, reason, item=key)


def text(record: Any, field: str) -> str:
    """A text of a record, as it stands. Malformed where it is missing, blank, no text, or too long to be one."""
    value = _value(record, field)
    if not isinstance(value, str):
        raise Malformed(f"'{field}' is {_kind(value)}, expected a text")
    if not value.strip():
        raise Malformed(f"'{field}' is blank")
    return checked(value, field)


def checked(value: str, field: str) -> str:
    """The text itself; Malformed where it is longer than any caption, or holds half a character."""
    if len(value) > LONGEST_TEXT:
        raise Malformed(f"'{field}' has {len(value):,} characters, more than any caption")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Malformed(f"'{field}' holds half a character (a lone surrogate)") from None
    return value


def number(record: Any, field: str) -> int:
    """A whole number of a record; a decimal string counts. Malformed otherwise."""
    value = _value(record, field)
    if isinstance(value, str) and value.strip().removeprefix("-").isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Malformed(f"'{field}' is {_kind(value)}, expected a whole number")
    return value


def texts(record: Any, field: str) -> list[str]:
    """A list of texts of a record, none blank. Malformed otherwise."""
    values = _value(record, field)
    if not isinstance(values, list) or not values:
        raise Malformed(f"'{field}' is {_kind(values)}, expected a list of texts")
    for position, value in enumerate(values):
        if not isinstance(value, str) or not value.strip():
            raise Malformed(f"'{field}', entry {position + 1}, is {_kind(value)}, expected a text")
        checked(value, field)
    return values


def _value(record: Any, field: str) -> Any:
    if not isinstance(record, Mapping):
        raise Malformed(f"is {_kind(record)}, expected an object with '{field}'")
    if record.get(field) is None:
        raise Malformed(f"has no '{field}'")
    return record[field]


def _kind(value: Any) -> str:
    names = {
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    if value is None:
        return "nothing"
    if isinstance(value, str | list | dict) and not value:
        return "empty"
    return names.get(type(value), type(value).__name__)


class _Once(dict[str, Any]):
    """An object that knows which of its keys stood twice: JSON does not say which value counts."""

    twice: str | None = None

    def __setitem__(self, key: str, value: Any) -> None:
        if key in self:
            self.twice = key
        super().__setitem__(key, value)


def _once(record: Any) -> Any:
    """The record itself; a Malformed where one of its keys stands twice."""
    if isinstance(record, _Once) and record.twice is not None:
        return Malformed(f"has the key '{record.twice[:60]}' twice, and which value counts is not known")
    return record


def json_object(path: Path) -> Iterator[tuple[str, Any]]:
    """(key, value) of a file that is one JSON object, in file order, one after the other."""
    with _json(path, "{", "an object (key: record)") as file:
        yield from ijson.kvitems(file, "", use_float=True)


def json_list(path: Path, prefix: str = "", once: bool = False) -> Iterator[tuple[str, Any]]:
    """("1", record), ("2", record), … of a file that is one JSON list; with a prefix ("images"), of the list there.
    once: a record in which a key stands twice is a Malformed in its place."""
    with _json(path, "{" if prefix else "[", "an object" if prefix else "a list of records") as file:
        entries = ijson.items(
            file, f"{prefix}.item" if prefix else "item", use_float=True, map_type=_Once if once else dict
        )
        yield from ((str(place), _once(entry)) for place, entry in enumerate(entries, start=1))


def first_character(path: Path) -> str:
    """The first character of a file that is no blank: "[" of a JSON list, "{" of an object; "" of an empty file."""
    with _opened(path) as file:
        return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1].decode("latin-1")


def records_in_lists(path: Path, fields: frozenset[str] = frozenset()) -> Iterator[Any]:
    """Every object that stands in a list, in file order, of a file that is one JSON object, however deep its lists lie
    ({video: {subject: [record, …]}}). One record at a time is built.

    fields: an object with one of them is a record wherever it stands ({id: record}). Texts, numbers and null that are
    in no record are given as they stand, so that whoever reads them can name them.
    """
    with _json(path, "{", "an object that holds lists of records") as file:
        builder, depth = ijson.ObjectBuilder(), 0
        above = [""]  # of each open object or list, how it was opened
        loose: list[list[tuple[str, Any]]] = [[]]  # of each, what it holds that is neither list nor object
        key = ""
        for event, value in ijson.basic_parse(file, use_float=True):
            if not depth and event == "map_key" and value in fields:
                builder.event("start_map", None)
                for name, scalar in loose.pop():
                    builder.event("map_key", name)
                    builder.event("string", scalar)  # the event's name alone tells the builder that it is no container
                above.pop()
                depth = 1
            if depth or (event == "start_map" and above[-1] == "start_array"):
                builder.event(event, value)
                depth += event.startswith("start")
                depth -= event.startswith("end")
                if not depth:
                    yield builder.value
                    builder = ijson.ObjectBuilder()
            elif event == "map_key":
                key = value
            elif event.startswith("start"):
                above.append(event)
                loose.append([])
            elif event.startswith("end"):
                above.pop()
                yield from (scalar for _, scalar in loose.pop())
            else:
                loose[-1].append((key, value))


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """(line, record) of a JSON Lines file; a line that is no JSON is a Malformed in the record's place."""
    for line, content in lines(path):
        if content.strip():
            if _holds_half(content):
                yield line, Malformed("holds half a character (a lone surrogate)")
                continue
            try:
                file = Shallow(io.BytesIO(content.encode()))
                yield line, _once(next(iter(ijson.items(file, "", use_float=True, map_type=_Once))))
            except (ijson.JSONError, StopIteration, ValueError) as error:  # ValueError: too deep, or a huge number
                yield line, Malformed(_no_number(content) or f"is no JSON ({_first(error)})")


#: An escape of JSON: the upper half of a character with its lower one, where that follows; a lower one alone; another.
_ESCAPE = re.compile(
    r"\\(?:u(?P<upper>d[89ab][0-9a-f]{2})(?P<pair>\\ud[c-f][0-9a-f]{2})?|u(?P<lower>d[c-f][0-9a-f]{2})|.)",
    re.IGNORECASE | re.DOTALL,
)


def _holds_half(content: str) -> bool:
    r"""Whether a JSON text escapes half a character, for which the streaming parser would put a question mark.

    >>> _holds_half(r'"a \ud83d b"'), _holds_half(r'"\ud83d\ude00"'), _holds_half(r'"\\ud83d"')
    (True, False, False)
    """
    if "\\ud" not in content.lower():
        return False
    found = _ESCAPE.finditer(content)
    return any(each["lower"] or (each["upper"] and not each["pair"]) for each in found)


def csv_rows(path: Path, needed: Sequence[str] = (), delimiter: str = ",") -> Iterator[tuple[int, Any]]:
    """(line where the row begins, {column: cell}) below the header; a row of another length is a Malformed there.

    needed: columns that the header must have. Quotes are read as RFC 4180 has them.
    """
    reader = csv.reader((content for _, content in lines(path, ends=True)), delimiter=delimiter, strict=True)
    try:
        header = next(reader, None)
        if header is None:
            raise FlipsideError(f"{path} is empty; expected a header with {_list(needed) or 'column names'}.")
        missing = [name for name in needed if name not in header]
        if missing:
            raise FlipsideError(
                f"{path}, line 1: no column {_list(missing)}; the header has {_list(header[:20])}. Use the "
                "original file."
            )
        repeated = sorted({name for name in header if header.count(name) > 1})
        if repeated:
            raise FlipsideError(f"{path}, line 1: column {_list(repeated)} occurs twice. Rename one of them.")
        yield from rows_under(header, reader)
    except BrokenRowError as error:
        where = f"{path}, line {error.line}"
        raise FlipsideError(f"{where}: is no CSV ({error}). Use the original file, unchanged.") from None
    except csv.Error as error:
        raise FlipsideError(f"{path}, line 1: is no CSV ({error}). Use the original file, unchanged.") from None


def lines(path: Path, ends: bool = False, mend: str = "Use the original file, unchanged.") -> Iterator[tuple[int, str]]:
    """(number, line) of a UTF-8 file, split at line feeds only. A byte-order mark falls away, and line ends, too,
    without `ends`. mend: what to do about a wrong encoding.

    FlipsideError for bytes that are no UTF-8 and for lines of more than 16 MB.
    """
    with _opened(path) as file:
        place = 0
        while raw := file.readline(LONGEST_LINE + 1):
            place += 1
            if len(raw) > LONGEST_LINE:
                raise FlipsideError(
                    f"{path}, line {place}: longer than {LONGEST_LINE >> 20} MB, which no caption file has. Check that "
                    "the file is whole and is not another format."
                )
            try:
                line = raw.decode("utf-8-sig" if place == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise FlipsideError(f"{path}, line {place}: byte {error.start + 1} is not UTF-8. {mend}") from None
            yield place, line if ends else line.removesuffix("\n").removesuffix("\r")


@contextmanager
def _json(path: Path, opening: str, expected: str) -> Iterator[Shallow]:
    with _opened(path) as file:
        start = file.read(4096).removeprefix(b"\xef\xbb\xbf")
        if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise FlipsideError(f"{path}: is UTF-16, not UTF-8. Use the original file, unchanged.")
        first = start.lstrip()[:1].decode("latin-1")
        if first != opening:
            found = {"": "an empty file", "[": "a list", "{": "an object", "<": "a web page, not the file itself"}
            raise FlipsideError(
                f"{path}: expected {expected}, found {found.get(first, 'no JSON')}. Use the original file."
            )
        file.seek(3 if _has_mark(path) else 0)
        try:
            yield Shallow(file)
        except UnboundedError as error:
            raise FlipsideError(f"{path}: {error}, as no benchmark's file. Use the original file, unchanged.") from None
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise FlipsideError(f"{path}{_where(path, error)}") from None


#: What Python's json writes for what JSON has no number for, as a value.
_NO_NUMBER = re.compile(r"[:\[,]\s*(NaN|-?Infinity)\b")


def _no_number(content: str) -> str:
    """What is said of a JSON text whose only fault are NaN and infinities, as Python's json writes them: the first of
    them, with its key where one is told; "" for any other fault."""
    named: list[str] = []

    def noted(name: str) -> float:
        named.append(name)
        return math.nan

    try:
        record = json.loads(content, parse_constant=noted)
    except (ValueError, RecursionError):
        return ""
    if not named:
        return ""
    pairs = record.items() if isinstance(record, dict) else ()
    key = next((key for key, value in pairs if isinstance(value, float) and math.isnan(value)), "")
    of = f"'{key[:60]}' is" if key else "holds"
    return f"{of} {named[0]}, expected a finite number"


def _where(path: Path, error: BaseException) -> str:
    """Where a JSON file breaks, how, and what to do. The streaming parser does not tell, so bearable files are read
    again."""
    mend = "Copy the original file again."
    if path.stat().st_size > SEARCHED:
        return f": is no JSON ({_first(error)}). {mend}"
    raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    try:
        said = _no_number(raw.decode())
        if said and (at := _NO_NUMBER.search(raw.decode())):
            line = raw.decode().count("\n", 0, at.start(1)) + 1
            return f", line {line}: holds {at[1]}, expected a finite number. Write one, or leave that record out."
        json.loads(raw.decode())
    except UnicodeDecodeError as at_byte:
        line = raw.count(b"\n", 0, at_byte.start) + 1
        return f", line {line}: byte {at_byte.start + 1:,} of the file is not UTF-8. {mend}"
    except json.JSONDecodeError as broken:
        cut = broken.pos >= len(broken.doc.rstrip()) or broken.msg.startswith("Unterminated string")
        what = "is cut off" if cut else "is no JSON"
        return f", line {broken.lineno}, column {broken.colno}: {what} ({broken.msg}). {mend}"
    except (ValueError, RecursionError):  # what this parser refuses for its own reasons: numbers of thousands of digits
        pass
    return f": is no JSON ({_first(error)}). {mend}"


def _has_mark(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(3) == b"\xef\xbb\xbf"


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise FlipsideError(
            f"{path}: cannot be read ({error.strerror}). Check that the file is there and yours."
        ) from None


def _first(error: BaseException) -> str:
    return " ".join(str(error).split("\n", maxsplit=1)[0].split())[:120] or type(error).__name__


def _list(names: Sequence[str]) -> str:
    return ", ".join(f"'{name[:60]}{'…' * (len(name) > 60)}'" for name in names)
