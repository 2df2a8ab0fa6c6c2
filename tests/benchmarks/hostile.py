"""A faithful sample's files made hostile, one fault at a time; and what has to hold for whatever is made of them."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.benchmarks import load_benchmark
from backend.errors import FlipsideError
from backend.items import Item, Protocol, Skipped
from backend.paths import cache_dir

TEXT = (".json", ".jsonl", ".csv", ".tsv", ".txt")
BINARY = (".parquet", ".npy")
MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Imported:
    """What became of an import: its entries, or the one sentence with which it ended."""

    items: tuple[Item, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    error: str = ""

    @property
    def canonical(self) -> list[str]:
        return [item.canonical() for item in self.items]


def imported(name: str, folder: Path) -> Imported:
    """Read everything. Only the house's own errors are caught: any other is a fault, whatever the file holds."""
    try:
        entries = list(load_benchmark(name, folder).open_items())
    except FlipsideError as error:
        return Imported(error=str(error))
    items = tuple(entry for entry in entries if isinstance(entry, Item))
    return Imported(items, tuple(entry for entry in entries if isinstance(entry, Skipped)))


def check(found: Imported, folder: Path, file: str = "") -> None:
    """What holds for every import: a sentence that names the file, or sound items and a reason for all that is none."""
    if found.error:
        assert "\n" not in found.error
        assert "Traceback" not in found.error
        assert len(found.error) < 1500
        assert file.rpartition("/")[2] in found.error or str(folder) in found.error
        return
    assert len({item.item_id for item in found.items}) == len(found.items)
    for item in found.items:
        assert item.texts or item.protocol is Protocol.RETRIEVAL  # a distractor
        for text in item.texts:
            assert isinstance(text, str)
            assert text.strip()
            text.encode()
            assert len(text) <= 100_000
        for image, text in item.truth:
            assert 0 <= text < len(item.texts)
            assert 0 <= image < max(1, len(item.images))
        for image in item.images:
            image.key.encode()
            if image.uri and not image.uri.startswith("world:"):  # drawn from its code, in which no file has a part
                path = Path(image.uri.rpartition(":")[2])
                assert path.is_file()
                # Pictures inside a Parquet file are unpacked into the cache.
                assert path.resolve().is_relative_to(folder.resolve()) or path.is_relative_to(cache_dir() / "images")
    for entry in found.skipped:
        assert entry.reason.strip()
        assert len(entry.reason) <= 301
        assert f"{entry.reason}{entry.item}{entry.file}".isprintable()
        assert (entry.line is None) != (entry.item is None)


