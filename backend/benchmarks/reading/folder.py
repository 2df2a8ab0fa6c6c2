"""A data folder as its owner keeps it: files found by name anywhere below it, images by their benchmark's own naming.

The folder is walked once, when something is first looked for. Names in a benchmark's file are only ever compared with
names that this walk found, so none of them reaches a file outside.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath

from backend import environment
from backend.benchmarks.reading.malformed import Malformed
from backend.inside import FOLLOW_LINKS
from backend.items import BGR_SCHEME, ImageRef

_PASSED_OVER = ("__MACOSX",)
#: A name that more files have than this is looked up together with its folder.
CROWD = 16


class Folder:
    """What lies below a data folder. links_out: links that lead out of it and were not followed (relative paths)."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.links_out: list[str] = []

    @cached_property
    def _index(self) -> dict[str, list[str]]:
        """Base name -> relative paths with that name, those nearest to the root first."""
        index: dict[str, list[str]] = {}
        for path in self._walk():
            index.setdefault(path.rpartition("/")[2], []).append(path)
        for paths in index.values():
            paths.sort(key=_nearness)
        return index

    def _walk(self) -> Iterator[str]:
        follow = environment.switched(FOLLOW_LINKS, False)
        home = self.root.resolve()
        seen: set[tuple[int, int]] = set()
        waiting = [""]
        while waiting:
            here = waiting.pop()
            stat = (self.root / here).stat()
            if (stat.st_dev, stat.st_ino) in seen:
                continue
            seen.add((stat.st_dev, stat.st_ino))
            try:
                entries = sorted(os.scandir(self.root / here), key=lambda entry: entry.name)
            except PermissionError:
                continue
            for entry in entries:
                path = f"{here}/{entry.name}" if here else entry.name
                if entry.name.startswith(".") or entry.name in _PASSED_OVER:
                    continue
                # realpath, for resolve raises where a link leads to itself.
                if entry.is_symlink() and not follow and not Path(os.path.realpath(entry.path)).is_relative_to(home):
                    self.links_out.append(path)
                elif _is(entry.is_dir):
                    waiting.append(path)
                elif _is(entry.is_file):
                    yield path

    def paths(self) -> list[str]:
        """Every file below the folder, relative to it, sorted."""
        return sorted(path for paths in self._index.values() for path in paths)

    def find(self, name: str, without: Sequence[str] = ()) -> Path | None:
        """The file of that name (with folders in front: a path that ends so) that is nearest to the root; None where
        there is none. without: folders that it must not lie in."""
        found = next(self._ending(name, without), None)
        return None if found is None else self.root / found

    def every(self, name: str, without: Sequence[str] = ()) -> Iterator[Path]:
        """All files that `find` would take, the nearest first."""
        return (self.root / path for path in self._ending(name, without))

    def find_all(self, pattern: str, without: Sequence[str] = ()) -> list[Path]:
        """All files whose path ends as a pattern with `*`, `?` and `[…]` says, by their path."""
        parts = pattern.count("/") + 1
        return [
            self.root / path
            for path in sorted(path for paths in self._index.values() for path in paths)
            if fnmatchcase("/".join(path.split("/")[-parts:]), pattern) and not set(path.split("/")[:-1]) & set(without)
        ]

    @cached_property
    def _crowded(self) -> dict[str, list[str]]:
        """`folder/base name` -> relative paths, of names that many files share, as frames do."""
        index: dict[str, list[str]] = {}
        for paths in self._index.values():
            if len(paths) > CROWD:
                for path in paths:
                    index.setdefault("/".join(path.rsplit("/", 2)[-2:]), []).append(path)
        return index

    def _candidates(self, name: str) -> Sequence[str]:
        """The paths that can end as `name` does, those nearest to the root first."""
        found = self._index.get(name.rpartition("/")[2], ())
        if len(found) <= CROWD or "/" not in name:
            return found
        return self._crowded.get("/".join(name.rsplit("/", 2)[-2:]), ())

    def _ending(self, name: str, without: Sequence[str] = ()) -> Iterator[str]:
        for path in self._candidates(name):
            if (path == name or path.endswith(f"/{name}")) and not set(path.split("/")[:-1]) & set(without):
                yield path

    def image(
        self,
        reference: str,
        prefer: Sequence[str] = (),
        suffixes: Sequence[str] = (),
        by_name: bool = True,
    ) -> ImageRef:
        """The image that a benchmark's file calls `reference`; its uri is empty where there is none.

        The whole reference has to end the path; with by_name its last part alone does where no path ends so and only
        one file has that name: among `v1/1.png` and `v2/1.png` there is no `v3/1.png`. prefer: folder names whose file
        is taken where several fit. suffixes: tried in place of the reference's own, in order.
        An .npy file is taken for pixels in the order blue, green, red. Raises Malformed for a reference that would
        leave the folder.
        """
        inside = safe(reference)
        stem, dot, _ = inside.rpartition(".")
        names = [
            inside,
            *([reference] if "\\" in reference else []),
            *(f"{stem if dot else inside}{suffix}" for suffix in suffixes),
        ]
        found = next(filter(None, (_preferred(self._ending(name), prefer) for name in names)), None)
        if found is None and by_name and "/" in inside:
            bare = (name.rpartition("/")[2] for name in names)
            found = next(filter(None, (_only([*self._ending(name)], prefer) for name in bare)), None)
        if found is None:
            return ImageRef(reference, "")
        return ImageRef(reference, f"{BGR_SCHEME if found.endswith('.npy') else ''}{self.root / found}")

    def left_alone(self) -> list[str]:
        """links_out, also where nothing has been looked for yet."""
        self.find("")
        return self.links_out

    def links_said(self) -> str:
        """A sentence on the links that were left alone, "" where there are none."""
        links = self.left_alone()
        if not links:
            return ""
        named = ", ".join(links[:3]) + (" …" if len(links) > 3 else "")
        yours = f"set {FOLLOW_LINKS}=1 if these links are yours"
        return f"Not followed, because they lead out of the folder: {named}; {yours}."

    def listing(self, shown: int = 8) -> str:
        """The first entries of the folder, for an error."""
        entries = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in self.root.iterdir())
        more = f" and {len(entries) - shown} more" if len(entries) > shown else ""
        return ", ".join(entries[:shown]) + more if entries else "an empty folder"


