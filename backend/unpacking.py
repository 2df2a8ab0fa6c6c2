"""Strangers' zips, read as a stream: one ratio cap and one entry limit for all of them, nothing held in memory.

Results bundles, zips of own data and fetched archives all come through here. What an archive says of itself is not
believed: its entries are counted while they are listed, and its content while it is written.
"""

import hashlib
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from backend.errors import FlipsideError

#: Pictures and Parquet hardly shrink: what unpacks to more than this many times its size, and to more than AT_LEAST
#: bytes, is no honest archive.
MOST_TIMES: Final = 20
AT_LEAST: Final = 64 << 20
#: Entries of an archive at most.
MOST_ENTRIES: Final = 200_000
#: Bytes of a JSON document in an archive at most: parsed, it takes some twenty times as much memory.
MOST_JSON: Final = 8 << 20
#: What the readers of zips and tars raise for a damaged one; OSError may also be this machine's disk.
DAMAGED: Final = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError,
    ValueError,
)  # fmt: skip
_BLOCK: Final = 1 << 20


class ArchiveError(FlipsideError):
    """What is wrong with an archive, without its name."""


class Budget:
    """How many bytes an archive may still unpack to."""

    def __init__(self, packed: int) -> None:
        self.most = self.left = max(AT_LEAST, MOST_TIMES * packed)

    def take(self, n: int) -> None:
        """Bytes that are about to be written; ArchiveError where they are too many."""
        self.left -= n
        if self.left < 0:
            raise ArchiveError(f"unpacks to more than {self.most:,} bytes, which no honest archive of its size does")


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip. ArchiveError for too many entries; whatever is in DAMAGED, and OSError, for no zip."""
    with _Zip(path) as archive:
        yield archive


class _Few(list[zipfile.ZipInfo]):
    """The entries of a zip while its directory is read; the number that it gives of them need not be true."""

    def append(self, entry: zipfile.ZipInfo) -> None:
        if len(self) >= MOST_ENTRIES:
            raise ArchiveError(f"has more than {MOST_ENTRIES:,} entries")
        super().append(entry)


class _Zip(zipfile.ZipFile):
    """A zip that is refused while its directory is read, before millions of entries are in memory."""

    @property
    def filelist(self) -> list[zipfile.ZipInfo]:
        return self._few

    @filelist.setter
    def filelist(self, entries: list[zipfile.ZipInfo]) -> None:
        self._few = _Few(entries)


def copy(source: IO[bytes], out: IO[bytes], budget: Budget, most: int) -> str:
    """Copy an entry of at most `most` bytes, block by block; the sha256 of what was written. ArchiveError for more."""
    digest, done = hashlib.sha256(), 0
    while block := source.read(_BLOCK):
        done += len(block)
        if done > most:
            raise ArchiveError("unpacks to more than it says")
        budget.take(len(block))
        digest.update(block)
        out.write(block)
    return digest.hexdigest()


def document(archive: zipfile.ZipFile, name: str) -> bytes:
    """A JSON document of an archive, whole; KeyError where it is not there, ArchiveError where it is too long."""
    with archive.open(name) as entry:
        data = entry.read(MOST_JSON + 1)
    if len(data) > MOST_JSON:
        raise ArchiveError(f"{name} is longer than {MOST_JSON >> 20} MB, as no honest one is")
    return data


def free_bytes(folder: Path) -> int:
    """What the disk of a folder still takes from this user."""
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize
