"""Tables of one's own, record by record: CSV, TSV, JSON Lines, a JSON list or object, Parquet.

Whatever cannot be read as a table stops with the file, the place and what to do; a row that does not fit the header is
a Malformed in its place.
"""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from backend import parquet_in
from backend.benchmarks.reading import packed
from backend.benchmarks.reading.delimited import BrokenRowError, rows_under
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import json_lines, json_list, json_object, lines
from backend.errors import FlipsideError, UsageError

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
#: Endings of compressed files, and what unpacks them.
PACKED = {".gz": "gunzip", ".zip": "unzip", ".bz2": "bunzip2", ".xz": "unxz", ".zst": "unzstd"}
#: How the columns are told beside a table; never a table itself.
MAPPING_FILE = "mapping.json"
#: What else may lie in a folder of one's own and is no table (`engine.own`).
NO_TABLES = (MAPPING_FILE, "benchmark.json")
_UTF8 = "Save the table as UTF-8 (in a spreadsheet: 'CSV UTF-8'), or as JSON Lines."
_QUOTES = "Write a double quote inside a quoted cell twice, or save the table as JSON Lines."
_ENDS = "Save the table with line feeds (in a spreadsheet: 'CSV UTF-8'), or as JSON Lines."
_BATCH = 1024
#: How files begin that are no text, whatever they are called, and what to do.
_NO_TEXT = {
    b"PK\x03\x04": "is a zip archive, as Excel's files are, not a CSV. Save it as CSV, or unpack it first.",
    b"\x1f\x8b": "is compressed by gzip, not a CSV. Unpack it first.",
    b"PAR1": "is a Parquet file, not a CSV. Rename it to end in .parquet.",
    b"%PDF": "is a PDF, not a CSV. Export the table itself.",
}
#: Columns of a CSV. What each is for is guessed from all names, and a row is a mapping of all of them.
MOST_COLUMNS = 2_000

Record = Mapping[str, Any]
#: A record's place (int: its line; str: its own key or number), and its cells by column.
Entry = tuple[int | str, Record | Malformed]


def is_table(path: Path) -> bool:
    """Whether a file's name is that of a table."""
    return path.suffix.lower() in SUFFIXES and path.name not in NO_TABLES and not path.name.startswith(".")


def refuse_packed(path: Path) -> None:
    """UsageError for a file that has to be unpacked first."""
    if path.suffix.lower() in PACKED:
        raise UsageError(f"{path}: is compressed. Unpack it first ({PACKED[path.suffix.lower()]}).")


def records(path: Path, pictures: bool = True) -> Iterator[Entry]:
    """Every record of a table in file order. pictures: whether those that a Parquet table holds are unpacked; such a
    cell is a `packed.Picture` in any case. UsageError for a file of another kind, FlipsideError for a damaged one."""
    suffix = path.suffix.lower()
    refuse_packed(path)
    if suffix not in SUFFIXES:
        raise UsageError(f"{path}: expected a table, that is a file ending in {', '.join(SUFFIXES)}.")
    if suffix == ".parquet":
        yield from _parquet(path, pictures)
    elif suffix in (".csv", ".tsv"):
        yield from _delimited(path, "\t" if suffix == ".tsv" else None)
    elif suffix == ".json" and _opening(path) == "{":
        yield from json_object(path)
    else:
        yield from json_list(path, once=True) if suffix == ".json" else json_lines(path)


def doubted(path: Path) -> str:
    """What is to be said of cells of a CSV or TSV that may hold rows which a stray quote took, or a text with line
    breaks; "" where there is none. Errors are those of `records`."""
    if path.suffix.lower() not in (".csv", ".tsv") or not _has_quotes(path):
        return ""
    found: list[tuple[int, int]] = []
    for _ in _delimited(path, "\t" if path.suffix.lower() == ".tsv" else None, found):
        pass
    if not found:
        return ""
    first, last = found[0]
    more = f" (and {len(found) - 1:,} more such, the last from line {found[-1][0]})" if len(found) > 1 else ""
    return (
        f"{path.name}: the cell from line {first} to line {last}{more} holds a line break and was read as one text. If "
        "a quote of a text opens it, the rows below it are missing: write that quote twice, in a quoted cell."
    )


