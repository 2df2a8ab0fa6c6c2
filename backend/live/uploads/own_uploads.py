"""Uploaded tables and archives of a browser user, laid aside while it is settled which column is what.

They lie under `$FLIPSIDE_CACHE/uploads/tables/<hash of the bytes>/` and are removed a day after they were last used.
"""

import hashlib
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend import locks, paths
from backend.benchmarks.custom import tables
from backend.benchmarks.fetching.trouble import FileError
from backend.benchmarks.fetching.unpack import unpack, unpacked_name
from backend.benchmarks.reading.folder import Folder
from backend.engine.storage import files
from backend.errors import FlipsideError, UsageError
from backend.live.jobs.jobs import plain_name

ARCHIVE: Final = ".zip"
SUFFIXES: Final = (*tables.SUFFIXES, ARCHIVE)
#: Seconds that an upload is kept after its last use.
KEPT: Final = 86_400.0
LOCK: Final = ".lock"


@dataclass(frozen=True)
class Staged:
    """An upload that lies aside. key: 16 hex digits of its bytes; file: the upload itself; tables: those in it;
    images: the folder with an archive's pictures, None for a table alone."""

    key: str
    file: Path
    tables: tuple[Path, ...]
    images: Path | None


def stage(data: bytes, name: str) -> Staged:
    """Lay an upload aside, an archive unpacked. FlipsideError where it is damaged or holds no table."""
    plain = plain_name(name)
    suffix = Path(plain).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"“{plain}” is no table; choose a file ending in {', '.join(SUFFIXES)}.")
    if not data:
        raise UsageError(f"“{plain}” is empty; choose the file again.")
    file = lay_aside(data, plain[: -len(suffix)] + suffix)
    with locks.held(file.parent / LOCK):  # two sessions with the same file
        images = _unpacked(file) if suffix == ARCHIVE else None
    found = (file,) if images is None else _tables(images, plain)
    return Staged(file.parent.name, file, found, images)


def lay_aside(data: bytes, name: str, folder: str = "") -> Path:
    """Where an upload lies as it came, under its own name. folder: one that its reader goes by, as `positive-first`."""
    plain = plain_name(name)
    key = hashlib.sha256(f"{folder}/{plain}".encode() + b"\0" + data).hexdigest()[:16]
    home = _root() / key
    file = home / plain_name(folder) / plain if folder else home / plain
    if not file.is_file():
        files.replace_bytes(file, data)
    (home / LOCK).touch()
    _sweep()
    return file


def _unpacked(file: Path) -> Path:
    folder = unpacked_name(file)
    if folder.is_dir():
        return folder
    try:
        return unpack(file)
    except FileError as error:
        said = str(error).replace(f"{file}: ", "").replace("delete it and fetch it again", "zip the folder anew")
        file.unlink(missing_ok=True)
        raise FlipsideError(f"“{file.name}” {said}.") from None


def _tables(folder: Path, name: str) -> tuple[Path, ...]:
    inside = Folder(folder)
    found = sorted(
        path for suffix in tables.SUFFIXES for path in inside.find_all(f"*{suffix}") if tables.is_table(path)
    )
    if not found:
        raise UsageError(
            f"“{name}” holds no table; expected one ending in {', '.join(tables.SUFFIXES)}, found {inside.listing()}."
        )
    return tuple(found)


def _root() -> Path:
    return paths.cache_dir() / "uploads" / "tables"


def _sweep() -> None:
    """Away with what nobody has used for a day."""
    for folder in _root().iterdir():
        with suppress(OSError):
            if (folder / LOCK).stat().st_mtime < time.time() - KEPT:
                shutil.rmtree(folder)
