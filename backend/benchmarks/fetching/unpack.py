"""An archive into a folder of its own beside it: no links, nothing outside it, no more than is plausible."""

import os
import shutil
import stat
import tarfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO

from backend import unpacking
from backend.benchmarks.fetching.trouble import FileError, FullDiskError
from backend.unpacking import ArchiveError, Budget

SUFFIXES = (".tar.gz", ".tgz", ".tar", ".zip")
#: Bytes that stay free on the disk, and between how many files it is asked.
ROOM = 64 << 20
_ASKED = 64

#: A regular file of the archive: its name, its declared bytes, and how to read it.
Entry = tuple[str, int, Callable[[], IO[bytes] | None]]


def is_archive(path: str) -> bool:
    """Whether the name is an archive's."""
    return path.endswith(SUFFIXES)


def unpacked_name(archive: Path) -> Path:
    """The folder that the archive is unpacked to: its own name without the suffix."""
    suffix = next(suffix for suffix in SUFFIXES if archive.name.endswith(suffix))
    return archive.with_name(archive.name.removesuffix(suffix))


def unpack(archive: Path) -> Path:
    """Unpack and return the folder, which is either wholly there or not there.

    FileError, and no folder, where the folder exists already or the archive is damaged, holds a link or a name that
    leads out of it, the same name twice, or more entries or bytes than `backend.unpacking` allows.
    """
    folder = unpacked_name(archive)
    if os.path.lexists(folder):
        raise FileError(f"{folder} is there already and stays as it is; move it away to unpack {archive.name} anew")
    aside = archive.with_name(f".unpacking-{archive.name}")
    shutil.rmtree(aside, ignore_errors=True)  # a killed process's; the folder's lock is held
    try:
        aside.mkdir()
        _write_all(archive, aside, Budget(archive.stat().st_size))
        aside.rename(folder)
    except ArchiveError as error:
        raise FileError(f"{archive}: {error}") from None
    except unpacking.DAMAGED as error:
        said = str(error) or type(error).__name__
        raise FileError(f"{archive}: is damaged or of an unknown kind ({said}); delete it and fetch it again") from None
    except OSError as error:
        raise FileError(f"{archive}: cannot be unpacked ({error.strerror or error})") from None
    finally:
        with suppress(OSError):
            shutil.rmtree(aside)
    return folder


def _write_all(archive: Path, aside: Path, budget: Budget) -> None:
    made: set[Path] = set()
    free = 0
    for number, (name, size, opened) in enumerate(_entries(archive)):
        if number >= unpacking.MOST_ENTRIES:
            raise ArchiveError(f"has more than {unpacking.MOST_ENTRIES:,} entries")
        if size > budget.left:
            budget.take(size)  # says so before anything of it is written
        if number % _ASKED == 0 or size + ROOM > free:
            free = unpacking.free_bytes(aside)
        free -= size
        if free < ROOM:
            raise FullDiskError(f"{aside.parent}: {name} of {archive.name} needs {size:,} more bytes; make room")
        target = aside / _inside(archive, name)
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        source = opened()
        if source is None:
            raise FileError(f"{archive}: {name!r} cannot be read")
        try:
            with source, target.open("xb") as out:
                unpacking.copy(source, out, budget, size)
        except FileExistsError:
            raise FileError(f"{archive}: holds {name!r} twice") from None


def _inside(archive: Path, name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name or not path.parts:
        raise FileError(f"{archive}: holds {name[:200]!r}, a name that leads out of its folder; nothing was unpacked")
    return path


def _entries(archive: Path) -> Iterator[Entry]:
    return _zip_entries(archive) if archive.name.endswith(".zip") else _tar_entries(archive)


def _zip_entries(archive: Path) -> Iterator[Entry]:
    with unpacking.opened(archive) as opened:
        for info in opened.infolist():
            mode = info.external_attr >> 16
            if mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) and stat.S_IFMT(mode):
                raise FileError(f"{archive}: {info.filename!r} is a link or a device; nothing was unpacked")
            _inside(archive, info.filename)
            if not info.is_dir():
                yield info.filename, info.file_size, lambda info=info: opened.open(info)  # type: ignore[misc]


def _tar_entries(archive: Path) -> Iterator[Entry]:
    with tarfile.open(archive, "r:*") as opened:
        for member in opened:
            if not (member.isreg() or member.isdir()):
                raise FileError(f"{archive}: {member.name!r} is a link or a device; nothing was unpacked")
            if member.isdir() and PurePosixPath(member.name).parts == ():
                continue  # "./" itself
            _inside(archive, member.name)
            if member.isreg():
                yield member.name, member.size, lambda member=member: opened.extractfile(member)  # type: ignore[misc]
