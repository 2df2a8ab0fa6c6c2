"""Is this the file? By its checksum, else by its size and by what is in it."""

import gzip
import hashlib
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import ijson

from backend.benchmarks.fetching.outcome import Verified
from backend.benchmarks.fetching.table import SourceFile
from backend.benchmarks.fetching.trouble import FileError
from backend.benchmarks.reading.nesting import Shallow, UnboundedError

UNKNOWN = "no checksum is known: verified by size and by reading it through; its sha256 is in the receipt"
PAGE = (b"<!doctype html", b"<html")


@dataclass(frozen=True, slots=True)
class Sums:
    """What a file is: its bytes and both checksums in lower-case hex."""

    size: int
    sha256: str
    md5: str


def sums(path: Path) -> Sums:
    """Read the file once, in blocks."""
    sha256, md5, size = hashlib.sha256(), hashlib.md5(usedforsecurity=False), 0
    with path.open("rb") as source:
        while block := source.read(1 << 20):
            sha256.update(block)
            md5.update(block)
            size += len(block)
    return Sums(size, sha256.hexdigest(), md5.hexdigest())


def difference(file: SourceFile, found: Sums) -> str:
    """In words, how a file differs from what the table knows of it; empty where it does not."""
    if file.size is not None and found.size != file.size:
        return f"it has {found.size:,} bytes, expected {file.size:,}"
    if file.sha256 and found.sha256 != file.sha256:
        return f"its sha256 is {found.sha256}, expected {file.sha256}"
    if file.md5 and found.md5 != file.md5:
        return f"its md5 is {found.md5}, expected {file.md5}"
    return ""


def how(file: SourceFile, found: Sums, announced: int | None) -> Verified:
    """What an undifferent file was verified by. announced: bytes that its server promised, None where it did not."""
    if file.sha256:
        return "sha256"
    if file.md5:
        return "md5"
    return "size" if found.size in (file.size, announced) else "none"


def read_through(path: Path, file: SourceFile) -> None:
    """FileError where a file without a checksum is not even of its kind: cut off, or a web page.

    JSON and archives are read to their end, in little memory; an archive's own check sums with it.
    """
    if path.stat().st_size == 0:
        raise FileError(f"nothing came for {file.path}: it is empty")
    with path.open("rb") as source:
        head = source.read(512).lstrip().lower()
    if head.startswith(PAGE):
        raise FileError(
            f"{file.url.partition('?')[0]}: a web page came instead of {file.path}; open the address in a browser"
        )
    if file.path.endswith(".json"):
        try:
            with path.open("rb") as source:
                for _ in ijson.basic_parse(Shallow(source), use_float=True):
                    pass
        except (ijson.JSONError, UnicodeDecodeError, UnboundedError) as error:
            raise FileError(f"what came for {file.path} is not whole JSON ({error})") from None
    elif file.path.endswith((".zip", ".gz", ".tgz")):
        try:
            damaged = _damaged_entry(path) if file.path.endswith(".zip") else _damaged_stream(path)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            damaged = str(error)
        if damaged:
            raise FileError(f"what came for {file.path} is no whole archive ({damaged})")


def _damaged_entry(path: Path) -> str | None:
    with zipfile.ZipFile(path) as archive:
        return archive.testzip()


def _damaged_stream(path: Path) -> str | None:
    with gzip.open(path) as stream:
        while stream.read(1 << 20):
            pass
    return None