def _delimited(path: Path, delimiter: str | None, doubted: list[tuple[int, int]] | None = None) -> Iterator[Entry]:
    """Quotes as RFC 4180 has them. Without a delimiter: the comma, semicolon or tab that the header has most of.
    doubted: as in `rows_under`."""
    head = _head(path)
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FlipsideError(f"{path}: is UTF-16. {_UTF8}")
    for begins, said in _NO_TEXT.items():
        if head.startswith(begins):
            raise FlipsideError(f"{path}: {said}")
    if b"\0" in head:
        raise FlipsideError(f"{path}: holds zero bytes, as UTF-16 does and no text in UTF-8. {_UTF8}")
    if delimiter is None:
        first = next(lines(path, mend=_UTF8), (1, ""))[1]
        delimiter = max(",;\t", key=first.count)
    reader = csv.reader(
        (content for _, content in lines(path, ends=True, mend=_UTF8)), delimiter=delimiter, strict=True
    )
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(path, header)
        yield from rows_under(header, reader, doubted)
    except BrokenRowError as error:
        raise FlipsideError(f"{path}, line {error.line}: {_broken(error)}") from None
    except csv.Error as error:
        raise FlipsideError(f"{path}, line 1: {_broken(error)}") from None


def _broken(error: csv.Error) -> str:
    """What is wrong with a row that cannot be read, and what to do."""
    if "new-line character" in str(error):
        return f"ends in a carriage return alone, as lines of old spreadsheets do. {_ENDS}"
    return f"a cell is broken ({error}). {_QUOTES}"


def _check_header(path: Path, header: list[str]) -> None:
    if not header:
        raise FlipsideError(f"{path}: is empty; expected column names in its first line.")
    if len(header) > MOST_COLUMNS:
        raise FlipsideError(
            f"{path}, line 1: {len(header):,} columns; at most {MOST_COLUMNS:,} are read. A row is an item, a column "
            "one of its parts: is the table turned on its side?"
        )
    if "" in header:
        raise FlipsideError(f"{path}, line 1: column {header.index('') + 1} has no name. Give it one.")
    twice = sorted(name for name, n in Counter(header).items() if n > 1)
    if twice:
        raise FlipsideError(f"{path}, line 1: the column {twice[0]!r} occurs twice. Rename one of them.")


def _parquet(path: Path, pictures: bool) -> Iterator[Entry]:
    place = 0
    columns = packed.picture_columns(path)
    if columns and pictures:
        for number, found in packed.rows(path, columns, look=True):
            yield str(number), found
        return
    try:
        seen = parquet_in.look([(path, parquet_in.PICTURES if columns else parquet_in.TABLE)])[0]
        for batch in parquet_in.batches(path, seen, _BATCH):
            for record in batch.select([name for name in batch.schema.names if name not in columns]).to_pylist():
                place += 1
                yield str(place), dict.fromkeys(columns, packed.Picture("")) | record
    except parquet_in.ParquetError as error:
        raise FlipsideError(f"{path}: {error.reason}. {error.mend or 'Write the file again.'}") from None
    except (pa.ArrowException, OSError) as error:
        said = " ".join(str(error).split())[:120]
        raise FlipsideError(f"{path}: cannot be read as Parquet ({said}). Write the file again.") from None


def _has_quotes(path: Path) -> bool:
    with path.open("rb") as file:
        return any(b'"' in part for part in iter(lambda: file.read(1 << 20), b""))


def _opening(path: Path) -> str:
    return _head(path).removeprefix(b"\xef\xbb\xbf").lstrip()[:1].decode("latin-1")


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError as error:
        raise FlipsideError(
            f"{path}: cannot be read ({error.strerror}). Check that the file is there and yours."
        ) from None
