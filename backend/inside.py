"""Opening the file of a picture: a regular file, and a stored item's still in the folder that it was imported from.

At import, links that lead out of a data folder are not followed. Files change afterwards: where a picture was, somebody
who may write into that folder can put a link to any file of this machine, a named pipe that never ends, or a device. So
whoever opens a stored item's picture asks again: the file behind all links has to lie in the folders that were named as
the benchmark's data, or where its import found its pictures (`backend.recorded`). What no import has recorded, a path
that Python or the command line names, is opened as it is.
"""

import os
import stat
import threading
from collections.abc import Iterable
from io import BufferedReader
from pathlib import Path
from typing import Final

from backend import environment, paths, recorded
from backend.errors import FlipsideError

#: Set to 1 by an owner whose data folder holds links to other disks; without it such links are left alone and named.
FOLLOW_LINKS: Final = "FLIPSIDE_FOLLOW_LINKS"
#: What is said of such a link, at import and when it is opened.
LEFT: Final = f"a link out of the folder, not followed; set {FOLLOW_LINKS}=1 if it is yours"
#: Opened without waiting for anybody at the other end, and never through a link that was put there a moment ago.
_FLAGS: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_KINDS: Final = (
    (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"),
)  # fmt: skip


def opened(path: str, *, stored: bool) -> BufferedReader:
    """The bytes of a regular file; its `name` is the path behind all links. stored: whether it is an item's picture.

    FileNotFoundError where there is none, OSError where it cannot be read; FlipsideError for what is no regular file,
    and of a stored item's picture for a link out of its folder.
    """
    real = os.path.realpath(path)
    if stored and not is_inside(path, real):
        raise FlipsideError(f"{path}: {LEFT}.")
    _refuse_others(path, Path(real).stat().st_mode)
    file = open(real, "rb", opener=lambda name, flags: os.open(name, flags | _FLAGS))  # noqa: SIM115 - the caller's
    try:
        _refuse_others(path, os.fstat(file.fileno()).st_mode)
    except FlipsideError:
        file.close()
        raise
    return file


def _refuse_others(path: str, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = next((said for is_it, said in _KINDS if is_it(mode)), "no file")
        raise FlipsideError(f"{path}: is {kind}, where a picture was expected. Put the picture's file there.")


def is_inside(path: str, real: str) -> bool:
    """Whether the file behind an item's path lies where its import may have found it; True where none recorded it."""
    allowed = _known().roots(path)
    return not allowed or _has_above(real, allowed) or environment.switched(FOLLOW_LINKS, False)


def _above(path: str) -> Iterable[str]:
    """The folders that a path lies in by its spelling, the nearest first."""
    return map(str, Path(path).parents)


def _has_above(path: str, folders: frozenset[str]) -> bool:
    return any(folder in folders for folder in _above(path))


class _Known:
    """What imports have recorded, by folder. Any thread may ask."""

    def __init__(self, entries: Iterable[recorded.Recorded]) -> None:
        self._by_data: dict[str, list[recorded.Recorded]] = {}
        self._by_pictures: dict[str, list[recorded.Recorded]] = {}
        self._roots: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        for entry in entries:
            for folder in entry.data:
                self._by_data.setdefault(folder, []).append(entry)
            for folder in entry.pictures:
                self._by_pictures.setdefault(folder, []).append(entry)

    def roots(self, path: str) -> frozenset[str]:
        """The folders, links followed, in which the file behind a path may lie; none where no import recorded it."""
        strict, loose = set[str](), set[str]()
        for above in _above(path):
            for entry in self._by_data.get(above, ()):
                strict |= self._of(entry)[0]
            for entry in self._by_pictures.get(above, ()):
                # An edition knows its parent's pictures by their folders alone: the parent's own import says more.
                strict.update(entry.links)
                loose |= self._of(entry)[1] if not entry.links else set()
        return frozenset(strict or loose)

    def _of(self, entry: recorded.Recorded) -> tuple[frozenset[str], frozenset[str]]:
        if (found := self._roots.get(entry.hash)) is None:
            data = frozenset([*map(os.path.realpath, entry.data), *entry.links])
            found = self._roots[entry.hash] = (data, frozenset(map(os.path.realpath, entry.pictures)))
        return found


_lock = threading.Lock()
_last: tuple[tuple[str, int], _Known] | None = None


def _known() -> _Known:
    """What is recorded in the cache, read again where an import has written since: each renames a file into place."""
    global _last
    root = paths.cache_dir()
    try:
        state = str(root), (root / recorded.FOLDER).stat().st_mtime_ns
    except OSError:
        state = str(root), 0
    with _lock:
        if _last is None or _last[0] != state:
            _last = state, _Known(recorded.kept(root).values())
        return _last[1]