def whole_files(content: bytes, suffix: str) -> Iterator[tuple[str, bytes]]:
    """Faults of a file as a whole, none of which leaves a file of the benchmark."""
    yield "empty", b""
    yield "blanks", b" \n\t\n"
    yield "a web page", b"<!DOCTYPE html>\n<html><body>Sign in</body></html>\n"
    yield "zeros", bytes(5000)
    yield "noise", bytes((n * 7919 + n // 251) % 256 for n in range(5000))
    if suffix in TEXT:
        yield "utf-16", content.decode("utf-8-sig").encode("utf-16")
        yield "utf-32", content.decode("utf-8-sig").encode("utf-32")
    if suffix in (".json", ".jsonl"):
        for other in (
            b"null",
            b"3",
            b'"text"',
            b"true",
            b"[]",
            b"{}",
            b"[null]",
            b'{"a": null}',
            b"[[]]",
            b'[{"a": 1}]',
        ):
            yield other.decode(), other
        yield "nested lists", b"[" * 100_000
        yield "nested objects", b'{"a":' * 100_000
        yield "a list below", b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}"
        yield "a huge number", b'{"a": ' + b"9" * 10_000 + b"}"
        yield "a huge exponent", b'[{"a": 1e999999}]'
        yield "not a number", b'[{"a": NaN}]'


def cuts(content: bytes) -> Iterator[tuple[str, bytes]]:
    """A file that ends too early."""
    for share in (0.1, 0.35, 0.6, 0.85, 0.97):
        yield f"cut at {share:.0%}", content[: int(len(content) * share)]


def harmless(content: bytes, suffix: str) -> Iterator[tuple[str, bytes]]:
    """What editors and other systems do to a file that stays the same file."""
    plain = content.removeprefix(MARK)
    yield "a byte-order mark", MARK + plain
    if suffix == ".json":
        spaced = json.dumps(json.loads(plain), indent=1, ensure_ascii=False)
        yield "indented, CRLF", spaced.replace("\n", "\r\n").encode()
        yield "escaped", json.dumps(json.loads(plain)).encode()
        yield "blanks around", b"\r\n \t" + plain + b"\n\n\n"
    elif suffix in TEXT:
        unix = plain.replace(b"\r\n", b"\n")
        yield "CRLF", unix.replace(b"\n", b"\r\n")
        yield "LF", unix
        yield "no last line end", unix.rstrip(b"\n")
        yield "a last line end", unix.rstrip(b"\n") + b"\n"


#: What a field of a record may hold instead of what it should.
VALUES: Mapping[str, Any] = {
    "nothing": None,
    "empty": "",
    "blank": " \t\n",
    "a number": 3,
    "a negative number": -1,
    "half a number": 0.5,
    "a huge number": 10**400,
    "true": True,
    "an empty list": [],
    "an empty object": {},
    "a list of nothing": [None],
    "a list of lists": [[[]]],
    "an object": {"a": {"b": []}},
    "too long": "x" * 200_000,
    "half a character": "\ud83d",
    "a zero byte": "a\0b.jpg",
    "a path out": "../outside.jpg",
    "a longer path out": "images/../../outside.jpg",
    "an absolute path": "{outside}",
    "a path of another system": "..\\outside.jpg",
    "a drive": "C:\\outside.jpg",
    "an address": "https://example.org/outside.jpg",
    "another scheme": "world:0",
    "a file scheme": "file://{outside}",
    "quotes": "say \"a\", 'b'",
    "a formula": "=1+1",
    "a control character": "a\x07b\x1b[31m",
    "right to left": "\u202egpj.1",
    "a very long name": "a" * 5000 + ".jpg",
    "a lone dot": ".",
    "two dots": "..",
    "a slash": "/",
}

#: Those that stand for the others where time is short.
SOME = (
    "nothing",
    "blank",
    "a number",
    "an empty list",
    "too long",
    "half a character",
    "a longer path out",
    "an absolute path",
)

Path_ = tuple[Any, ...]


def leaves(value: Any, at: Path_ = (), depth: int = 4) -> Iterator[Path_]:
    """Places of the first record of each list, and of all fields of an object."""
    if isinstance(value, dict) and depth:
        keys = list(value)
        # An object of records has many keys of one kind: its first ones stand for all.
        for key in keys if at or len(keys) <= 6 else keys[:2]:
            yield (*at, key)
            yield from leaves(value[key], (*at, key), depth - 1)
    elif isinstance(value, list) and value and depth:
        yield (*at, 0)
        yield from leaves(value[0], (*at, 0), depth - 1)


def replaced(document: Any, at: Path_, make: Callable[[Any, Any], None]) -> Any:
    """A copy of the document in which `make(container, key)` has changed one place."""
    copy = json.loads(json.dumps(document))
    container = copy
    for key in at[:-1]:
        container = container[key]
    make(container, at[-1])
    return copy


def dropped(container: Any, key: Any) -> None:
    del container[key]


def cell_faults(content: bytes, delimiter: str, values: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Each cell of the first row below the header with something else in it, unquoted as the file has it."""
    first, *_ = content.split(b"\n", 1)
    ending = b"\r\n" if first.endswith(b"\r") else b"\n"
    rows = content.split(ending)
    if len(rows) < 2:
        return
    cells = rows[1].decode().split(delimiter)
    for place in range(min(len(cells), 10)):
        for name, value in values.items():
            if not isinstance(value, str) or "\n" in value or name == "half a character":
                continue
            changed = [*cells[:place], value, *cells[place + 1 :]]
            yield f"cell {place + 1}: {name}", ending.join([rows[0], delimiter.join(changed).encode(), *rows[2:]])
    yield "a row too short", ending.join([rows[0], cells[0].encode(), *rows[2:]])
    yield "a row too long", ending.join([rows[0], rows[1] + delimiter.encode() + b"more", *rows[2:]])
    yield "a blank row", ending.join([rows[0], b"", *rows[1:]])
    yield "an open quote", ending.join([rows[0], b'"' + rows[1], *rows[2:]])
    yield "the header twice", ending.join([rows[0], rows[0], *rows[1:]])
    yield "no header", ending.join(rows[1:])
    yield "a row twice", ending.join([rows[0], rows[1], *rows[1:]])


def copied(sample: Path, to: Path) -> Path:
    """A copy of the sample; pictures are linked, for nothing writes to them."""
    shutil.copytree(sample, to, copy_function=_linked)
    return to


def _linked(source: str, target: str) -> None:
    if Path(source).suffix in (*TEXT, *BINARY):
        shutil.copy(source, target)
    else:
        Path(target).hardlink_to(source)