def safe(reference: str) -> str:
    """A relative path without `.` and `..`, its folders parted by `/`; Malformed for anything that could lead out of a
    folder.

    >>> safe("./val2017/1.jpg"), safe(r"val2017\\1.jpg")
    ('val2017/1.jpg', 'val2017/1.jpg')
    >>> safe("../secret.png")
    Traceback (most recent call last):
    backend.benchmarks.reading.malformed.Malformed: the file name '../secret.png' leads out of the folder
    """
    if not reference.strip() or "\0" in reference:
        raise Malformed(f"the file name {reference!r} is none")
    path = PurePosixPath(reference.replace("\\", "/"))
    drive = len(reference) > 1 and reference[1] == ":"
    if path.is_absolute() or ".." in path.parts or drive:
        raise Malformed(f"the file name '{reference}' leads out of the folder")
    return str(path)


def _is(kind: Callable[[], bool]) -> bool:
    """A link that leads to itself is nothing at all."""
    try:
        return kind()
    except OSError:
        return False


def _nearness(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _preferred(paths: Iterable[str], prefer: Sequence[str]) -> str | None:
    """The path that lies in the earliest preferred folder, else the nearest one."""
    found = list(paths)
    for name in prefer:
        for path in found:
            if name in path.split("/")[:-1]:
                return path
    return found[0] if found else None


def _only(paths: list[str], prefer: Sequence[str]) -> str | None:
    """The one path, or the one of several that lies in a preferred folder."""
    if len(paths) > 1:
        paths = [path for path in paths if set(path.split("/")[:-1]) & set(prefer)]
    return paths[0] if len(paths) == 1 else None
