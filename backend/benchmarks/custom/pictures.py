"""Where the pictures of one's own table are: beside it, in a folder that is named, or anywhere below a data folder."""

import re
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath

from backend import environment
from backend.benchmarks.reading.folder import Folder, safe
from backend.benchmarks.reading.malformed import Malformed
from backend.inside import FOLLOW_LINKS
from backend.items import BGR_SCHEME, ImageRef

_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_CROPPED = re.compile(r"(.+)#(-?\d+),(-?\d+),(\d+),(\d+)", re.DOTALL)
_WORLD = "world:"
#: How a full path of Windows begins: a drive, another computer's folder, or the root of the drive.
_FULL = re.compile(r"(?:[A-Za-z]:(?=[\\/])|\\\\[^\\/]+|(?=\\))")


class Pictures:
    """Finds pictures by what a table calls them.

    home: the table's folder, to which names are relative. images, whole: folders that are looked at, too, at any
    depth: by the end of the path, or else by the last part of the name, where one file alone fits.
    full_paths: whether a full path is taken as it is; only the owner, at the command line, may say so.
    """

    def __init__(
        self, home: Path, images: Path | None = None, *, whole: Path | None = None, full_paths: bool = False
    ) -> None:
        self.home, self.images, self.whole, self.full_paths = home, images, whole, full_paths

    @cached_property
    def _below(self) -> list[Folder]:
        return [Folder(folder) for folder in (self.images, self.whole) if folder is not None]

    def find(self, reference: str) -> ImageRef:
        """The picture of that name; its uri is empty where it is missing. Malformed for an address, and for a path
        that leads out of the folder."""
        reference = reference.strip()
        if reference.startswith(_WORLD):
            return ImageRef(reference, reference)
        if _ADDRESS.match(reference):
            raise Malformed(
                f"the picture '{_short(reference)}' is an address, and none is fetched; download it and give its file"
            )
        if Path(reference).is_absolute():
            if not self.full_paths:
                raise Malformed(
                    f"the picture '{_short(reference)}' is a full path, which only the command line takes, with "
                    "--full-paths; give it relative to the table or to --images"
                )
            return ImageRef(reference, _uri(Path(reference)) if Path(reference).is_file() else "")
        if full := _FULL.match(reference):
            return self._elsewhere(reference, reference[full.end() :])
        inside = safe(reference)
        # A file whose own name holds a `\` goes before the path that Windows would write so.
        names = dict.fromkeys((str(PurePosixPath(reference)), inside))
        if found := next(filter(None, map(self._in_sight, names)), ""):
            return ImageRef(reference, found)
        for below in self._below:
            for name in dict.fromkeys((*names, inside.rpartition("/")[2])):
                if found := self._one(below, name, reference):
                    return ImageRef(reference, found)
        return ImageRef(reference, "")

    def _elsewhere(self, reference: str, path: str) -> ImageRef:
        r"""The picture of a full path of Windows (`C:\photos\1.png`, `\\server\share\1.png`), which leads to no file
        here: by its end, the longest first. Missing where nothing fits, for texts need no picture."""
        if "/" not in reference and (found := self._in_sight(reference)):  # here `\` may be a letter of a name
            return ImageRef(reference, found)
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
        tails = ["/".join(parts[at:]) for at in range(len(parts))] if ".." not in parts else []
        for tail in tails:
            if found := self._in_sight(tail):
                return ImageRef(reference, found)
            for below in self._below:
                if found := self._one(below, tail, reference):
                    return ImageRef(reference, found)
        return ImageRef(reference, "")

    def _in_sight(self, name: str) -> str:
        """The uri of the file that a relative name leads to from the table or from --images; "" for none."""
        for folder in (self.home, *([self.images] if self.images else [])):
            if _is_in(folder, path := folder / name):
                return _uri(path)
        return ""

    def _one(self, below: Folder, name: str, reference: str) -> str:
        """The uri of the only file whose path ends so; "" for none, Malformed for several."""
        found = list(islice(below.every(name), 2))
        if len(found) > 1:
            both = " or ".join(str(path.relative_to(below.root)) for path in found)
            raise Malformed(f"the picture '{_short(reference)}' could be {both}; name it with its folders")
        return _uri(found[0]) if found else ""

    def of_key(self, key: str) -> ImageRef:
        """The picture behind an exported item's key: it may be a region, and it may be missing."""
        try:
            found = self.find(key)
            if found.missing and (box := _CROPPED.fullmatch(key)):
                return self.find(box[1]).cropped(*(int(number) for number in box.groups()[1:]))
        except Malformed:
            return ImageRef(key, "")
        return found


def _is_in(folder: Path, path: Path) -> bool:
    """Whether a file is there and, links followed, still in its folder."""
    try:
        if not path.is_file():
            return False
        return environment.switched(FOLLOW_LINKS, False) or path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError):
        return False


def _uri(path: Path) -> str:
    scheme = BGR_SCHEME if path.suffix == ".npy" else ""
    return f"{scheme}{path.absolute()}"


def _short(reference: str) -> str:
    return reference if len(reference) <= 80 else f"{reference[:77]}…"
